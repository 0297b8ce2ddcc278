"""The load client: what a request costs it beside its peers, how punctual it is, and what it sees."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random

from asyncdemo.load import Client, Plan, Result, Send
from asyncdemo.load.arrivals import Alarm, Arrivals, SpinningAlarm, TimerfdAlarm
from asyncdemo.load.limits import loop_factory
from benchmarks.load_peers import measure_cost, measure_stalls
from benchmarks.load_servers import slot_server
from benchmarks.summary import Summary, orders
from benchmarks.table import Row, Target

_RATE = 500
_SLOT_MS = 10.0
_SLOT_LOAD = 0.8
_GET = (Send("GET", "/"),)


def measure_load_client(
    folder: Path, rounds: int, requests: int, paced: int, stall_s: float, slot_requests: int
) -> list[Row]:
    """paced: requests for which punctuality is measured."""
    few = min(rounds, 3)
    return [
        *measure_cost(folder, rounds, requests),
        *_measure_pacing(rounds, paced),
        *measure_stalls(few, stall_s, periods=2),
        *_measure_arrivals(rounds, slot_requests),
    ]


def _load(port: int, **plan: object) -> Result:
    with Client(Plan("127.0.0.1", port, _GET, keep_alive=True, **plan)) as client:  # type: ignore[arg-type]
        while not client.finished:
            client.read(1.0)
        if client.result is None or client.result.failed:
            raise RuntimeError(f"the load failed: {client.failure or client.result}")
        return client.result


# --- punctuality ------------------------------------------------------------------------------------


class _LoopAlarm:
    """What one gets without one of ours: a timer of the event loop."""

    name = "timer of the loop"

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._loop, self._ring = loop, ring
        self._handle: asyncio.Handle | None = None

    def set(self, due_ns: int) -> None:
        self._handle = self._loop.call_later((due_ns - time.perf_counter_ns()) / 1e9, self._ring)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.cancel()


def _measure_pacing(rounds: int, requests: int) -> list[Row]:
    alarms: list[Callable[[asyncio.AbstractEventLoop, Callable[[], None]], Alarm]] = [_LoopAlarm]
    alarms += [TimerfdAlarm] if TimerfdAlarm.is_supported() else [SpinningAlarm]
    arms = {
        (alarm, loop): (alarm, factory)
        for alarm in alarms
        for loop, factory in (("asyncio", asyncio.SelectorEventLoop), ("uvloop", loop_factory()))
    }
    late_us: defaultdict[tuple[object, str], list[tuple[float, float]]] = defaultdict(list)
    for number, order in enumerate(orders(list(arms), rounds)):
        for arm in order:
            alarm, factory = arms[arm]
            with asyncio.Runner(loop_factory=factory) as runner:
                late_us[arm].append(runner.run(_lateness_us(alarm, requests, seed=number)))
    return [
        Row(
            f"sent late at {_RATE} a second, {alarm.name} ({loop}), {word}",  # type: ignore[attr-defined]
            Summary.of([figures[place] for figures in late_us[alarm, loop]]),
            lambda late: f"{late:,.0f} µs",
            Target(limit_us) if alarm is alarms[-1] else None,
        )
        for alarm, loop in arms
        for place, (word, limit_us) in enumerate((("median", 100.0), ("90 %", 200.0)))
    ]


async def _lateness_us(
    alarm: Callable[[asyncio.AbstractEventLoop, Callable[[], None]], Alarm], requests: int, seed: int
) -> tuple[float, float]:
    """Median and 90th percentile, in an open loop that sends nothing."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    late_ns: list[int] = []
    draw = Random(seed)
    due_ns = 0
    offsets_ns = []
    for _ in range(requests):
        due_ns += round(draw.expovariate(_RATE) * 1e9)
        offsets_ns.append(due_ns)
    arrivals = Arrivals(
        loop,
        iter(offsets_ns),
        time.perf_counter_ns() + 5_000_000,
        lambda intended_ns: late_ns.append(time.perf_counter_ns() - intended_ns),
        lambda: done.set_result(None),
        alarm,
    )
    await done
    arrivals.close()
    late_ns.sort()
    return late_ns[len(late_ns) // 2] / 1e3, late_ns[len(late_ns) * 9 // 10] / 1e3


# --- truth ------------------------------------------------------------------------------------------


def _p99_ns(result: Result) -> float:
    return result.histogram.percentile_ns(99)


def _measure_arrivals(rounds: int, requests: int) -> list[Row]:
    """One slot, four fifths busy: what p99 is depends on whether requests know of each other."""
    rate = _SLOT_LOAD * 1000 / _SLOT_MS
    p99_ms: defaultdict[str, list[float]] = defaultdict(list)
    for number, order in enumerate(orders(["uniform", "poisson"], rounds)):
        for arrivals in order:
            with slot_server(each_ms=_SLOT_MS) as port:
                result = _load(port, rate=rate, requests=requests, arrivals=arrivals, seed=number)
                p99_ms[arrivals].append(_p99_ns(result) / 1e6)
    return [
        Row(
            f"p99 of one slot of {_SLOT_MS:g} ms, {_SLOT_LOAD:.0%} busy: {arrivals} arrivals",
            Summary.of(p99_ms[arrivals]),
            lambda ms: f"{ms:,.1f} ms",
        )
        for arrivals in p99_ms
    ]
