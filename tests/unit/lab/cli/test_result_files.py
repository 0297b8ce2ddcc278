"""What is kept of measurements: which record may be replaced, and what is said of a run that was ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from asyncdemo.lab.cli import command as lab
from asyncdemo.lab.cli import measuring, result_files
from asyncdemo.lab.cli.result_files import Journals, trials_in, would_lose
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Extent
from tests.support.fake_lab import SIZE, FakeServer, a_bench, an_experiment

WHICH = {"python": "CPython 3.12.1", "packages": {"flask": "3.0"}}


@pytest.fixture
def record() -> Record:
    slow = FakeServer("slow")
    bench, _ = a_bench(slow)
    return run(an_experiment(slow, size=replace(SIZE, rounds=1)), Extent.DEFAULT, bench=bench)


@pytest.fixture
def journals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journals:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "app.py").write_text("1")
    return Journals("constant-rate", Extent.DEFAULT, tmp_path / "apps")


def ended(journals: Journals, which: Mapping[str, object], trials: int = 2) -> Path:
    path = journals.path(which)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(which) + "\n" + '{"attempt": {}}\n' * trials + '{"gone on": ""}\n')
    return path


@pytest.mark.parametrize(
    ("there", "ours", "lost"),
    [
        ({}, {"interrupted": True, "started": "later"}, True),
        ({}, {"interrupted": False, "started": "later"}, False),
        ({"interrupted": True}, {"interrupted": True, "started": "later"}, False),
        ({}, {"interrupted": True}, False),
    ],
)
def test_ended_run_would_lose_only_another_runs_whole_record(
    record: Record, tmp_path: Path, there: dict[str, object], ours: dict[str, object], lost: bool
) -> None:
    assert not would_lose(replace(record, interrupted=True), tmp_path)
    result_files.save(replace(record, **there), tmp_path)  # type: ignore[arg-type]
    assert would_lose(replace(record, **ours), tmp_path) is lost  # type: ignore[arg-type]


def test_a_record_that_cannot_be_read_counts_as_whole(record: Record, tmp_path: Path) -> None:
    (tmp_path / f"{record.name}.json").write_text('{"format": "asyncdemo.lab/99"}')
    assert would_lose(replace(record, interrupted=True), tmp_path)


def test_each_identity_has_a_journal_and_differences_are_named(journals: Journals) -> None:
    assert journals.latest() is None
    path = ended(journals, WHICH)
    now = {"python": "CPython 3.13.0", "packages": {"flask": "3.1"}}
    assert journals.path(WHICH) == path != journals.path(now)
    assert (trials_in(path), trials_in(journals.path(now))) == (2, 0)
    assert journals.latest() == path
    assert journals.differing(path, now) == ["Python", "flask"]
    (journals.apps / "app.py").write_text("2")
    assert journals.path(WHICH) != path
    assert journals.differing(path, WHICH) == ["the apps"]
    journals.remove()
    assert not path.exists()


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        (0, "Interrupted before anything was measured."),
        (1, "Interrupted before anything more was measured. 1 trial of an earlier run is kept."),
        (6, "Interrupted before anything more was measured. 6 trials of an earlier run are kept."),
    ],
)
def test_ctrl_c_while_it_is_set_up_tells_what_an_earlier_run_has(
    journals: Journals, monkeypatch: pytest.MonkeyPatch, trials: int, expected: str
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    ended(journals, WHICH, trials)
    monkeypatch.setattr(measuring, "noise_words", interrupted)
    done = CliRunner().invoke(lab.command, ["constant-rate"])
    assert (done.exit_code, done.output.splitlines()[-1]) == (130, expected)
