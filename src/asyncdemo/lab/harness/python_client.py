"""A load test of an afternoon, with aiohttp or httpx: a program of its own (``python -m ... NAME``).

It reads a plan, says that it is ready, waits for a line, sends, and prints a result as our own client's. It
is written as one would write it: a task for each client, a timer of the loop for each request, and no thought
for what it costs. Not for: measuring servers (``asyncdemo.load``).
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from asyncdemo.load.histogram import Histogram
from asyncdemo.load.limits import allow_connections, loop_factory, pin
from asyncdemo.load.plan import Plan, Send
from asyncdemo.load.result import Result
from asyncdemo.load.schedule import arrivals_ns

__all__ = ["main"]

_NS: Final = 1_000_000_000
Request = Callable[[Send], Awaitable[int]]
"""Sends one, reads the whole answer, and gives its status."""


@dataclass
class _Tally:
    latencies_ns: list[int] = field(default_factory=list)
    late_ns: list[int] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    first_errors: dict[str, str] = field(default_factory=dict)
    begun: int = 0
    open: int = 0
    most_open: int = 0
    in_window: int = 0


async def _one(plan: Plan, request: Request, tally: _Tally, intended_ns: int, end_ns: float) -> None:
    send = plan.sends[tally.begun % len(plan.sends)]
    tally.begun += 1
    tally.open += 1
    tally.most_open = max(tally.most_open, tally.open)
    tally.late_ns.append(time.perf_counter_ns() - intended_ns)
    try:
        status = await asyncio.wait_for(request(send), plan.timeout_s)
    except TimeoutError:
        _failed(tally, "timeout", f"no whole response within {plan.timeout_s:g} s")
    except Exception as error:  # noqa: BLE001 (of whichever library)
        _failed(tally, "client", f"{type(error).__name__}: {error}")
    else:
        now_ns = time.perf_counter_ns()
        tally.latencies_ns.append(now_ns - intended_ns)
        tally.statuses[status] += 1
        tally.in_window += now_ns <= end_ns
    finally:
        tally.open -= 1


def _failed(tally: _Tally, kind: str, words: str) -> None:
    tally.errors[kind] += 1
    tally.first_errors.setdefault(kind, words)


async def _closed(plan: Plan, request: Request, tally: _Tally, end_ns: float) -> None:
    numbers = count() if plan.requests is None else iter(range(plan.requests))

    async def client() -> None:
        for _ in numbers:
            now_ns = time.perf_counter_ns()
            if now_ns >= end_ns:
                return
            await _one(plan, request, tally, now_ns, end_ns)

    async with asyncio.TaskGroup() as group:
        for _ in range(plan.clients or 0):
            group.create_task(client())


async def _open(plan: Plan, request: Request, tally: _Tally, start_ns: int, end_ns: float) -> None:
    async with asyncio.TaskGroup() as group:
        for offset_ns in arrivals_ns(plan):
            due_ns = start_ns + offset_ns
            if (left_ns := due_ns - time.perf_counter_ns()) > 0:
                await asyncio.sleep(left_ns / _NS)
            group.create_task(_one(plan, request, tally, due_ns, end_ns))


async def _load(plan: Plan, name: str, ready: Callable[[], None]) -> Result:
    tally = _Tally()
    async with _SESSIONS[name](plan) as request:
        ready()
        cpu_s, start_ns = time.process_time(), time.perf_counter_ns()
        lasts_ns = float("inf") if plan.duration_s is None else plan.duration_s * _NS
        watched = asyncio.create_task(_cpu_after(plan.duration_s, cpu_s))
        if plan.rate is None:
            await _closed(plan, request, tally, start_ns + lasts_ns)
        else:
            await _open(plan, request, tally, start_ns, start_ns + lasts_ns)
        wall_s = (time.perf_counter_ns() - start_ns) / _NS
        cpu_s = time.process_time() - cpu_s
        watched.cancel()
        (window_cpu_s,) = await asyncio.gather(watched, return_exceptions=True)
    return Result(
        requests=tally.begun,
        answered=len(tally.latencies_ns),
        statuses=tally.statuses,
        errors=tally.errors,
        first_errors=tally.first_errors,
        wall_s=wall_s,
        window_s=plan.duration_s or wall_s,
        answered_in_window=tally.in_window,
        histogram=Histogram.of(tally.latencies_ns),
        connects=Histogram.of([]),
        late_ns=Histogram.of(tally.late_ns),
        cpu_s=cpu_s,
        retried=0,
        connections=0,
        open_at_once=tally.most_open,
        engine=name,
        window_cpu_s=window_cpu_s if isinstance(window_cpu_s, float) else cpu_s,
    )


async def _cpu_after(duration_s: float | None, before_s: float) -> float | None:
    if duration_s is None:
        return None
    await asyncio.sleep(duration_s)
    return time.process_time() - before_s


# -- the libraries ---------------------------------------------------------------------------------------


@asynccontextmanager
async def _aiohttp(plan: Plan) -> AsyncIterator[Request]:
    import aiohttp

    base = f"http://{plan.host}:{plan.port}"
    connector = aiohttp.TCPConnector(limit=plan.clients or 0, force_close=not plan.keep_alive)
    async with aiohttp.ClientSession(
        connector=connector, timeout=aiohttp.ClientTimeout(plan.timeout_s)
    ) as session:

        async def request(send: Send) -> int:
            async with session.request(
                send.method, base + send.path, headers=dict(send.headers), data=send.body or None
            ) as response:
                await response.read()
                return response.status

        yield request


@asynccontextmanager
async def _httpx(plan: Plan) -> AsyncIterator[Request]:
    import httpx

    base = f"http://{plan.host}:{plan.port}"
    limits = httpx.Limits(
        max_connections=plan.clients, max_keepalive_connections=None if plan.keep_alive else 0
    )
    headers = {} if plan.keep_alive else {"Connection": "close"}
    async with httpx.AsyncClient(
        limits=limits, timeout=plan.timeout_s, headers=headers, trust_env=False
    ) as session:

        async def request(send: Send) -> int:
            response = await session.request(
                send.method, base + send.path, headers=dict(send.headers), content=send.body or None
            )
            return int(response.status_code)

        yield request


_SESSIONS: Final = {"aiohttp": _aiohttp, "httpx": _httpx}


# -- the program -----------------------------------------------------------------------------------------


def main(name: str) -> None:
    plan = Plan.from_json(sys.stdin.readline())
    pin(plan.cpus)
    allow_connections(plan)

    def ready() -> None:
        _tell({"ready": True})
        sys.stdin.readline()
        threading.Thread(target=_end_with_stdin, daemon=True).start()

    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        result = runner.run(_load(plan, name, ready))
    _tell({"result": result.to_json()})
    os._exit(0)  # the other thread waits


def _tell(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _end_with_stdin() -> None:
    """Whoever started this is gone."""
    while os.read(0, 1024):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
