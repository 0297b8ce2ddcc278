"""Runs a load against a server of `serving`: in its own process as everybody else does, or in this one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from asyncdemo.load import Client, Event, Plan, Result, Send
from asyncdemo.load.engine import Engine
from asyncdemo.load.process import run_plan

PATIENCE_S = 60
"""For one event: a busy machine is slow, a client that hangs is wrong."""


def plan_for(port: int, **fields: Any) -> Plan:
    """One client and one GET unless the fields say otherwise."""
    if "rate" not in fields:
        fields.setdefault("clients", 1)
    if "duration_s" not in fields:
        fields.setdefault("requests", 1)
    fields.setdefault("sends", (Send("GET", "/"),))
    return Plan("127.0.0.1", port, **fields)


def load(port: int, **fields: Any) -> tuple[Result, list[Event]]:
    """The result of a plan, and its events if it reports."""
    with Client(plan_for(port, **fields)) as client:
        events = listen(client)
        assert client.failure is None
        assert client.result is not None
        return client.result, events


def listen(client: Client) -> list[Event]:
    """Until its last word."""
    events: list[Event] = []
    while not client.finished:
        was_ready = client.ready
        heard = client.read(PATIENCE_S)
        became_ready = client.ready is not was_ready
        assert heard or became_ready or client.finished, "the client has said nothing for a minute"
        events += heard
    return events


def load_here(port: int, engine: str = "asyncio", **fields: Any) -> tuple[Result, list[Event]]:
    """The same in this process, on the event loop that Python brings, or on the fastest: "uvloop"."""
    heard: list[Event] = []
    plan = plan_for(port, **fields)
    make_loop = asyncio.SelectorEventLoop if engine == "asyncio" else None
    with patch("asyncdemo.load.engine.gc"):  # what it collects first is small in its own process
        result = run_plan(plan, heard.append if plan.report else None, make_loop=make_loop)
    assert result.engine.startswith(engine)
    return result, heard


def load_with_a_hiccup(
    port: int, after_s: float, lasts_s: float, interrupts: bool = False, **fields: Any
) -> tuple[Result, list[Event]]:
    """The client itself does nothing for a while. interrupts: two turns of its loop later."""
    heard: list[Event] = []

    def on_start(loop: asyncio.AbstractEventLoop, interrupt: Callable[[], None]) -> None:
        def hiccup() -> None:
            time.sleep(lasts_s)
            if interrupts:
                loop.call_soon(loop.call_soon, interrupt)

        loop.call_later(after_s, hiccup)

    plan = plan_for(port, report=True, **fields)
    return run_plan(plan, heard.append, on_start, asyncio.SelectorEventLoop), heard


def load_with_few_files(port: int, most_connections: int, **fields: Any) -> Result:
    """As where the system allows no more open files."""

    async def run() -> Result:
        return await Engine(plan_for(port, **fields), "127.0.0.1", most_connections).run()

    return asyncio.run(run())
