"""The rig's servers: kept while they can be, started anew when they must be, all stopped whatever fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness import NotStarted, PortKept
from asyncdemo.lab.harness.protocol.description import Check, Condition, Contestant, Scene, Seen
from asyncdemo.lab.results.rigging import OURS, PRESETS, SIDES, Outcome, Rigging, with_settings
from asyncdemo.lab.rig import testbed
from asyncdemo.lab.rig.testbed import ROUNDS
from asyncdemo.lab.stack.start import Stack
from tests.support.fake_lab import CLOSED, SEND, FakeServer, a_bench, an_arm

PER_WORKER = "4"
"""The configuration that gives each worker sessions of its own."""


@dataclass
class FakeStack:
    """dead: what it says then to whoever wants sessions of it."""

    dead: str = ""
    allowed: list[int] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    proxy: None = None

    def pids(self) -> tuple[int, ...]:
        return ()

    def limit_sessions(self, sessions: int) -> None:
        if self.dead:
            raise ServiceError(self.dead)
        self.allowed.append(sessions)


class Rig:
    """A testbed with made-up servers. right: whether they answer so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **more: dict[str, Any]) -> None:
        self.servers = {side.name: FakeServer(side.name, **more.get(side.name, {})) for side in SIDES}
        self.sync, self.other = (self.servers[side.name] for side in SIDES)
        self.stack = FakeStack()
        self.right = True
        by_pair = {side.pair: self.servers[side.name] for side in SIDES}

        def contestant(_stack: object, pair: Any, _apps: Path) -> Contestant:
            one = by_pair[pair.name]
            return Contestant(an_arm(one.name), one)

        def look(_scene: Scene) -> Seen:
            return Seen("a row" if self.right else "b'goodbye'", self.right)

        def condition(*_: object, **_more: object) -> Condition:
            return Condition(CLOSED, (SEND,), checks=(Check("GET /row", "a row", look, always=True),))

        monkeypatch.setattr(testbed, "contestant", contestant)
        monkeypatch.setattr(testbed, "condition", condition)
        bench, _ = a_bench(*self.servers.values())
        stacks = {side.name: cast(Stack, self.stack) for side in SIDES}
        self.testbed = testbed.Testbed(stacks, Path("apps"), bench)

    def measured(self, *settings: str, preset: str = "1") -> Outcome:
        rigging = with_settings(Rigging(PRESETS[preset].configuration), settings, [OURS])
        return self.testbed.measure(rigging, lambda _: None, lambda _: None, lambda: False)

    @property
    def running(self) -> int:
        return sum(server.running for server in self.servers.values())

    @property
    def starts(self) -> list[int]:
        return [server.starts for server in self.servers.values()]


def test_servers_are_kept_for_the_next_measurement_and_started_anew_for_another_knob_of_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig(monkeypatch)
    outcome = rig.measured()
    assert (outcome.done, outcome.failed) == (ROUNDS, "")
    assert rig.measured("clients=50").done == ROUNDS
    assert rig.starts == [1, 1]
    rig.measured("workers=4")
    assert rig.starts == [2, 1] and rig.running == 2
    rig.testbed.close()
    assert rig.running == 0


NOT_STARTED = NotStarted("no such program.")


@pytest.mark.parametrize(
    ("faults", "right", "failed", "starts"),
    [
        ({"async": {"start_fails": {1: NOT_STARTED}}}, True, "no such program.", [1, 1]),
        ({"async": {"dies": {1}}}, True, "exit code 3", [1, 1]),
        ({}, False, f"{SIDES[0].title}, GET /row: b'goodbye'", [1, 0]),
        (
            {"sync": {"end_fails": {1}}, "async": {"start_fails": {1: NOT_STARTED}}},
            True,
            "no such program. somebody still holds it",
            [1, 1],
        ),
    ],
)
def test_what_fails_is_told_before_who_kept_its_port_all_are_stopped_and_the_next_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
    faults: dict[str, dict[str, Any]],
    right: bool,
    failed: str,
    starts: list[int],
) -> None:
    rig = Rig(monkeypatch, **faults)
    rig.right = right
    outcome = rig.measured()
    assert (outcome.failed, outcome.winner) == (failed, "failed")
    assert rig.starts == starts and rig.running == 0
    rig.right = True
    assert rig.measured().done == ROUNDS


def test_one_that_died_between_two_measurements_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(monkeypatch)
    assert not rig.measured().failed
    rig.sync.dies = {1}
    outcome = rig.measured()
    assert (outcome.done, outcome.failed) == (ROUNDS, "")
    assert rig.starts == [2, 1] and rig.running == 2


def test_a_stack_that_has_died_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(monkeypatch)
    assert not rig.measured(preset=PER_WORKER).failed
    rig.stack.dead = "pgbouncer was ended by SIGKILL."
    assert rig.measured(preset=PER_WORKER).failed == "pgbouncer was ended by SIGKILL."
    assert rig.running == 0


def test_all_are_stopped_though_they_keep_their_ports_and_that_is_told_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig(monkeypatch, **{side.name: {"end_fails": {1}} for side in SIDES})
    rig.measured()
    with pytest.raises(PortKept, match=r"^somebody still holds it somebody still holds it$"):
        rig.testbed.close()
    assert rig.running == 0
    rig.testbed.close()


def test_pgbouncer_is_told_when_the_other_server_has_other_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are warmed up, and then take turns in seven rounds: who was last in one is first in the next."""
    rig = Rig(monkeypatch)
    rig.measured(preset=PER_WORKER)
    assert rig.stack.allowed == [76, 24] * 5
