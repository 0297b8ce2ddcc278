"""The load client beside wrk, each through the lab's own engine.

What a request costs each of them, by how much it errs where the truth is known, and what it makes of a server
that stalls. Not for: the parts of our own client (``load_client``).
"""

from __future__ import annotations

import json
import math
import statistics
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from asyncdemo.lab.harness.engines import OURS, Engine, Measured, OurClient
from asyncdemo.lab.harness.machine import choose_pinning
from asyncdemo.lab.harness.protocol.bench import found_engines
from asyncdemo.lab.results.validity_checks import served_share
from asyncdemo.load import Plan, Send
from benchmarks.load_servers import known_server, quick_server, slot_server
from benchmarks.summary import Summary, in_rounds, orders, paired_ratios
from benchmarks.table import Bound, Row, Target

CLIENTS: Final = 50
RATES: Final = (500, 1000, 2000)
_HOLD_MS: Final = 5.0
_STALL_SHARE: Final = 0.2
_STALL_RATE: Final = 200.0
_TICK_S: Final = 0.01
"""In which the system tells the CPU time of other processes."""
_ENDS_S: Final = 120.0
_GIVES_UP_S: Final = 5.0
_KEPT: Final = 0.95
"""Of the rate, with what was under way at the end."""


def _measured(engine: Engine, port: int, **plan: object) -> Measured:
    measured = _sent(engine, port, **plan)
    if measured.load.errors or not measured.load.answered:
        raise RuntimeError(f"the load of {engine.name} failed: {measured.load.errors}")
    return measured


def _sent(engine: Engine, port: int, **plan: object) -> Measured:
    asked: dict[str, object] = {"keep_alive": True, "traces": False, "cpus": choose_pinning().client, **plan}
    with engine.prepared(Plan("127.0.0.1", port, (Send("GET", "/"),), **asked)) as sending:  # type: ignore[arg-type]
        sending.go()
        if not sending.finished(_ENDS_S) and not sending.finished(_ENDS_S):
            raise RuntimeError(f"{engine.name} has not ended after {2 * _ENDS_S:g} s")
        return sending.measured()


# --- cost -------------------------------------------------------------------------------------------


def measure_cost(folder: Path, rounds: int, requests: int) -> list[Row]:
    """Requests for a second of the client's CPU: how far the client is from being what is measured."""
    arms = found_engines()
    with quick_server(folder) as (port, server):
        measures = {arm: partial(_requests_per_cpu_s, arms[arm], port, requests) for arm in arms}
        rates = in_rounds(measures, rounds)
    what = f"requests for a second of the load client's CPU ({server}, {CLIENTS} clients)"
    rows = [Row(what, Summary.of(rates[OURS]), lambda rate: f"{rate:,.0f}")]
    targets = {"wrk": Target(0.5, Bound.AT_LEAST)}
    for arm in arms:
        if arm != OURS:
            ratio = Summary.of(paired_ratios(rates[OURS], rates[arm]))
            rows.append(Row(f"... × `{arm}`", ratio, lambda ratio: f"{ratio:.2f} ×", targets.get(arm)))
    return rows


def _requests_per_cpu_s(engine: Engine, port: int, requests: int) -> float:
    lasts: dict[str, object] = {"duration_s": 1.0} if engine.name == "wrk" else {"requests": requests}
    load = _measured(engine, port, clients=CLIENTS, **lasts).load
    if load.client_cpu_s is None:
        raise RuntimeError(f"the CPU time of {engine.name} is not known")
    return load.answered / max(load.client_cpu_s, _TICK_S)


# --- where the truth is known -----------------------------------------------------------------------


def latency_errors(
    rounds: int, window_s: float, rates: Sequence[int] = RATES
) -> tuple[list[str], list[list[str]]]:
    """A table: how much more our client, which alone can send at a rate, saw than there was, in ms.

    The server holds each answer back for 5 ms, and says how long it really did; what is more is the client's,
    and the system's to carry it there and back, which is the same for all.
    """
    arms = {OURS: OurClient()}
    more_ms: defaultdict[tuple[str, int], list[tuple[float, float] | None]] = defaultdict(list)
    with known_server(_HOLD_MS) as port:
        for order in orders([(name, rate) for name in arms for rate in rates], rounds):
            for name, rate in order:
                if any(None in more_ms[name, lower] for lower in rates if lower <= rate):
                    more_ms[name, rate].append(None)  # trying again would take its time, and change nothing
                else:
                    more_ms[name, rate].append(_more_ms(arms[name], port, rate, window_s))
    head = ["client", *(f"{rate:,} a second: median, 90 %" for rate in rates)]
    return head, [[f"`{name}`", *(_error_words(more_ms[name, rate]) for rate in rates)] for name in arms]


def _more_ms(engine: Engine, port: int, rate: int, window_s: float) -> tuple[float, float] | None:
    """None if it cannot send so much: then its latencies grow for as long as it tries."""
    _truth_ms(port)
    load = _sent(engine, port, rate=float(rate), duration_s=window_s, timeout_s=_GIVES_UP_S).load
    truth = _truth_ms(port)
    if load.errors or served_share(load, rate) < _KEPT:
        return None
    seen = [load.latency_ms.get(percent, math.nan) for percent in ("50", "90")]
    return seen[0] - truth[0], seen[1] - truth[1]


def _error_words(rounds: Sequence[tuple[float, float] | None]) -> str:
    kept = [figures for figures in rounds if figures is not None]
    if len(kept) < len(rounds):
        return "cannot send so much"
    medians = (statistics.median(figures) for figures in zip(*kept, strict=True))
    return ", ".join("too few answers" if math.isnan(ms) else f"{ms:+,.2f} ms" for ms in medians)


def _truth_ms(port: int) -> tuple[float, float]:
    """Median and 90 % of what it held back since it was asked last."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/truth", timeout=30) as response:
        delays_ns = sorted(json.load(response))
    if not delays_ns:
        return 0.0, 0.0
    return delays_ns[len(delays_ns) // 2] / 1e6, delays_ns[len(delays_ns) * 9 // 10] / 1e6


# --- what they see of a stall -----------------------------------------------------------------------


def measure_stalls(rounds: int, stall_s: float, periods: int) -> list[Row]:
    """A server that stalls for a fifth of the time: percentiles, as shares of what people who come any time
    wait."""
    period_s = stall_s / _STALL_SHARE
    arms = _stall_arms(periods * period_s)
    shares: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for order in orders(list(arms), rounds):
        for arm in order:
            with slot_server(stall_s=stall_s, period_s=period_s) as port:
                measured = arms[arm](port)
            seen_ms = {"99": measured.p99_ms, "90": measured.load.latency_ms.get("90")}
            for percent, share in _TRUE_SHARES.items():
                if (ms := seen_ms[percent]) is not None:
                    shares[arm, percent].append(ms / (share * stall_s * 1000))
    return [
        Row(
            f"{percent} % of a server that stalls {stall_s:g} s in {period_s:g} s, × the truth: {arm}",
            Summary.of(shares[arm, percent]),
            lambda share: f"{share:.3f} ×",
            Target(1.0, Bound.NEAR) if arm == _OPEN else None,
        )
        for percent in _TRUE_SHARES
        for arm in arms
        if shares[arm, percent]
    ]


_TRUE_SHARES: Final = {"99": 0.95, "90": 0.5}
"""Of a stall. The fifth of the requests that falls into it waits evenly long, so one in a hundred longer than
95 % of it, and one in ten longer than half of it."""
_OPEN: Final = "open loop"


def _stall_arms(lasts_s: float) -> Mapping[str, Callable[[int], Measured]]:
    engines = found_engines()

    def open_loop(engine: Engine) -> Callable[[int], Measured]:
        return lambda port: _measured(engine, port, rate=_STALL_RATE, duration_s=lasts_s)

    def closed_loop(engine: Engine) -> Callable[[int], Measured]:
        return lambda port: _measured(engine, port, clients=1, duration_s=lasts_s)

    arms = {_OPEN: open_loop(engines[OURS]), "closed loop, 1 client": closed_loop(engines[OURS])}
    arms |= {f"`{name}`, 1 client": closed_loop(engines[name]) for name in engines if name != OURS}
    return arms
