"""Recordings are made by running scripts, and kept until something changes that could make others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from asyncdemo.errors import AsyncdemoError, MissingError
from asyncdemo.recording.runner import Options, Target
from asyncdemo.site import recordings as module
from asyncdemo.site.recordings import WHAT_RECORDS, Recordings, Take

TELLS_NOTHING = {"analysis", "ansi", "errors", "packages"}
"""What is imported where recordings are made, and changes none of them."""

SLEEPS = "import asyncio\nasyncio.run(asyncio.sleep(0.01))\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    script = tmp_path / "sleeps.py"
    script.write_text(SLEEPS)
    return script


@pytest.fixture
def recordings(tmp_path: Path) -> Recordings:
    return Recordings(tmp_path / "runs")


def take(script: Path, ends: str | None = "ok", **options: object) -> Take:
    return Take(Target(str(script)), Options(name=script.stem, timeout_s=60, **options), ends=ends)  # type: ignore[arg-type]


def test_they_are_kept_until_a_source_changes(recordings: Recordings, script: Path) -> None:
    wanted = [take(script)]
    assert not recordings.is_fresh("mine", wanted, [script])
    made = recordings.record("mine", wanted, [script])
    assert recordings.is_fresh("mine", wanted, [script])
    assert recordings.get("mine") == made
    assert not recordings.is_fresh("mine", [*wanted, *wanted], [script])
    assert not recordings.is_fresh("mine", [take(script, lanes=("brew",))], [script])
    script.write_text(f"{SLEEPS}# changed\n")
    assert not recordings.is_fresh("mine", wanted, [script])


@pytest.mark.parametrize("changed", ["_PACKAGES", "WHAT_RECORDS"])
def test_they_are_kept_until_what_records_changes(
    recordings: Recordings, script: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    recordings.record("mine", [take(script)], [script])
    monkeypatch.setattr(module, changed, script if changed == "_PACKAGES" else ("model",))
    assert not recordings.is_fresh("mine", [take(script)], [script])


def test_all_that_records_counts() -> None:
    code = "import asyncdemo.serving, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name.split(".")[1] for name in done.stdout.split() if name.startswith("asyncdemo.")}
    counts = {part.partition("/")[0] for part in WHAT_RECORDS}
    assert "recording" in imported
    assert imported - TELLS_NOTHING <= counts
    package = Path(module.__file__).parents[1]
    assert [part for part in WHAT_RECORDS if not (package / part).exists()] == []


def test_what_is_half_made_is_not_there(recordings: Recordings, script: Path, tmp_path: Path) -> None:
    recordings.record("mine", [take(script)], [script])
    (tmp_path / "runs" / "mine" / "recordings.json").write_text('{"key": "')
    assert not recordings.is_fresh("mine", [take(script)], [script])
    with pytest.raises(MissingError, match="no recording of mine"):
        recordings.get("mine")


def test_a_run_that_ends_otherwise_is_none(recordings: Recordings, script: Path) -> None:
    script.write_text("import no_such_package\n")
    with pytest.raises(AsyncdemoError, match=r"sleeps\.py: the run ended as failed, not ok"):
        recordings.record("mine", [take(script)], [script])
    assert not recordings.is_fresh("mine", [take(script)], [script])
    (failed,) = recordings.record("mine", [take(script, ends="failed")], [script])
    assert failed.outcome == "failed"


def test_remarks_are_remembered_until_what_judges_changes(
    recordings: Recordings, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = []

    def judge(runs: object) -> list[str]:
        judged.append(runs)
        return ["one thing"]

    made = recordings.record("mine", [take(script)], [script])
    assert [recordings.remarks("mine", judge) for _ in range(2)] == [("one thing",)] * 2
    assert judged == [made]
    assert recordings.is_fresh("mine", [take(script)], [script])
    monkeypatch.setattr(module, "_WHAT_JUDGES", ("model",))
    recordings.remarks("mine", judge)
    recordings.record("mine", [take(script)], [script])
    recordings.remarks("mine", judge)
    assert len(judged) == 3


def test_new_ones_do_not_replace_better_ones(recordings: Recordings, script: Path) -> None:
    wanted = [take(script)]
    first = recordings.record("mine", wanted, [script])
    again = recordings.record("mine", wanted, [script], judge=lambda runs: ["slow"] * (runs != first))
    assert again == recordings.get("mine") == first
    better = recordings.record("mine", wanted, [script], judge=lambda runs: ["slow"] * (runs == first))
    assert recordings.get("mine") == better != first


def test_out_of_date_ones_are_replaced_in_any_case(recordings: Recordings, script: Path) -> None:
    first = recordings.record("mine", [take(script)], [script])
    script.write_text(script.read_text() + "# changed\n")
    new = recordings.record("mine", [take(script)], [script], judge=lambda runs: ["slow"] * (runs != first))
    assert recordings.get("mine") == new != first
