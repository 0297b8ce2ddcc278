"""Our load client as an engine of the lab: it takes a plan and returns what a trial keeps."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.results.flags import RULES, FlagKind
from asyncdemo.lab.results.trial import Histograms, Load
from asyncdemo.load import Client, Plan, Result

_BEYOND: Final = RULES[FlagKind.FEW_SAMPLES].limit
"""A percentile is quoted only if this many answers lie beyond it."""
OURS: Final = "asyncdemo.load"
_PERCENTS: Final = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99)
_MS: Final = 1e6
"""Nanoseconds."""
_READY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Measured:
    """``p99_ms`` is for a search, however few the samples; the percentiles to quote are in ``load``."""

    load: Load
    histograms: Histograms | None = None
    p99_ms: float | None = None


class Sending(Protocol):
    """A load that is ready to start, or has started."""

    @property
    def pids(self) -> tuple[int, ...]: ...
    def go(self) -> None: ...
    def finished(self, within_s: float) -> bool:
        """Wait at most this long. Afterwards the CPU time of its processes can still be read."""

    def measured(self) -> Measured:
        """Return the results, once finished. Raises AsyncdemoError if there are none."""


class Engine(Protocol):
    @property
    def name(self) -> str: ...
    def prepared(self, plan: Plan) -> AbstractContextManager[Sending]:
        """Do everything that takes time, but send nothing yet."""


class OurClient:
    """An ``Engine``: ``asyncdemo.load`` in its own process."""

    name: Final = OURS

    @contextmanager
    def prepared(self, plan: Plan) -> Iterator[Sending]:
        with Client(plan, hold=True) as client:
            deadline_s = time.monotonic() + _READY_S
            while not (client.ready or client.finished) and time.monotonic() < deadline_s:
                client.read(0.1)
            yield _ClientSending(plan, client)


class _ClientSending:
    def __init__(self, plan: Plan, client: Client) -> None:
        self._plan, self._client = plan, client
        self.pids = (client.pid,)
        self.go = client.go

    def finished(self, within_s: float) -> bool:
        if not self._client.finished:
            self._client.read(within_s)
        return self._client.finished

    def measured(self) -> Measured:
        if (result := self._client.result) is None:
            raise AsyncdemoError(self._client.failure or "the load client gave no result")
        return Measured(
            _load(self._plan, result),
            Histograms(result.histogram.encoded, result.connects.encoded, result.late_ns.encoded),
            result.histogram.percentile_ns(99) / _MS if result.answered else None,
        )


def latencies_ms(count: int, mean: float, least: float, percents: Mapping[float, float]) -> dict[str, float]:
    """Return ``trial.Load.latency_ms``, leaving out percentiles with too few answers beyond them.

    ``percents`` includes the maximum as 100, which needs only itself; so does the minimum, "0". All in ms.
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
    histogram = result.histogram
    latencies = {at: ns / _MS for at, ns in histogram.percentiles_ns((*_PERCENTS, 100.0)).items()}
    return Load(
        requests=result.requests,
        answered=result.answered,
        wall_s=result.wall_s,
        window_s=result.window_s,
        answered_in_window=result.answered_in_window,
        throughput_per_s=result.answered_in_window / result.window_s if in_window else result.requests_per_s,
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
