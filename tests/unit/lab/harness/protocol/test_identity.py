"""Which run it is: what must be the same for a run that was ended to go on, and what may change meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.lab.harness.protocol import journal as module
from asyncdemo.lab.harness.protocol.journal import describe, differences, identity
from asyncdemo.lab.results.setup import Environment, Extent
from tests.support.fake_lab import FakeServer, a_bench, an_experiment

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
        one, programs={**one.programs, "oha": "99"}
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


def test_a_program_that_was_missing_and_now_is_there_is_named_once() -> None:
    without = which(lambda one: replace(one, missing={"nginx": "no proxy"}))
    assert differences(which(CHANGES["nginx"]), without) == ["nginx"]


def test_a_header_of_an_older_asyncdemo_differs() -> None:
    assert "Python" in differences(which(), {"asyncdemo": "0"})


def test_code_that_measures_is_part_of_it_and_other_files_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PACKAGE", tmp_path)
    code = module._code.__wrapped__
    (tmp_path / "lab" / "part").mkdir(parents=True)
    (tmp_path / "load").mkdir()
    seen = {code()}
    (tmp_path / "load" / "a.py").write_text("1")
    seen.add(code())
    (tmp_path / "lab" / "part" / "b.py").write_text("1")
    seen.add(code())
    (tmp_path / "lab" / "part" / "b.py").write_text("2")
    seen.add(code())
    (tmp_path / "lab" / "part" / "hello.toml").write_text("1")
    seen.add(code())
    assert len(seen) == 5
    (tmp_path / "lab" / "part" / "b.pyc").write_text("x")
    (tmp_path / "view.py").write_text("x")
    assert code() in seen
