"""No command writes over a file that it could not have written itself."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from asyncdemo.cli.overwrite import check_export, check_recording, check_table
from asyncdemo.errors import UsageError
from asyncdemo.store import save
from tests.cli.commands import in_process
from tests.support.runs import Story

SCRIPT = "print('hello')\n"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (
            "trace --save script.py script.py",
            "script.py already exists and is not a recording. Choose another",
        ),
        ("run two-sleeps --variant awaited --save .", "is not a recording"),
        ("export run.jsonl --to svg -o script.py", "does not end in .svg"),
        ("export run.json --to perfetto -o run.json", "is a recording"),
        ("export run.jsonl --to svg -o folder", "not a regular file"),
    ],
)
def test_no_command_writes_over_what_it_did_not_write(tmp_path: Path, typed: str, words: str) -> None:
    for name in ("script.py", "two-sleeps-awaited.jsonl"):
        (tmp_path / name).write_text(SCRIPT)
    (tmp_path / "folder").mkdir()
    for name in ("run.jsonl", "run.json"):
        save(Story().run(), tmp_path / name)
    before = {file: file.read_bytes() for file in tmp_path.glob("*.*")}
    done = in_process(*typed.split(), cwd=tmp_path)
    assert done.code == 2
    assert words in done.err
    assert "hello" not in done.out
    assert {file: file.read_bytes() for file in tmp_path.glob("*.*")} == before


def test_large_file_is_not_read_to_see_that_it_is_no_table(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.touch()
    os.truncate(table, 1 << 40)
    with pytest.raises(UsageError, match="is not such a table"):
        check_table(table, b"workspace,passed", "--csv table.csv")


def test_a_large_trace_is_compressed_and_named_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asyncdemo.cli.export._LARGE", 10)
    save(Story().run(), tmp_path / "run.jsonl")
    done = in_process("export", tmp_path / "run.jsonl", "--to", "perfetto", "-o", tmp_path / "big.json")
    assert done.err == f"wrote {tmp_path}/big.json.gz\n"
    assert json.loads(gzip.decompress((tmp_path / "big.json.gz").read_bytes()))["displayTimeUnit"] == "ms"


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    save(Story().run(), tmp_path / "run.jsonl")
    done = in_process("export", tmp_path / "run.jsonl", "--to", "svg", "-o", tmp_path / "missing" / "x.svg")
    assert (done.code, "Cannot write" in done.err) == (2, True)


def test_what_it_wrote_and_what_is_empty_may_be_replaced(tmp_path: Path) -> None:
    for name in ("old.jsonl", "old.jsonl.gz"):
        save(Story().run(), tmp_path / name)
        check_recording(tmp_path / name, "--save")
    (tmp_path / "empty").touch()
    check_recording(tmp_path / "empty", "--save")
    check_export(tmp_path / "empty", "svg", [], "-o")
    (tmp_path / "a.txt").write_text("old")
    for name, kind in (
        ("svg", "svg"),
        ("html", "html"),
        ("json", "perfetto"),
        ("json.gz", "perfetto"),
    ):
        (tmp_path / f"a.{name}").write_text("old")
        check_export(tmp_path / f"a.{name}", kind, [], "-o")
        with pytest.raises(UsageError, match=r"a\.txt already exists"):
            check_export(tmp_path / "a.txt", kind, [], "-o")
