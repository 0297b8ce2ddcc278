"""What a program gets instead of the browser's event loop, and of what a page doesn't have."""

from __future__ import annotations

import asyncio
import selectors
import threading

import pytest

from asyncdemo.in_page.interpreter import Loop, NoSockets


def test_a_thread_is_refused_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("no threads")

    async def main() -> None:
        await asyncio.to_thread(print)

    monkeypatch.setattr(selectors, "DefaultSelector", NoSockets)
    monkeypatch.setattr(threading.Thread, "start", start)
    with (
        pytest.raises(RuntimeError, match="no threads") as refused,
        asyncio.Runner(loop_factory=Loop) as runner,
    ):
        runner.run(main())
    assert "main" in [entry.name for entry in refused.traceback]
