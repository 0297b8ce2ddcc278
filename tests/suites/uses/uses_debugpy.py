"""Real uses of debugpy, whose own tests debug other processes than their own: this process is debugged."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import debugpy
import pytest


async def brew(gate: asyncio.Lock, n: int) -> int:
    async with gate:
        await asyncio.sleep(0.001)
        return n * 2  # in a task


async def together() -> list[int]:
    gate = asyncio.Lock()
    return list(await asyncio.gather(*(brew(gate, n) for n in range(3))))


def with_tasks() -> Any:
    return asyncio.run(together())


def with_threads() -> Any:
    lock = threading.Lock()
    made: list[int] = []

    def make(n: int) -> None:
        with lock:
            made.append(n * 2)  # in a thread

    for n in range(3):
        thread = threading.Thread(target=make, args=(n,))
        thread.start()
        thread.join()
    return made


@pytest.fixture(scope="module")
def port() -> int:
    """Listen for debuggers, which a process can do once."""
    return int(debugpy.listen(("127.0.0.1", 0))[1])


@pytest.mark.parametrize(
    ("program", "mark", "function"),
    [(with_tasks, "# in a task", "brew"), (with_threads, "# in a thread", "make")],
)
def test_breakpoint(port: int, program: Callable[[], Any], mark: str, function: str) -> None:
    line = next(n for n, text in enumerate(Path(__file__).read_text().splitlines(), 1) if text.endswith(mark))
    client = Path(__file__).with_name("debug_client.py")
    command = [sys.executable, str(client), str(port), __file__, str(line), "n", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        debugpy.wait_for_client()
        assert program() == [0, 2, 4]
        out, _ = process.communicate(timeout=60)
    stops = json.loads(out)
    assert [value for _, value in stops] == ["0", "1", "2"]
    assert all(name.endswith(function) for name, _ in stops)
