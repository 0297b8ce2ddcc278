"""No command writes over a file that it could not have written itself."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from asyncdemo.cli.overwrite import check_export, check_recording
from asyncdemo.errors import UsageError
from asyncdemo.store import save
from tests.cli.commands import in_process
from tests.support.runs import Story

SCRIPT = "print('hello')\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    return script


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    story = Story()
    story.task("a").sleeps(10).returns()
    file = tmp_path / "run.jsonl"
    save(story.run(), file)
    return file


def test_trace_does_not_save_over_a_script(script: Path) -> None:
    done = in_process("trace", "--save", script, script)
    assert done.code == 2
    assert f"{script} already exists and is not a recording. Choose another name" in done.err
    assert script.read_text() == SCRIPT
    assert "hello" not in done.out


def test_run_does_not_save_over_what_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "two-sleeps-awaited.jsonl").write_text("{}\n")
    done = in_process("run", "two-sleeps", "--variant", "awaited", "--save", tmp_path)
    assert done.code == 2
    assert (tmp_path / "two-sleeps-awaited.jsonl").read_text() == "{}\n"


def test_export_does_not_write_over_a_script(script: Path, recording: Path) -> None:
    done = in_process("export", recording, "--to", "svg", "-o", script)
    assert done.code == 2
    assert "does not end in .svg" in done.err
    assert script.read_text() == SCRIPT


def test_a_large_trace_is_compressed_and_named_so(
    tmp_path: Path, recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asyncdemo.cli.export._LARGE", 10)
    done = in_process("export", recording, "--to", "perfetto", "-o", tmp_path / "big.json")
    assert done.err == f"wrote {tmp_path}/big.json.gz\n"
    assert json.loads(gzip.decompress((tmp_path / "big.json.gz").read_bytes()))["displayTimeUnit"] == "ms"


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path, recording: Path) -> None:
    done = in_process("export", recording, "--to", "svg", "-o", tmp_path / "missing" / "x.svg")
    assert (done.code, "cannot write" in done.err) == (2, True)


@pytest.mark.parametrize("name", ["old.jsonl", "old.jsonl.gz"])
def test_a_recording_is_known_by_how_it_begins(tmp_path: Path, name: str) -> None:
    save(Story().run(), tmp_path / name)
    check_recording(tmp_path / name, "--save")


def test_an_empty_file_is_free(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    check_recording(tmp_path / "empty", "--save")
    check_export(tmp_path / "empty", "csv", [], "-o")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("svg", "a.svg"),
        ("html", "a.html"),
        ("csv", "a.csv"),
        ("perfetto", "a.json"),
        ("perfetto", "a.json.gz"),
    ],
)
def test_an_export_is_known_by_its_ending(tmp_path: Path, kind: str, name: str) -> None:
    (tmp_path / name).write_text("old")
    check_export(tmp_path / name, kind, [], "-o")
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(UsageError, match=r"a\.txt already exists"):
        check_export(tmp_path / "a.txt", kind, [], "-o")


def test_a_recording_is_not_replaced_by_its_export(tmp_path: Path) -> None:
    save(Story().run(), tmp_path / "run.json")
    with pytest.raises(UsageError, match="is a recording"):
        check_export(tmp_path / "run.json", "perfetto", [tmp_path / "run.json"], "-o")


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not an ordinary file"):
        check_recording(tmp_path, "--save")
