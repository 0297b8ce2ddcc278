"""A contestant on the bench: started, looked at, warmed up, loaded and watched."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness import Startable, Started
from asyncdemo.lab.harness.engines import OURS, Engine, Measured, OurClient
from asyncdemo.lab.harness.machine import Pinning, choose_pinning
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Scene, Seen, Size, When
from asyncdemo.lab.harness.served_app import served_script
from asyncdemo.lab.harness.watching import Watch
from asyncdemo.lab.harness.wrk import Wrk, is_installed
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.flags import Flag, refuses
from asyncdemo.lab.results.setup import Arm, Loop, Setting, Verification
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
_NEAR: Final = {Loop.CLOSED: 0.05, Loop.OPEN: 0.10}
"""How far apart two windows of warming up may be: in throughput for a closed loop; for an open one, whose
throughput is given, in median latency, which varies more.
"""


class Interrupted(Exception):
    """The run was asked to end."""


class Failed(AsyncdemoError):
    """The contestant or its load failed; the rest of the run continues."""

    def __init__(self, outcome: TrialOutcome, problem: str) -> None:
        super().__init__(problem)
        self.outcome = outcome


def found_engines() -> dict[str, Engine]:
    """Return our client, and wrk if it is installed."""
    return {OurClient.name: OurClient(), **({Wrk.name: Wrk()} if is_installed() else {})}


@dataclass(frozen=True, slots=True)
class Bench:
    """What measurements are made with; tests replace parts of it."""

    engines: Mapping[str, Engine] = field(default_factory=found_engines)
    pinning: Pinning = field(default_factory=choose_pinning)
    null: Startable = _NULL
    """The server that the client is calibrated against."""
    own_pids: Callable[[], Collection[int]] = tuple
    interrupted: Callable[[], bool] = bool
    """Whether the run should end: called ten times a second."""
    watch: Callable[[Callable[[], Iterable[int]], Callable[[], Iterable[int]]], Watch] = Watch

    def check_interrupted(self) -> None:
        """Raises Interrupted."""
        if self.interrupted():
            raise Interrupted

    @contextmanager
    def started(
        self, contestant: Contestant, condition: Condition, setting: Setting
    ) -> Iterator[RunningContestant]:
        """``setting`` has its final duration, and rate if it has one. The contestant is stopped at the end.

        Raises NotStarted, Unavailable, PortKept.
        """
        with self.pinning.of_server():
            running = contestant.served.start({**condition.knobs, **contestant.knobs})
        with running as started:
            yield RunningContestant(self, contestant.arm, condition, setting, started)


@dataclass(frozen=True, slots=True)
class Window:
    """What was seen in a window. ``offered_per_s`` is the rate of an open loop."""

    setting: Setting
    offered_per_s: float | None
    measured: Measured
    server: Server | None
    system: System | None
    counted: Mapping[str, float]

    @property
    def load(self) -> Load:
        return self.measured.load

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The flags that its figures raise."""
        return validity_checks.of_trial(
            self.load, self.system, self.setting, self.offered_per_s, self.measured.p99_ms
        )

    @property
    def doubts(self) -> tuple[Flag, ...]:
        """The flags that invalidate its figures."""
        return tuple(flag for flag in self.flags if refuses([flag]))


@dataclass(frozen=True, slots=True)
class RunningContestant:
    """A contestant that runs, under one setting."""

    bench: Bench
    arm: Arm
    condition: Condition
    setting: Setting
    started: Started

    def look(
        self, when: When = When.READY, load: Load | None = None, *, repeated: bool = False
    ) -> list[Verification]:
        """Make the checks of this moment, or of these only the ``repeated`` ones, which each trial makes.

        An exception counts as something seen.
        """
        scene = Scene(self.arm, self.setting, self.started, load)
        found = []
        for check in self.condition.checks_of(self.arm):
            if check.when is not when or (repeated and not check.always):
                continue
            try:
                seen = check.look(scene)
            except Exception as error:  # noqa: BLE001 (the contestant may have caused it)
                seen = Seen(f"{type(error).__name__}: {error}", False)
            arm, setting = self.arm.name, self.setting.name
            found.append(Verification(arm, check.what, check.asked, seen.words, seen.held, setting))
        return found

    def plan(self, rate_per_s: float | None = None, seed: int = 0) -> Plan:
        """``rate_per_s``: for an open loop whose setting has no rate."""
        setting = self.setting
        rate = setting.rate_per_s if rate_per_s is None else rate_per_s
        return Plan(
            host=HOST,
            port=self.started.port,
            sends=self.condition.sends,
            requests=setting.requests,
            duration_s=setting.duration_s,
            clients=setting.clients if rate is None else None,
            rate=rate,
            arrivals=setting.arrivals or "uniform",
            seed=seed,
            timeout_s=setting.timeout_s or _TIMEOUT_S,
            keep_alive=setting.keep_alive,
            traces=False,
            cpus=self.bench.pinning.client,
        )

    def warm_up(self, plan: Plan, size: Size) -> dict[str, float]:
        """Send short windows of the same load until two in a row agree. Return how many, and whether.

        Our own client sends them, whichever measures.
        """
        short = replace(plan, requests=None, duration_s=size.warm_up_s)
        loop = Loop.CLOSED if plan.rate is None else Loop.OPEN
        before, taken, agreed = 0.0, 0, False
        while taken < size.most_warm_ups and not agreed:
            now, taken = _settling(self.window(short, OURS).load, loop), taken + 1
            # two windows without an answer agree on nothing
            agreed = taken > 1 and now > 0 and abs(now - before) <= _NEAR[loop] * max(now, before)
            before = now
        return {"warm_up_windows": float(taken), "warm_up_agreed": float(agreed)}

    def window(
        self,
        plan: Plan,
        tool: str = "",
        meanwhile: Callable[[], object] | None = None,
        counting: bool = False,
    ) -> Window:
        """Send the whole load, by default with the setting's tool; call ``meanwhile`` once it is under way.

        Raises Failed, Interrupted.
        """
        bench, started = self.bench, self.started
        bench.check_interrupted()
        scene = Scene(self.arm, self.setting, started)
        counts = self.condition.counts if counting else ()
        counted: dict[str, float] = {}
        with bench.engines[tool or self.setting.tool].prepared(plan) as sending:
            watch = bench.watch(started.pids, lambda: (*sending.pids, *bench.own_pids()))
            watch.begin()
            sending.go()
            begun_s = next_s = time.monotonic()
            while not sending.finished(_LOOK_S):
                bench.check_interrupted()
                watch.sample()
                self._check_lives()
                if time.monotonic() >= next_s:
                    next_s = time.monotonic() + _COUNT_S
                    for count in counts:
                        if count.most:
                            value = count.look(scene)
                            counted[count.name] = max(value, counted.get(count.name, value))
                if meanwhile is not None and time.monotonic() - begun_s >= _INTO_S:
                    meanwhile()
                    meanwhile = None
            server, system = watch.end()
            try:
                measured = sending.measured()
            except AsyncdemoError as error:
                self._check_lives()  # if the contestant has died, that is why
                raise Failed(TrialOutcome.LOAD_FAILED, str(error)) from error
        self._check_lives()
        if meanwhile is not None:  # the load was too short
            meanwhile()
        load = measured.load
        if load.requests and not load.answered:
            problems = [f"{kind}: {text}" for kind, text in load.first_errors.items()]
            why = "; ".join(problems) or ", ".join(load.errors)
            raise Failed(TrialOutcome.HUNG, f"none of {load.requests:,} requests was answered ({why})")
        after = replace(scene, load=load)
        counted |= {count.name: count.look(after) for count in counts if not count.most}
        return Window(self.setting, _offered_per_s(plan), measured, server, system, counted)

    def _check_lives(self) -> None:
        if died := self.started.died():
            raise Failed(TrialOutcome.DIED, died)


def _settling(load: Load, loop: Loop) -> float:
    """Return the figure of a window that must settle; 0 if nothing was answered.

    A median that is not quoted needs fewer samples, so if there are too few to quote it, use the mean.
    """
    if loop is Loop.CLOSED:
        return load.throughput_per_s
    return load.latency_ms.get("50", load.latency_ms.get("mean", 0.0))


def _offered_per_s(plan: Plan) -> float | None:
    """Return an open loop's rate: for Poisson arrivals as drawn with this seed, not the nominal one."""
    if plan.rate is None or plan.duration_s is None or plan.arrivals == "uniform":
        return plan.rate
    return sum(1 for _ in arrivals_ns(plan)) / plan.duration_s
