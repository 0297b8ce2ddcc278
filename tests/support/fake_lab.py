"""Contestants and a load client that are arithmetic: what a test says they do is exactly what is measured."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Self

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness import Knobs, NotStarted, PortKept, Startable, Started, Unavailable
from asyncdemo.lab.harness.engines import OURS, Measured
from asyncdemo.lab.harness.machine import Pinning
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.description import (
    Check,
    Condition,
    Contestant,
    Count,
    Experiment,
    PlannedRow,
    Size,
)
from asyncdemo.lab.results.comparison import Better, Figure
from asyncdemo.lab.results.setup import Arm, Extent, Loop, Model, Setting
from asyncdemo.lab.results.trial import Load, Server, System, TrialOutcome
from asyncdemo.load import Plan, Send

SEND = Send("GET", "/")
CLOSED = Setting("closed", "10 clients", Loop.CLOSED, (), clients=10)
SIZE = Size(rounds=7, window_s=10, warm_up_s=1, most_warm_ups=4)
_PORTS = itertools.count(1000)


@dataclass
class FakeServer:
    """rates: what it serves a second, one window after the other; the last one from then on.

    start_fails, end_fails: raised then, by the number of the start from 1. dies: in these starts.
    load_fails: the load program has no result in these.
    """

    name: str
    rates: list[float] = field(default_factory=lambda: [1000.0])
    start_fails: Mapping[int, NotStarted | Unavailable] = field(default_factory=dict)
    end_fails: Collection[int] = ()
    dies: Collection[int] = ()
    load_fails: Collection[int] = ()
    silent: bool = False
    delay_ms: float = 1.0
    starts: int = 0
    running: int = 0
    knobs: list[dict[str, object]] = field(default_factory=list)
    port: int = field(default_factory=lambda: next(_PORTS))

    def start(self, knobs: Knobs) -> Started:
        self.starts += 1
        self.knobs.append(dict(knobs))
        if self.starts in self.start_fails:
            raise self.start_fails[self.starts]
        self.running += 1
        return FakeStarted(self, self.port, self.starts)

    def rate(self) -> float:
        return self.rates.pop(0) if len(self.rates) > 1 else self.rates[0]


@dataclass
class FakeStarted:
    of: FakeServer
    port: int
    number: int
    command: str = "serve PORT"

    def pids(self) -> tuple[int, ...]:
        return (1_000_000 + self.port,)

    def workers(self) -> tuple[int, ...]:
        return self.pids()

    def died(self) -> str:
        return "exit code 3" if self.number in self.of.dies else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        self.of.running -= 1
        if self.number in self.of.end_fails and error is None:
            raise PortKept("somebody still holds it")


@dataclass
class FakeEngine:
    """Sends to the server at the plan's port. plans: all so far. spoil: changes what was measured."""

    contestants: tuple[FakeServer, ...]
    name: str = OURS
    plans: list[Plan] = field(default_factory=list)
    spoil: Callable[[Load, Plan], Load] = lambda load, _plan: load

    @contextmanager
    def prepared(self, plan: Plan) -> Iterator[FakeSending]:
        self.plans.append(plan)
        (contestant,) = (one for one in self.contestants if one.port == plan.port)
        yield FakeSending(plan, contestant, self.spoil)


@dataclass
class FakeSending:
    plan: Plan
    served: FakeServer
    spoil: Callable[[Load, Plan], Load]
    polls: int = 0
    pids: tuple[int, ...] = (2_000_000,)

    def go(self) -> None: ...

    def finished(self, within_s: float) -> bool:
        """At the second look, so that what is done meanwhile is done. Whom nobody serves is not finished."""
        self.polls += 1
        assert self.polls < 100, "nobody looks whether the contestant lives"
        return self.polls > 1 and self.served.starts not in self.served.dies

    def measured(self) -> Measured:
        plan, capacity = self.plan, self.served.rate()
        if self.served.starts in self.served.load_fails:
            raise AsyncdemoError("wrk ended with exit code 104")
        window_s = plan.duration_s or 1.0
        if self.served.silent:
            lost = Load(
                10, 0, 1.0, 1.0, 0, 0.0, errors={"timeout": 10}, first_errors={"timeout": "no answer"}
            )
            return Measured(lost)
        if plan.clients is not None:
            rate, mean_ms = capacity, plan.clients / capacity * 1000
        else:
            assert plan.rate is not None
            rate = min(plan.rate, capacity)
            # one server that takes requests in order (M/D/1 without its noise): near its limit, long queues
            mean_ms = self.served.delay_ms / max(1 - rate / capacity, 0.001)
        answered = round(rate * window_s)
        load = Load(
            requests=round((plan.rate or rate) * window_s),
            answered=answered,
            wall_s=window_s,
            window_s=window_s,
            answered_in_window=answered,
            throughput_per_s=rate,
            statuses={"200": answered},
            latency_ms={"mean": mean_ms, "50": mean_ms, "99": 3 * mean_ms},
            client_busy=0.2,
            client_waited=0.0,
        )
        return Measured(self.spoil(load, plan), p99_ms=3 * mean_ms)


@dataclass
class FakeWatch:
    server: Callable[[], Iterable[int]]
    own: Callable[[], Iterable[int]]

    def begin(self) -> None: ...

    def sample(self) -> None: ...

    def end(self) -> tuple[Server, System]:
        return Server(1.0, len(tuple(self.server()))), System(foreign_cpu=0.0)


def a_bench(*contestants: FakeServer, **more: object) -> tuple[Bench, FakeEngine]:
    """The null server is one of the contestants, too."""
    null = FakeServer("null", [100_000.0])
    engine = FakeEngine((*contestants, null), **more)  # type: ignore[arg-type]
    bench = Bench(
        engines={engine.name: engine},
        pinning=Pinning(),
        null=null,
        watch=FakeWatch,  # type: ignore[arg-type]
    )
    return bench, engine


def an_arm(name: str, **more: str) -> Arm:
    return replace(Arm(name, name.title(), Model.COROUTINES), **more)  # type: ignore[arg-type]


def a_row(arm: str, base: str, setting: str = "closed", figure: str = "load.throughput_per_s") -> PlannedRow:
    return PlannedRow(f"{arm} / {base}", Figure(figure, "Requests", "/s", Better.MORE), arm, base, setting)


def an_experiment(
    *contestants: Startable,
    conditions: tuple[Condition, ...] = (),
    asked: tuple[PlannedRow, ...] = (),
    checks: tuple[Check, ...] = (),
    counts: tuple[Count, ...] = (),
    size: Size = SIZE,
) -> Experiment:
    """By default: all under ten clients, each compared with the first."""
    first, *others = contestants
    return Experiment(
        name="made-up",
        title="Made up",
        contestants=tuple(Contestant(an_arm(one.name), one) for one in contestants),
        conditions=conditions or (Condition(CLOSED, (SEND,), checks=checks, counts=counts),),
        rows=asked or tuple(a_row(one.name, first.name) for one in others),
        sizes={Extent.DEFAULT: size},
    )


def hung(words: str = "it hangs") -> NotStarted:
    return NotStarted(words, TrialOutcome.HUNG)
