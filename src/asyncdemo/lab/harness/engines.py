"""Our load client as an engine of the lab: a plan goes in, what a trial keeps comes out.

Not for: other load programs (``cross_checks``), or the client itself (``asyncdemo.load``).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol, Self

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.results.flags import RULES, FlagKind
from asyncdemo.lab.results.trial import Histograms, Load
from asyncdemo.load import Client, Plan, Result
from asyncdemo.packages import version_of

_BEYOND: Final = RULES[FlagKind.FEW_SAMPLES].limit or 0.0
"""Answers that must lie beyond a percentile for it to be quoted."""
OURS: Final = "asyncdemo.load"
_PERCENTS: Final = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99)
_MS: Final = 1e6
"""Nanoseconds."""
_READY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Measured:
    """p99_ms: with however few samples, for a search; what is quoted stands in the load."""

    load: Load
    histograms: Histograms | None = None
    p99_ms: float | None = None


class Sending(Protocol):
    """A load that is ready to begin, or under way."""

    @property
    def pids(self) -> tuple[int, ...]: ...
    def go(self) -> None: ...
    def finished(self, within_s: float) -> bool:
        """Waits at most so long. Its processes can still be asked for their CPU time."""

    def measured(self) -> Measured:
        """Once it is finished. Raises AsyncdemoError if nothing came of it."""


class Engine(Protocol):
    @property
    def name(self) -> str: ...
    def prepared(self, plan: Plan) -> AbstractContextManager[Sending]:
        """Nothing is sent yet, and what takes time before is over."""


@dataclass(frozen=True, slots=True)
class ClientEngine:
    """Our own client, or a program that speaks as it does."""

    name: str = OURS
    program: tuple[str, ...] = ("asyncdemo.load",)

    def prepared(self, plan: Plan) -> AbstractContextManager[Sending]:
        return _ClientSending(plan, self.program)


PYTHON_CLIENTS: Final = tuple(
    ClientEngine(name, ("asyncdemo.lab.harness.python_client", name)) for name in ("aiohttp", "httpx")
)
"""At its limit a client measures itself, and these have theirs where many servers do not: the same two
servers change their order. The rig shows that; no experiment has them."""


def found_python_clients() -> tuple[Engine, ...]:
    """Those whose package is installed."""
    return tuple(client for client in PYTHON_CLIENTS if version_of(client.name))


class _ClientSending:
    def __init__(self, plan: Plan, program: tuple[str, ...]) -> None:
        self._plan = plan
        self._client = Client(plan, hold=True, program=program)

    def __enter__(self) -> Self:
        deadline_s = time.monotonic() + _READY_S
        while not (self._client.ready or self._client.finished) and time.monotonic() < deadline_s:
            self._client.read(0.1)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._client.close()

    @property
    def pids(self) -> tuple[int, ...]:
        return (self._client.pid,)

    def go(self) -> None:
        self._client.go()

    def finished(self, within_s: float) -> bool:
        if not self._client.finished:
            self._client.read(within_s)
        return self._client.finished

    def measured(self) -> Measured:
        result = self._client.result
        if result is None:
            raise AsyncdemoError(self._client.failure or "the load client gave no result")
        return Measured(
            _load(self._plan, result),
            Histograms(result.histogram.encoded, result.connects.encoded, result.late_ns.encoded),
            result.histogram.percentile_ns(99) / _MS if result.answered else None,
        )


def latencies_ms(count: int, mean: float, least: float, percents: Mapping[float, float]) -> dict[str, float]:
    """As ``trial.Load`` has them, all in milliseconds: what has too few answers beyond it is left out.

    percents: with the greatest as 100, which needs no more than itself; so does the least, as "0".
    """
    if not count:
        return {}
    quoted = {
        f"{percent:g}": value
        for percent, value in percents.items()
        if percent == 100 or count * (100 - percent) / 100 >= _BEYOND
    }
    return {"mean": mean, "0": least, **quoted}


def _load(plan: Plan, result: Result) -> Load:
    in_window = plan.duration_s is not None and result.window_s > 0
    per_s = result.answered_in_window / result.window_s if in_window else result.requests_per_s
    histogram = result.histogram
    latencies = {at: ns / _MS for at, ns in histogram.percentiles_ns((*_PERCENTS, 100.0)).items()}
    return Load(
        requests=result.requests,
        answered=result.answered,
        wall_s=result.wall_s,
        window_s=result.window_s,
        answered_in_window=result.answered_in_window,
        throughput_per_s=per_s,
        statuses={str(status): count for status, count in result.statuses.items()},
        errors=dict(result.errors),
        first_errors=dict(result.first_errors),
        latency_ms=latencies_ms(
            result.answered, histogram.mean_ns / _MS, histogram.least_ns / _MS, latencies
        ),
        connections=result.connections,
        open_at_once=result.open_at_once,
        retried=result.retried,
        client_cpu_s=result.cpu_s,
        client_busy=_share(result.window_cpu_s, result.window_s)
        if in_window
        else _share(result.cpu_s, result.wall_s),
        client_waited=_share(result.window_waited_s, result.window_s) if in_window else None,
        lag_p99_ms=result.late_ns.percentile_ns(99) / _MS if plan.rate is not None else None,
        engine=result.engine,
    )


def _share(part_s: float | None, wall_s: float) -> float | None:
    return None if part_s is None or wall_s <= 0 else part_s / wall_s
