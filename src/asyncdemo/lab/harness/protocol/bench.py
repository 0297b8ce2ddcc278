"""One load on one running contestant: planned, sent, watched.

Not here: starting contestants, or what the figures are used for (see ``attempts``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from asyncdemo.errors import AsyncdemoError, MissingError
from asyncdemo.lab.harness import Startable, Started
from asyncdemo.lab.harness.cross_checks import found_engines
from asyncdemo.lab.harness.engines import ClientEngine, Engine, Measured, Sending
from asyncdemo.lab.harness.machine import Pinning, choose_pinning
from asyncdemo.lab.harness.protocol.description import Condition, Count, Scene
from asyncdemo.lab.harness.served_app import served_script
from asyncdemo.lab.harness.watching import Watch
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.flags import Flag, refuses
from asyncdemo.lab.results.setup import Setting
from asyncdemo.lab.results.trial import Load, Server, System, TrialOutcome
from asyncdemo.load import Plan
from asyncdemo.load.arrivals import arrivals_ns
from asyncdemo.serving.ports import HOST

_LOOK_S: Final = 0.1
_COUNT_S: Final = 0.25
_INTO_S: Final = 0.3
"""How long after its start a load counts as under way, for ``meanwhile``."""
_TIMEOUT_S: Final = 30.0
_NULL: Final = served_script("null", Path(__file__).parents[1] / "null_server.py")


class Interrupted(Exception):
    """The run was asked to end."""


class Failed(AsyncdemoError):
    """The contestant or its load failed; the rest of the run goes on."""

    def __init__(self, outcome: TrialOutcome, problem: str) -> None:
        super().__init__(problem)
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Window:
    measured: Measured
    server: Server | None
    system: System | None
    counted: Mapping[str, float]

    def flags(self, setting: Setting, offered_per_s: float | None = None) -> tuple[Flag, ...]:
        """Return the flags that its figures raise. ``offered_per_s`` is for an open loop."""
        load, p99_ms = self.measured.load, self.measured.p99_ms
        return validity_checks.of_trial(load, self.system, setting, offered_per_s, p99_ms)

    def doubts(self, setting: Setting) -> tuple[Flag, ...]:
        """Return the flags that invalidate its figures, in a closed loop."""
        return tuple(flag for flag in self.flags(setting) if refuses([flag]))


def _utc_now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _engines() -> dict[str, Engine]:
    return {engine.name: engine for engine in (ClientEngine(), *found_engines())}


@dataclass(frozen=True, slots=True)
class Bench:
    """What measurements are made with; tests replace parts of it."""

    engines: Mapping[str, Engine] = field(default_factory=_engines)
    pinning: Pinning = field(default_factory=choose_pinning)
    null: Startable = _NULL
    """The server that the client is calibrated against."""
    own_pids: Callable[[], Collection[int]] = tuple
    interrupted: Callable[[], bool] = bool
    """Whether the run should end: called ten times a second."""
    watch: Callable[[Callable[[], Iterable[int]], Callable[[], Iterable[int]]], Watch] = Watch
    now: Callable[[], str] = _utc_now
    clock: Callable[[], float] = time.monotonic

    def check_interrupted(self) -> None:
        """Raises Interrupted."""
        if self.interrupted():
            raise Interrupted

    def engine(self, tool: str) -> Engine:
        """Raises MissingError if the load program is not installed."""
        if tool not in self.engines:
            raise MissingError(
                f"The setting asks for {tool}, which is not on PATH; install it or leave it out."
            )
        return self.engines[tool]

    def plan(
        self,
        condition: Condition,
        setting: Setting,
        port: int,
        rate_per_s: float | None = None,
        seed: int = 0,
    ) -> Plan:
        """``setting`` has its final duration. ``rate_per_s``: for an open loop whose setting has no rate."""
        rate = setting.rate_per_s if rate_per_s is None else rate_per_s
        return Plan(
            host=HOST,
            port=port,
            sends=condition.sends,
            requests=setting.requests,
            duration_s=setting.duration_s,
            clients=setting.clients if rate is None else None,
            rate=rate,
            arrivals=setting.arrivals or "uniform",
            seed=seed,
            timeout_s=setting.timeout_s or _TIMEOUT_S,
            keep_alive=setting.keep_alive,
            traces=False,
            cpus=self.pinning.client,
        )

    def window(
        self,
        tool: str,
        plan: Plan,
        scene: Scene,
        counts: Iterable[Count] = (),
        meanwhile: Callable[[], None] | None = None,
    ) -> Window:
        """Send the whole load; call ``meanwhile`` once, when it is under way. Raises Failed, Interrupted."""
        self.check_interrupted()
        started, counts = scene.started, tuple(counts)
        most: dict[str, float] = {}
        with self.engine(tool).prepared(plan) as sending:
            watch = self.watch(started.pids, lambda: (*sending.pids, *self.own_pids()))
            watch.begin()
            sending.go()
            begun_s = next_s = self.clock()
            while not sending.finished(_LOOK_S):
                self.check_interrupted()
                watch.sample()
                _check_lives(started)
                now_s = self.clock()
                if now_s >= next_s:
                    next_s = now_s + _COUNT_S
                    _count(counts, scene, most)
                if meanwhile is not None and now_s - begun_s >= _INTO_S:
                    meanwhile()
                    meanwhile = None
            server, system = watch.end()
            measured = _measured(sending, started)
        if meanwhile is not None:  # the load was too short
            meanwhile()
        _check_answered(measured.load)
        after = Scene(scene.arm, scene.setting, started, measured.load)
        counted = {**most, **{count.name: count.look(after) for count in counts if not count.most}}
        return Window(measured, server, system, counted)


def offered_per_s(plan: Plan) -> float | None:
    """Return an open loop's rate: for Poisson arrivals as drawn with this seed, not the nominal one."""
    if plan.rate is None or plan.duration_s is None or plan.arrivals == "uniform":
        return plan.rate
    return sum(1 for _ in arrivals_ns(plan)) / plan.duration_s


def _count(counts: Iterable[Count], scene: Scene, most: dict[str, float]) -> None:
    for count in counts:
        if count.most:
            value = count.look(scene)
            most[count.name] = max(value, most.get(count.name, value))


def _measured(sending: Sending, started: Started) -> Measured:
    """If the contestant has died, report that, whatever the load client returned."""
    try:
        measured = sending.measured()
    except AsyncdemoError as error:
        _check_lives(started)
        raise Failed(TrialOutcome.LOAD_FAILED, str(error)) from error
    _check_lives(started)
    return measured


def _check_lives(started: Started) -> None:
    if died := started.died():
        raise Failed(TrialOutcome.DIED, died)


def _check_answered(load: Load) -> None:
    if load.requests and not load.answered:
        told = (f"{kind}: {text}" for kind, text in load.first_errors.items())
        why = "; ".join(told) or ", ".join(load.errors)
        raise Failed(TrialOutcome.HUNG, f"none of {load.requests:,} requests was answered ({why})")
