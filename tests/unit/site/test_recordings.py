"""Recordings are made by running scripts, and kept until something changes that could make others."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.errors import AsyncdemoError, MissingError
from asyncdemo.recording.runner import Options, Target
from asyncdemo.serving import ServiceCache
from asyncdemo.site import recordings as module
from asyncdemo.site.recordings import WHAT_RECORDS, Recordings, Subject, Take

TELLS_NOTHING = {"analysis", "bounded", "errors", "packages", "safe_text"}
"""What is imported where recordings are made, and changes none of them."""

SLEEPS = "import asyncio\nasyncio.run(asyncio.sleep(0.01))\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    script = tmp_path / "sleeps.py"
    script.write_text(SLEEPS)
    return script


@pytest.fixture
def mine(script: Path) -> Subject:
    return Subject("mine", (take(script),), (script,))


@pytest.fixture
def recordings(tmp_path: Path) -> Recordings:
    return Recordings(tmp_path / "runs")


def take(script: Path, ends: str | None = "ok", **options: object) -> Take:
    return Take(Target(str(script)), Options(name=script.stem, timeout_s=60, **options), ends=ends)  # type: ignore[arg-type]


def test_they_are_kept_until_a_source_changes(recordings: Recordings, mine: Subject, script: Path) -> None:
    assert not recordings.is_fresh(mine)
    made = recordings.record(mine)
    assert recordings.is_fresh(mine)
    assert recordings.get("mine") == made
    assert not recordings.is_fresh(replace(mine, takes=mine.takes * 2))
    assert not recordings.is_fresh(replace(mine, takes=(take(script, lanes=("brew",)),)))
    script.write_text(f"{SLEEPS}# changed\n")
    assert not recordings.is_fresh(mine)


@pytest.mark.parametrize("changed", ["_PACKAGES", "WHAT_RECORDS"])
def test_they_are_kept_until_what_records_changes(
    recordings: Recordings, mine: Subject, script: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    recordings.record(mine)
    monkeypatch.setattr(module, changed, script if changed == "_PACKAGES" else ("model",))
    assert not recordings.is_fresh(mine)


def test_all_that_records_counts() -> None:
    code = "import asyncdemo.serving, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name.split(".")[1] for name in done.stdout.split() if name.startswith("asyncdemo.")}
    counts = {part.partition("/")[0] for part in WHAT_RECORDS}
    assert "recording" in imported
    assert imported - TELLS_NOTHING <= counts
    package = Path(module.__file__).parents[1]
    assert [part for part in WHAT_RECORDS if not (package / part).exists()] == []


def test_what_is_half_made_is_not_there(recordings: Recordings, mine: Subject, tmp_path: Path) -> None:
    recordings.record(mine)
    (tmp_path / "runs" / "mine" / "recordings.json").write_text('{"key": "')
    assert not recordings.is_fresh(mine)
    with pytest.raises(MissingError, match="no recording of mine"):
        recordings.get("mine")


def test_a_run_that_ends_otherwise_is_none(recordings: Recordings, mine: Subject, script: Path) -> None:
    script.write_text("import no_such_package\n")
    with pytest.raises(AsyncdemoError, match=r"sleeps\.py: the run ended as failed, not ok"):
        recordings.record(mine)
    assert not recordings.is_fresh(mine)
    (failed,) = recordings.record(replace(mine, takes=(take(script, ends="failed"),)))
    assert failed.outcome == "failed"


def test_remarks_are_remembered_until_what_judges_changes(
    recordings: Recordings, mine: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = []

    def judge(runs: object) -> list[str]:
        judged.append(runs)
        return ["one thing"]

    made = recordings.record(mine)
    mine = replace(mine, judge=judge)
    assert [recordings.remarks(mine) for _ in range(2)] == [("one thing",)] * 2
    assert judged == [made]
    assert recordings.is_fresh(mine)
    monkeypatch.setattr(module, "_WHAT_JUDGES", ("model",))
    recordings.remarks(mine)
    assert len(judged) == 2


def test_new_ones_replace_worse_ones_and_those_out_of_date(
    recordings: Recordings, mine: Subject, script: Path
) -> None:
    first = recordings.record(mine)
    slow_again = replace(mine, judge=lambda runs: ["slow"] * (runs != first))
    assert recordings.record(slow_again) == recordings.get("mine") == first
    better = recordings.record(replace(mine, judge=lambda runs: ["slow"] * (runs == first)))
    assert recordings.get("mine") == better != first
    script.write_text(f"{SLEEPS}# changed\n")
    new = recordings.record(replace(mine, judge=lambda runs: ["slow"] * (runs != better)))
    assert recordings.get("mine") == new != better


def test_recording_hidden_by_load_is_repeated_a_few_times(recordings: Recordings, mine: Subject) -> None:
    made, lines = list[object](), list[str]()

    def judge(runs: object) -> list[str]:
        made.append(runs)
        return ["hidden"] * (runs == made[0])

    hidden = replace(mine, judge=judge)
    with ServiceCache() as service_cache:
        recordings.update(hidden, service_cache, 3, lines.append)
        assert [line.partition(" (")[0] for line in lines] == [
            "recorded mine",
            "  mine: not as the text says: hidden",
            "recorded mine",
        ]
        recordings.update(hidden, service_cache, 3, lines.append)
        assert len(lines) == 3  # nothing was left to do
        recordings.update(
            replace(mine, name="never", judge=lambda _: ["hidden"]), service_cache, 2, lines.append
        )
    assert len(lines) == 3 + 2 * 2
