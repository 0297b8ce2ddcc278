"""The rig's thread: what is wanted is measured, and what is not wanted any more is given up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from asyncdemo.errors import MissingError
from asyncdemo.lab.harness.protocol.bench import Interrupted
from asyncdemo.lab.results.rigging import OURS, PRESETS, Outcome, Rigging, with_settings
from asyncdemo.lab.rig import session as module
from asyncdemo.lab.rig.session import Session
from tests.support.servers import eventually

FIRST = Rigging(PRESETS["1"].configuration)
SECOND = with_settings(FIRST, ["workers=4"], [OURS])


class Measures:
    """Takes no time, or as long as ``hold`` is there."""

    def __init__(self) -> None:
        self.hold = threading.Event()
        self.seen: list[Rigging] = []
        self.closed = False
        self.missing = {"nginx": "The load goes to the server itself."}

    def measure(
        self,
        rigging: Rigging,
        say: Callable[[str], None],
        tell: Callable[[Outcome], None],
        interrupted: Callable[[], bool],
    ) -> Outcome:
        self.seen.append(rigging)
        say("round 1 of 2")
        tell(Outcome(rigging, 2, {"sync": 1.0}, done=1))
        while self.hold.is_set():
            if interrupted():
                raise Interrupted
            time.sleep(0.001)
        return Outcome(rigging, 2, {"sync": 1.0}, done=2)

    @contextmanager
    def opened(self, say: Callable[[str], None]) -> Iterator[Any]:
        say("starting PostgreSQL")
        yield self
        self.closed = True


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUIET_S", 0.01)


def until(met: Callable[[], bool]) -> None:
    assert eventually(met)


def test_what_is_wanted_is_measured_and_kept_even_again() -> None:
    measures = Measures()
    with Session(measures.opened, FIRST) as session:
        for number, wanted in enumerate((FIRST, SECOND, SECOND)):
            if number:
                session.want(wanted)
            until(lambda number=number: len(session.state.tried) == number + 1)  # type: ignore[misc]
        assert [outcome.rigging for outcome in session.state.tried] == [FIRST, SECOND, SECOND]
        until(lambda: not session.state.doing)
        assert session.state.now == session.state.tried[-1]
        assert session.state.missing == measures.missing
    assert measures.closed
    assert session.is_over


def test_a_changed_knob_cancels_the_measurement() -> None:
    measures = Measures()
    measures.hold.set()
    with Session(measures.opened, FIRST) as session:
        until(lambda: session.state.now is not None)
        assert session.state.doing == "round 1 of 2"
        session.want(SECOND)
        assert session.state.now is None
        until(lambda: measures.seen == [FIRST, SECOND])
        measures.hold.clear()
        until(lambda: bool(session.state.tried))
        assert [outcome.rigging for outcome in session.state.tried] == [SECOND]


def test_on_the_way_to_a_value_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUIET_S", 0.2)
    measures = Measures()
    with Session(measures.opened, FIRST) as session:
        for rigging in (SECOND, FIRST, SECOND):
            session.want(rigging)
        until(lambda: bool(session.state.tried))
    assert measures.seen == [SECOND]


def test_stopped_it_measures_nothing_until_something_is_wanted_and_the_end_gives_that_up() -> None:
    measures = Measures()
    measures.hold.set()
    with Session(measures.opened, FIRST) as session:
        until(lambda: session.state.now is not None)
        assert session.stop()
        until(lambda: not session.state.doing)
        assert (session.state.now, session.state.tried) == (None, ())
        assert not session.stop()
        session.want(SECOND)
        until(lambda: session.state.now is not None)
        session.end()
        until(lambda: session.is_over)
    assert measures.closed
    assert (measures.seen, session.state.tried) == ([FIRST, SECOND], ())


def test_what_is_missing_is_told_and_ends_it() -> None:
    @contextmanager
    def opened(say: Callable[[str], None]) -> Iterator[Any]:
        say("starting PostgreSQL")
        if not Measures().closed:
            raise MissingError("There is no PostgreSQL here.")
        yield Measures()

    with Session(opened, FIRST) as session:
        until(lambda: session.is_over)
    assert session.state.trouble == "There is no PostgreSQL here."
    assert session.state.doing == ""
