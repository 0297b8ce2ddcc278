"""``schedules`` and ``trace --schedule``: the report, its JSON, its exit codes, and Ctrl-C."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from asyncdemo.store import load
from tests.cli.commands import in_process, interrupted
from tests.unit.serving.test_schedules import RIGHT_BY_LUCK


@pytest.fixture
def script(tmp_path: Path) -> Path:
    script = tmp_path / "luck.py"
    script.write_text(RIGHT_BY_LUCK)
    return script


def test_the_report_names_each_outcome_and_how_to_see_it_again(script: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.run"
    done = in_process("schedules", "-n", "12", "--lane", "pay_in", "--save", kept, script)
    assert done.code == 1
    assert "had a different outcome in" in done.out
    assert "prints '3'  (without a delay)" in done.out
    assert "The first difference: without a delay pay_in(1) ends" in " ".join(done.out.split())
    again = next(line for line in done.out.splitlines() if line.startswith("To see it again: "))
    token = again.split()[-2]
    assert f"prints '2'  (--schedule {token})" in done.out
    assert len(load(kept).delays) == 1
    replayed = in_process("trace", "--schedule", token, script)
    assert replayed.code == 0
    assert replayed.out.startswith("2\n")


def test_the_json_has_the_groups_and_the_two_runs(script: Path) -> None:
    done = in_process("schedules", "-n", "12", "--json", script)
    assert done.code == 1
    first, other = done.data["groups"]
    assert (first["schedule"], first["lines"]) == ("none", ["3"])
    assert other["lines"] == ["2"]
    assert first["count"] + other["count"] == done.data["tried"] == 12
    assert len(done.data["runs"]) == 2
    assert len(done.data["difference"]["without"]) == 2


def test_what_always_comes_to_the_same_is_fine(tmp_path: Path) -> None:
    script = tmp_path / "same.py"
    script.write_text("import asyncio\nasyncio.run(asyncio.sleep(1))\n")
    done = in_process("schedules", "-n", "3", script)
    assert done.code == 0
    assert "had the same outcome in all 3 schedules" in done.out
    assert "a schedule that was not tried may differ" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["schedules", "-n", "0"], "not in the range"),
        (["schedules", "-n", "1000000000"], "not in the range"),
        (["trace", "--schedule", "tomorrow"], "'tomorrow' is not a schedule"),
    ],
)
def test_wrong_use_is_refused(script: Path, options: list[str], words: str) -> None:
    done = in_process(*options, script)
    assert done.code == 2
    assert words in " ".join(done.err.split())


def test_ctrl_c_ends_it_and_tells_what_there_is(script: Path) -> None:
    due_s = time.monotonic() + 4
    done = interrupted("schedules", "-n", "10000", script, when=lambda: time.monotonic() > due_s)
    assert done.code == 130
    assert "interrupted" in done.out
