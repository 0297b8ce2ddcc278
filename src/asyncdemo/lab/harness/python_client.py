"""A load test as written in an afternoon, with aiohttp or httpx. A separate program: ``python -m ... NAME``.

It has the protocol of our own client (``asyncdemo.load.process``), but sends the obvious way: a task for each
client, a timer of the loop for each request, regardless of the cost.
Not for measuring servers: use ``asyncdemo.load``.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from time import perf_counter_ns, process_time
from typing import Final

from asyncdemo.load.arrivals import arrivals_ns
from asyncdemo.load.events import Report
from asyncdemo.load.limits import allow_connections, loop_factory, pin
from asyncdemo.load.plan import Plan, Send
from asyncdemo.load.process import OnStart, serve
from asyncdemo.load.result import Result, Tally

_NS: Final = 1_000_000_000
Request = Callable[[Send], Awaitable[int]]
"""Sends a request, reads the whole response, and returns its status."""


class _Load:
    def __init__(self, plan: Plan, request: Request) -> None:
        self._plan, self._request = plan, request
        self._open = 0
        self._cpu_s = process_time()
        self.tally = Tally()

    async def run(self, name: str) -> Result:
        tally, lasts_s = self.tally, self._plan.duration_s
        tally.start_ns = tally.end_ns = perf_counter_ns()
        end_ns = float("inf") if lasts_s is None else tally.start_ns + lasts_s * _NS
        window = asyncio.get_running_loop().call_later(lasts_s or 0, self._close_window) if lasts_s else None
        await (self._closed_loop(end_ns) if self._plan.rate is None else self._open_loop())
        if not tally.window_ns:  # everything was answered early, or there is no time limit
            self._close_window()
            tally.window_ns = tally.window_ns if lasts_s is None else round(lasts_s * _NS)
        if window is not None:
            window.cancel()
        return tally.result(0, process_time() - self._cpu_s, name, False)

    def _close_window(self) -> None:
        self.tally.close_window(perf_counter_ns(), process_time() - self._cpu_s)

    async def _closed_loop(self, end_ns: float) -> None:
        numbers = count() if self._plan.requests is None else iter(range(self._plan.requests))

        async def client() -> None:
            for _ in numbers:
                now_ns = perf_counter_ns()
                if now_ns >= end_ns:
                    return
                await self._one(now_ns)

        async with asyncio.TaskGroup() as group:
            for _ in range(self._plan.clients or 0):
                group.create_task(client())

    async def _open_loop(self) -> None:
        async with asyncio.TaskGroup() as group:
            for offset_ns in arrivals_ns(self._plan):
                due_ns = self.tally.start_ns + offset_ns
                if (left_ns := due_ns - perf_counter_ns()) > 0:
                    await asyncio.sleep(left_ns / _NS)
                group.create_task(self._one(due_ns))

    async def _one(self, intended_ns: int) -> None:
        plan, tally = self._plan, self.tally
        send = plan.sends[tally.begun % len(plan.sends)]
        tally.begun += 1
        self._open += 1
        tally.most_at_once = max(tally.most_at_once, self._open)
        tally.late.append(perf_counter_ns() - intended_ns)
        try:
            status = await asyncio.wait_for(self._request(send), plan.timeout_s)
        except TimeoutError:
            tally.fail("timeout", f"no whole response within {plan.timeout_s:g} s", perf_counter_ns())
        except Exception as error:  # noqa: BLE001 (of whichever library)
            tally.fail("client", f"{type(error).__name__}: {error}", perf_counter_ns())
        else:
            tally.end_ns = perf_counter_ns()
            tally.latencies.append(tally.end_ns - intended_ns)
            tally.statuses[status] += 1
        finally:
            self._open -= 1


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


def main(name: str) -> int:
    importlib.import_module(name)  # import before the load, when time doesn't matter
    return serve(partial(_run, name))


def _run(name: str, plan: Plan, _: Report | None, on_start: OnStart) -> Result:
    pin(plan.cpus)
    allow_connections(plan)

    async def run() -> Result:
        on_start(asyncio.get_running_loop(), lambda: os._exit(1))
        async with _SESSIONS[name](plan) as request:
            return await _Load(plan, request).run(name)

    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(run())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
