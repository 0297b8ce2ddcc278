"""The rig: knobs are inputs, the bound follows immediately, measuring goes on meanwhile."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Label, Select

from asyncdemo.course.workspace.context import locate
from asyncdemo.errors import MissingError
from asyncdemo.lab.harness.protocol.bench import Interrupted
from asyncdemo.lab.results.rigging import OURS, PRESETS, Machine, Outcome, Rigging
from asyncdemo.lab.rig import session as session_module
from asyncdemo.lab.rig.session import Session
from asyncdemo.tui.app import Application
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.rig import RigScreen
from tests.tui.learner import until

pytestmark = pytest.mark.anyio
SIZES = [(80, 24), (160, 48)]
MINE = Rigging(PRESETS["1"].configuration)
CLIENTS = (OURS, "wrk", "httpx")


class Measures:
    """Tells one round, and goes on until it is interrupted or ``free``."""

    missing: Mapping[str, str] = {}

    def __init__(self) -> None:
        self.seen: list[Rigging] = []
        self.free = False

    def measure(
        self,
        rigging: Rigging,
        say: Callable[[str], None],
        tell: Callable[[Outcome], None],
        interrupted: Callable[[], bool],
    ) -> Outcome:
        self.seen.append(rigging)
        say("round 1 of 2: sync")
        outcome = Outcome(rigging, 2, {"sync": 475.0}, done=1, cpu_ms={"sync": 1.0, "async": 1.0})
        tell(outcome)
        while not self.free:
            if interrupted():
                raise Interrupted
            time.sleep(0.001)
        return outcome

    @contextmanager
    def opened(self, say: Callable[[str], None]) -> Iterator[Any]:
        say("starting PostgreSQL")
        yield self


@pytest.fixture
def measures(monkeypatch: pytest.MonkeyPatch) -> Measures:
    monkeypatch.setattr(session_module, "_QUIET_S", 0.01)
    return Measures()


@asynccontextmanager
async def rig(
    measures: Measures,
    *,
    size: tuple[int, int] = (80, 24),
    machine: Machine = Machine(2),  # noqa: B008  (it is frozen)
    clients: tuple[str, ...] = CLIENTS,
) -> AsyncIterator[tuple[Pilot[int], RigScreen]]:
    with Session(measures.opened, MINE) as session:
        screen = RigScreen(session, MINE, machine, clients)
        async with Application(locate(None), lambda: screen).run_test(size=size) as pilot:
            await pilot.pause()
            yield pilot, screen


def shown(screen: RigScreen) -> str:
    drawing = screen.query_one("#figures", Drawing)
    return "\n".join(drawing.render_line(y).text.rstrip() for y in range(drawing.size.height))


def note(screen: RigScreen, knob: str) -> str:
    return str(screen.query_one(f"#note-{knob}", Label).render())


@pytest.mark.parametrize("size", SIZES)
async def test_the_bound_follows_what_is_typed_and_the_measurement_begins_anew(
    size: tuple[int, int], measures: Measures
) -> None:
    async with rig(measures, size=size) as (pilot, screen):
        await until(pilot, lambda: "round 1 of 2" in shown(screen))
        assert "950/s: workers bind" in shown(screen)
        await pilot.press("backspace", "backspace", "4")
        await until(pilot, lambda: len(measures.seen) > 1)
        assert "200/s: workers bind" in shown(screen)
        assert measures.seen[-1].configuration.workers_sync == 4


async def test_what_is_no_value_of_the_knob_is_told_and_not_measured(measures: Measures) -> None:
    async with rig(measures) as (pilot, screen):
        await pilot.press("9", "9")
        await pilot.pause(0.1)
        assert screen.query_one("#note-workers", Label).has_class("wrong")
        assert "9 workers" in shown(screen)
        assert not any(rigging.configuration.workers_sync == 99 for rigging in measures.seen)


async def test_plus_and_minus_lead_to_the_next_value_and_arrows_to_the_next_knob(measures: Measures) -> None:
    async with rig(measures) as (pilot, screen):
        await pilot.press("down", "down", "down", "plus", "plus", "minus")
        await pilot.pause()
        assert screen.query_one("#delay", Input).value == "40"
        client = screen.query_one("#client", Select).focus()
        await pilot.press("plus")
        await pilot.pause()
        assert client.value == "wrk"
        client.value = "httpx"
        await until(pilot, lambda: measures.seen[-1].client == "httpx")
        assert "can mislead" in note(screen, "client")


async def test_a_preset_fills_all_knobs(measures: Measures) -> None:
    async with rig(measures) as (pilot, screen):
        await pilot.press("c")
        await pilot.pause()
        values = [knob.value for knob in screen.query(Input)]
        assert values == ["19", "6", "19", "10", "19"]
        assert "better sync: 1.13" in shown(screen)
        await pilot.press("d")
        await pilot.pause()
        assert note(screen, "sessions").startswith("for each worker")


async def test_a_knob_without_effect_is_disabled_and_says_why(measures: Measures) -> None:
    async with rig(measures, machine=Machine(2, is_pooled=False), clients=(OURS,)) as (_, screen):
        assert screen.query_one("#sessions", Input).disabled
        assert "pgbouncer" in note(screen, "sessions")
        assert screen.query_one("#client", Select).disabled
        assert "no other load client" in note(screen, "client")


async def test_processors_belong_to_the_bound_once_it_is_known_what_a_request_costs(
    measures: Measures,
) -> None:
    async with rig(measures) as (pilot, screen):
        await until(pilot, lambda: "async  2,000/s: processors bind" in shown(screen))


async def test_ctrl_c_ends_what_is_measured_and_space_measures_again(measures: Measures) -> None:
    async with rig(measures) as (pilot, screen):
        await until(pilot, lambda: "round 1 of 2" in shown(screen))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "to measure, press Space" in shown(screen))
        assert pilot.app.return_value is None
        measures.free = True
        await pilot.press("space")
        await until(pilot, lambda: len(measures.seen) == 2)
        await until(pilot, lambda: "winner" in shown(screen))


async def test_why_nothing_can_be_measured_is_on_the_screen(measures: Measures) -> None:
    @contextmanager
    def missing(say: Callable[[str], None]) -> Iterator[Any]:
        say("starting PostgreSQL")
        if not measures.free:
            raise MissingError("There is no PostgreSQL here.")
        yield measures

    measures.opened = missing  # type: ignore[method-assign]

    async with rig(measures) as (pilot, screen):
        await until(pilot, lambda: "There is no PostgreSQL here." in shown(screen))
