"""The journal of a run: what is taken up from it, and what must be the same for a run to go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.errors import LabFileError
from asyncdemo.lab.harness.protocol import journal as module
from asyncdemo.lab.harness.protocol.journal import FORMAT, Journal, describe, differences, identity
from asyncdemo.lab.harness.protocol.lineup import Visit
from asyncdemo.lab.harness.protocol.stages import Attempted
from asyncdemo.lab.results.setup import Environment, Extent
from asyncdemo.lab.results.trial import Trial, TrialOutcome
from tests.support.fake_lab import FakeServer, a_bench, an_experiment

HEADER = {"experiment": "made-up", "seed": 3, "started": "then"}
VISIT = Visit("a", "closed", capacity_per_s=3.0)
ATTEMPTED = Attempted((Trial(1, 1, "a", "closed", "then", TrialOutcome.HUNG, "it hung"),), "serve PORT")


def test_a_journal_is_taken_up_with_all_that_was_finished(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "journal"
    first = Journal(path, HEADER)
    for part in (VISIT, ATTEMPTED, replace(VISIT, arm="b")):
        first.add(part)
    assert not first.is_taken_up
    second = Journal(path, HEADER | {"started": "now", "seed": None})
    assert second.is_taken_up
    assert second.parts(Visit) == [VISIT, replace(VISIT, arm="b")]
    assert second.parts(Attempted) == [ATTEMPTED]
    assert second.header == {"format": FORMAT, **HEADER}


@pytest.mark.parametrize("cut", [1, 5, -1])
def test_a_line_that_was_not_written_to_its_end_is_dropped(tmp_path: Path, cut: int) -> None:
    """Cut even within a letter; what looks like the end of a line in a text is none."""
    path = tmp_path / "journal"
    first = Journal(path, HEADER)
    whole = replace(VISIT, problem="one line\u2028to JSON")
    first.add(whole)
    before = path.read_bytes()
    first.add(replace(VISIT, problem="ü"))
    end = len(path.read_bytes().partition("ü".encode())[0]) + 1 if cut < 0 else -cut
    path.write_bytes(path.read_bytes()[:end])
    second = Journal(path, HEADER)
    assert second.parts(Visit) == [whole]
    assert path.read_bytes() == before
    second.add(VISIT)
    assert Journal(path, HEADER).parts(Visit) == [whole, VISIT]


def test_journal_without_a_whole_line_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_text('{"format": "asyncdemo.lab-jour')
    assert not Journal(path, HEADER).is_taken_up
    assert json.loads(path.read_text()) == {"format": FORMAT, **HEADER}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"format": "asyncdemo.lab/1"}\n', "its format differs"),
        (json.dumps({"format": FORMAT, **HEADER, "seed": 4}) + "\n", "its seed differs"),
        (json.dumps({"format": FORMAT, **HEADER, "experiment": "x"}) + '\n{"vis', "its experiment differs"),
        ("no json\n", "not a journal of a measurement"),
        ("[]\n[]\n", "not a journal of a measurement"),
        (json.dumps({"format": FORMAT, **HEADER}) + '\n{"visit": {"arm": 3}}\n', "not a journal"),
    ],
)
def test_what_is_no_journal_of_this_run_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "journal"
    path.write_text(text)
    with pytest.raises(LabFileError, match=words):
        Journal(path, HEADER)
    assert path.read_text() == text


def test_without_a_path_nothing_is_written_and_a_seed_is_drawn() -> None:
    journal = Journal(None, HEADER | {"seed": None})
    journal.add(VISIT)
    assert journal.parts(Visit) == [VISIT]
    assert isinstance(journal.header["seed"], int)


# -- which run it is --------------------------------------------------------------------------------------

Change = Callable[[Environment], Environment]

CHANGES: dict[str, Change] = {
    "Python": lambda one: replace(one, python="CPython 3.99.0"),
    "flask": lambda one: replace(one, packages={**one.packages, "flask": "99"}),
    "nginx": lambda one: replace(one, programs={**one.programs, "nginx": "1.99"}),
    "pgbouncer": lambda one: replace(one, missing={"pgbouncer": "sessions of its own"}),
    "the processors of client and servers": lambda one: replace(one, pinning={"client": "9", "server": "0"}),
    "the number of processors": lambda one: replace(one, cores=one.cores + 1),
}
MAY_CHANGE: dict[str, Change] = {
    "load": lambda one: replace(one, load_average=99.0),
    "kernel parameters": lambda one: replace(one, sysctls={"fs.file-max": "1"}),
    "a load program that it does not measure with": lambda one: replace(
        one, programs={**one.programs, "wrk": "99"}
    ),
}


def which(change: Change = lambda one: one) -> dict[str, Any]:
    slow = FakeServer("slow")
    bench, _ = a_bench(slow)
    experiment = replace(an_experiment(slow), programs={"nginx": ("no-such-nginx", "-v")})
    return identity(experiment, Extent.DEFAULT, bench, change(describe(experiment, bench)))


@pytest.mark.parametrize("name", CHANGES)
def test_what_decides_the_figures_is_named_when_it_differs(name: str) -> None:
    read = json.loads(json.dumps(which()))
    assert differences(which(), read) == []
    assert differences(which(CHANGES[name]), read) == [name]


@pytest.mark.parametrize("name", MAY_CHANGE)
def test_what_may_change_meanwhile_is_no_difference(name: str) -> None:
    assert which(MAY_CHANGE[name]) == which()


def test_missing_program_that_appears_later_is_named_once() -> None:
    without = which(lambda one: replace(one, missing={"nginx": "no proxy"}))
    assert differences(which(CHANGES["nginx"]), without) == ["nginx"]


def test_a_header_of_an_older_asyncdemo_differs() -> None:
    assert "Python" in differences(which(), {"asyncdemo": "0"})


def test_measuring_code_is_part_of_it_and_other_files_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PACKAGE", tmp_path)
    code = module._code.__wrapped__
    (tmp_path / "lab" / "part").mkdir(parents=True)
    (tmp_path / "load").mkdir()
    seen = {code()}
    for name, text in (
        ("load/a.py", "1"),
        ("lab/part/b.py", "1"),
        ("lab/part/b.py", "2"),
        ("lab/c.toml", ""),
    ):
        (tmp_path / name).write_text(text)
        seen.add(code())
    assert len(seen) == 5
    (tmp_path / "lab" / "part" / "b.pyc").write_text("x")
    (tmp_path / "view.py").write_text("x")
    assert code() in seen
