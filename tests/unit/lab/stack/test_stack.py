"""The stack as data: its knobs and what they allow, the configurations that are written, and the pairs."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness import NotStarted
from asyncdemo.lab.harness.machine import find
from asyncdemo.lab.harness.protocol.description import Check, Scene
from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.results.configuration import CONFIGURATIONS, Configuration, fitted
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.setup import Arm, Loop, Model, Setting
from asyncdemo.lab.stack.pairs import PAIRS, Stacked, is_row
from asyncdemo.lab.stack.pairs import condition as condition_of
from asyncdemo.lab.stack.pairs import contestant as contender_of
from asyncdemo.lab.stack.programs import nginx_config, pgbouncer_config, port_to_keep
from asyncdemo.lab.stack.start import Stack

APPS = Path(__file__).parents[4] / "lessons" / "07-measurement" / "25-rig-it" / "apps"
MINE = CONFIGURATIONS["mine"]

# -- knobs and bounds --------------------------------------------------------------------------------


def test_the_configurations_are_those_of_the_article() -> None:
    assert {
        "mine": Configuration(19, 6, 100, 20, 100),
        "better-async": Configuration(19, 6, 100, 40, 400),
        "better-sync": Configuration(19, 6, 19, 10, 19),
        "original": Configuration(19, 6, 4, 0, 100, per_worker=True),
    } == CONFIGURATIONS


def test_the_arithmetic_of_a_bound_is_shown() -> None:
    original = CONFIGURATIONS["original"]
    assert MINE.bound_words(True) == "min(19 workers, 100 sessions, 100 clients) / 20 ms = 950/s"
    assert MINE.bound_words(False) == "min(100 sessions, 100 clients) / 20 ms = 5,000/s"
    assert MINE.bound_words(False, is_pooled=False) == "min(100 clients) / 20 ms = 5,000/s"
    assert (original.bound_words(False), original.bound_per_s(True)) == ("no delay, no bound", None)


def test_workers_that_fit_the_articles_machine_are_the_articles() -> None:
    assert fitted(6) == MINE
    assert fitted(2) == Configuration(7, 2, 100, 20, 100)


@pytest.mark.parametrize("wrong", [(0, 6, 100, 20, 100), (19, 6, 0, 20, 100), (19, 6, 100, -1, 100)])
def test_knobs_that_make_no_sense_are_refused(wrong: tuple[int, int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        Configuration(*wrong)


# -- what is written -----------------------------------------------------------------------------------


def test_nginx_passes_everything_on_to_one_port() -> None:
    text = nginx_config(Path("/place"), 8000, 9000, "nobody nogroup")
    assert text.startswith("user nobody nogroup;")
    assert "listen 127.0.0.1:8000" in text and "proxy_pass http://127.0.0.1:9000;" in text
    assert "user" not in nginx_config(Path("/place"), 8000, 9000).split("worker_processes")[0]


def test_pgbouncer_keeps_the_given_number_of_sessions() -> None:
    address = {"host": "127.0.0.1", "port": "5432", "password": "it's", "dbname": "films"}
    lines = pgbouncer_config(6000, address, 19, "postgres").splitlines()
    target = next(line for line in lines if line.startswith("pairs = "))
    assert "pool_size=19" in target and "password='it''s'" in target and "dbname='films'" in target
    assert {"pool_mode = session", "listen_port = 6000", "user = postgres"} <= {*lines}
    without = pgbouncer_config(6000, address, 19)
    assert not any(line.startswith("user") for line in without.splitlines())


def test_reserved_port_is_below_ephemeral_ones_and_given_once() -> None:
    """This many drawn from 12,000 without looking would hardly ever differ."""
    ports = [port_to_keep() for _ in range(500)]
    assert all(20_000 <= port < 32_000 for port in ports)
    assert len({*ports}) == len(ports)


def test_programs_are_found_where_servers_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find("no-such-program-anywhere") is None
    monkeypatch.setenv("PATH", "/bin:/usr/bin")
    there = [name for name in ("nginx", "pgbouncer") if Path("/usr/sbin", name).exists()]
    assert [find(name) for name in there] == [f"/usr/sbin/{name}" for name in there]


# -- the pairs -----------------------------------------------------------------------------------------


def test_the_pairs_wait_as_those_of_the_article() -> None:
    table = load_article("twenty-one-pairs").table("results")
    kinds = {
        Model.PROCESSES: "Sync",
        Model.GREENLETS: "Async / Greenlet",
        Model.COROUTINES: "Async / Coroutine",
    }
    assert len(PAIRS) == 21
    for pair in PAIRS.values():
        assert kinds[pair.program.model] == table.row(pair.row)[2], pair.name


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_can_be_asked_for(name: str) -> None:
    pair = PAIRS[name]
    app = APPS / pair.app
    assert app.is_file()
    assert f"{app.stem}:app" in pair.program.arguments(app, 8000, workers=6)


def test_workers_that_are_forked_have_the_app_imported_before() -> None:
    for name, word, is_there in (
        ("flask-gunicorn", "--preload", True),
        ("bottle-meinheld", "--preload", True),
        ("falcon-uwsgi", "--lazy-apps", False),
    ):
        pair = PAIRS[name]
        assert (word in pair.program.arguments(APPS / pair.app, workers=19)) is is_there


def test_every_greenlet_pair_has_a_driver_that_yields() -> None:
    waits = {pair.name: pair.greenlets for pair in PAIRS.values()}
    assert {name for name, what in waits.items() if what} == {
        name for name, pair in PAIRS.items() if pair.program.model is Model.GREENLETS
    }


def test_all_apps_answer_the_same_words() -> None:
    """What differs between two of them is the framework, not what is asked of it."""
    files = sorted(APPS.glob("app_*.py"))
    assert {file.name for file in files} == {pair.app for pair in PAIRS.values()}
    for file in files:
        names = [
            node.attr if isinstance(node, ast.Attribute) else node.id
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute | ast.Name)
        ]
        assert {"app", "row_by_key", "dumps"} <= {*names}, file.name
        assert 'json.dumps({"a": f"{number:010}", "b": text})' in file.read_text(encoding="utf-8"), file.name


# -- a contestant of it ----------------------------------------------------------------------------------


@dataclass
class Recorder:
    """Stands for a stack and for what is started in it."""

    limits: list[int] = field(default_factory=list)
    knobs: list[Mapping[str, object]] = field(default_factory=list)
    fails: bool = False
    connected: float = 3.0
    port: int = 8000
    server_port: int = 9000
    proxy: object = "nginx"
    pooler: object = "pgbouncer"
    name: str = "pair"
    processors: frozenset[int] = frozenset()

    def limit_sessions(self, sessions: int) -> None:
        if self.fails:
            raise ServiceError("pgbouncer was ended by SIGKILL.")
        self.limits.append(sessions)

    def sessions(self) -> float:
        return self.connected

    def start(self, knobs: Mapping[str, object]) -> Any:
        self.knobs.append(knobs)
        started = SimpleNamespace(command="serve PORT", pids=lambda: (1, 2, 3), died=str)
        started.stand_behind = lambda port, died: vars(started).update(port=port, died=died)
        return started

    def died(self) -> str:
        return "nginx was ended by SIGKILL"


@pytest.mark.parametrize(("is_sync", "workers", "sessions"), [(True, 19, 76), (False, 6, 24)])
def test_a_contestant_gets_the_knobs_of_its_kind(is_sync: bool, workers: int, sessions: int) -> None:
    stack = Recorder()
    stacked = Stacked(cast(Stack, stack), cast(ServedApp, stack), is_sync)
    started = stacked.start(CONFIGURATIONS["original"].knobs)
    assert stack.limits == [sessions]
    assert stack.knobs == [{"workers": workers, "delay_ms": 0}]
    assert started.port == 8000, "what is loaded is nginx"
    assert started.died() == "nginx was ended by SIGKILL"


def test_a_stack_that_is_gone_is_a_contestant_that_did_not_start() -> None:
    stack = Recorder(fails=True)
    with pytest.raises(NotStarted, match="SIGKILL"):
        Stacked(cast(Stack, stack), cast(ServedApp, stack), True).start(MINE.knobs)
    assert stack.knobs == []


def test_a_contender_listens_where_nginx_looks_for_it() -> None:
    stack = Recorder()
    for pair in PAIRS.values():
        made = contender_of(cast(Stack, stack), pair, APPS, rounds=3)
        assert made.rounds == 3 and made.arm.name == pair.name
        assert isinstance(made.served, Stacked)
        assert made.served.served.free_port() == 9000
        assert made.knobs == ({"greenlets": pair.greenlets} if pair.greenlets else {})


def row(number: int) -> dict[str, str]:
    return {"a": f"{number:010}", "b": hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()}


@given(st.integers(1, 100_000))
def test_a_row_is_known_by_its_digest(number: int) -> None:
    right = row(number)
    assert is_row(json.dumps(right).encode())
    assert not is_row(json.dumps({**right, "a": str(number)}).encode())
    assert not is_row(json.dumps({**right, "b": right["b"][::-1] + "x"}).encode())


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"a": null, "b": ""}', b"null", json.dumps(row(100_001)).encode()]
)
def test_what_is_no_row_is_none(body: bytes) -> None:
    assert not is_row(body)


def checks_of(stack: Recorder, configuration: Configuration) -> dict[str, Check]:
    return {check.what: check for check in condition_of(cast(Stack, stack), "x", "x", configuration).checks}


def scene(model: Model, workers: int) -> Scene:
    started: Any = SimpleNamespace(command="serve PORT", workers=lambda: tuple(range(workers)))
    return Scene(Arm("a", "a", model), Setting("x", "x", Loop.CLOSED, (), clients=1), started)


@pytest.mark.parametrize(
    ("model", "connected", "held"),
    [
        (Model.PROCESSES, 19, True),
        (Model.PROCESSES, 20, False),
        (Model.COROUTINES, 100, True),
        (Model.COROUTINES, 101, False),
        (Model.COROUTINES, 0, False),
    ],
)
def test_sessions_are_verified_against_their_limit(model: Model, connected: float, held: bool) -> None:
    check = checks_of(Recorder(connected=connected), MINE)["sessions with PostgreSQL"]
    assert check.look(scene(model, 7)).held is held


@pytest.mark.parametrize(("model", "asked"), [(Model.PROCESSES, 19), (Model.COROUTINES, 6)])
def test_workers_are_verified_one_by_one(model: Model, asked: int) -> None:
    check = checks_of(Recorder(), MINE)["workers"]
    assert check.always
    held = [check.look(scene(model, workers)).held for workers in (asked - 1, asked, asked + 1)]
    assert held == [False, True, False]
