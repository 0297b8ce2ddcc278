"""The load client: what a request costs it beside its peers, how punctual it is, and what it sees."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from asyncdemo.load import Client, Plan, Result, Send
from asyncdemo.load.arrivals import Arrivals
from asyncdemo.load.limits import loop_factory
from asyncdemo.load.pacing import Alarm, SpinningAlarm, TimerfdAlarm
from benchmarks.load_servers import quick_server, slot_server
from benchmarks.processes import PYTHON, WORKLOADS, children_cpu_s, environment
from benchmarks.summary import Summary, orders, paired_ratios
from benchmarks.table import Bound, Row, Target

__all__ = ["measure_load_client"]

_CLIENTS = 50
_RATE = 500
_SLOT_MS = 10.0
_SLOT_LOAD = 0.8
_STALL_SHARE = 0.2
"""So the truth for p99 is 95 % of a stall: the fifth of the requests that falls into it waits evenly long."""
_GET = (Send("GET", "/"),)
_PLENTY = 1_000_000
"""More than `ab` ever gets to, and as many as it has memory for."""
_OURS = "asyncdemo.load"


def measure_load_client(
    folder: Path, rounds: int, requests: int, paced: int, stall_s: float, slot_requests: int
) -> list[Row]:
    """paced: requests for which punctuality is measured."""
    return [
        *_measure_cost(folder, rounds, requests),
        *_measure_pacing(rounds, paced),
        *_measure_stalls(rounds, stall_s),
        *_measure_arrivals(rounds, slot_requests),
    ]


def _load(port: int, **plan: object) -> Result:
    with Client(Plan("127.0.0.1", port, _GET, keep_alive=True, **plan)) as client:  # type: ignore[arg-type]
        while not client.finished:
            client.read(1.0)
        if client.result is None or client.result.failed:
            raise RuntimeError(f"the load failed: {client.failure or client.result}")
        return client.result


# --- cost -------------------------------------------------------------------------------------------


def _measure_cost(folder: Path, rounds: int, requests: int) -> list[Row]:
    """Requests for a second of the client's CPU: how far the client is from being what is measured."""
    with quick_server(folder) as (port, server):
        arms = dict(_cost_arms(port, requests))
        rates: defaultdict[str, list[float]] = defaultdict(list)
        for order in orders(list(arms), rounds):
            for arm in order:
                rates[arm].append(arms[arm]())
    what = f"requests for a second of the load client's CPU ({server}, {_CLIENTS} clients)"
    rows = [Row(what, Summary.of(rates[_OURS]), lambda rate: f"{rate:,.0f}")]
    targets = {"wrk": Target(0.5, Bound.AT_LEAST), "aiohttp": Target(4.0, Bound.AT_LEAST)}
    for arm in arms:
        if arm != _OURS:
            ratio = Summary.of(paired_ratios(rates[_OURS], rates[arm]))
            rows.append(Row(f"... × `{arm}`", ratio, lambda ratio: f"{ratio:.2f} ×", targets.get(arm)))
    return rows


def _cost_arms(port: int, requests: int) -> Iterator[tuple[str, Callable[[], float]]]:
    url = f"http://127.0.0.1:{port}/"

    def ours() -> float:
        result = _load(port, requests=requests, clients=_CLIENTS)
        return result.answered / result.cpu_s

    yield _OURS, ours
    few = max(_CLIENTS, requests // 10)
    commands = {
        "wrk": (["-t1", f"-c{_CLIENTS}", "-d1s", url], r"(\d+) requests in"),
        "ab": (["-k", "-q", "-n", str(requests), "-c", str(_CLIENTS), url], r"Complete requests:\s+(\d+)"),
    }
    for name, (arguments, found) in commands.items():
        if shutil.which(name) is not None:
            yield name, lambda command=[name, *arguments], found=found: _peer(command, found)  # type: ignore[misc]
    script = str(WORKLOADS / "aiohttp_client.py")
    startup_s = _cpu_of([PYTHON, script, url, "0", str(_CLIENTS)])[0]

    def aiohttp() -> float:
        return few / (_cpu_of([PYTHON, script, url, str(few), str(_CLIENTS)])[0] - startup_s)

    yield "aiohttp", aiohttp


def _peer(command: list[str], found: str) -> float:
    cpu_s, said = _cpu_of(command)
    count = re.search(found, said)
    if count is None:
        raise RuntimeError(f"{command[0]} did not say how many requests it made:\n{said}")
    return int(count[1]) / cpu_s


def _cpu_of(command: list[str]) -> tuple[float, str]:
    """What it used, and what it printed."""
    before_s = children_cpu_s()
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    if done.returncode:
        raise RuntimeError(f"{command} failed:\n{done.stderr}")
    return children_cpu_s() - before_s, done.stdout


# --- punctuality ------------------------------------------------------------------------------------


class _LoopAlarm:
    """What one gets without `pacing`: a timer of the event loop."""

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


def _measure_stalls(rounds: int, stall_s: float) -> list[Row]:
    """A server that stalls for a fifth of the time: p99 as a share of what people who come any time wait."""
    period_s = stall_s / _STALL_SHARE
    truth_ns = 0.95 * stall_s * 1e9
    arms: dict[str, Callable[[int], float]] = {
        "open loop": lambda port: _p99_ns(_load(port, rate=200.0, duration_s=3 * period_s)),
        "closed loop, 1 client": lambda port: _p99_ns(_load(port, clients=1, duration_s=3 * period_s)),
    }
    if shutil.which("ab") is not None:
        arms["`ab`, 1 client"] = lambda port: _ab_p99_ns(port, 3 * period_s)
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for order in orders(list(arms), rounds):
        for arm in order:
            with slot_server(stall_s=stall_s, period_s=period_s) as port:
                shares[arm].append(arms[arm](port) / truth_ns)
    return [
        Row(
            f"p99 of a server that stalls {stall_s:g} s in {period_s:g} s, × the truth: {arm}",
            Summary.of(shares[arm]),
            lambda share: f"{share:.3f} ×",
            Target(0.9, Bound.AT_LEAST) if arm == "open loop" else None,
        )
        for arm in arms
    ]


def _p99_ns(result: Result) -> float:
    return result.histogram.percentile_ns(99)


def _ab_p99_ns(port: int, duration_s: float) -> float:
    # in this order: -t sets -n to 50,000
    command = ["ab", "-k", "-q", "-t", str(max(1, round(duration_s))), "-n", str(_PLENTY), "-c", "1"]
    said = _cpu_of([*command, f"http://127.0.0.1:{port}/"])[1]
    found = re.search(r"^\s+99%\s+(\d+)", said, re.MULTILINE)
    if found is None:
        raise RuntimeError(f"ab named no 99 %:\n{said}")
    return int(found[1]) * 1e6


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
