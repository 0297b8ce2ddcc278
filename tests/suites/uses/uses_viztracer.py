"""Real uses of VizTracer: what it logs of a program. Its source distribution lacks some of its tests."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from viztracer import VizTracer


def put(items: queue.Queue[int], lock: threading.Lock) -> None:
    for number in range(20):
        with lock:
            items.put(number)


def with_threads() -> None:
    items: queue.Queue[int] = queue.Queue(5)
    lock = threading.Lock()
    threads = [threading.Thread(target=put, args=(items, lock)) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert sum(items.get() for _ in range(40)) == 380
    for thread in threads:
        thread.join()


async def brew(gate: asyncio.Semaphore) -> int:
    async with gate:
        await asyncio.sleep(0.001)
    return 1


async def together() -> None:
    gate = asyncio.Semaphore(2)
    assert sum(await asyncio.gather(*(brew(gate) for _ in range(5)))) == 5
    await asyncio.to_thread(time.sleep, 0.001)


def fail() -> None:
    raise LookupError("cup")


def with_errors() -> None:
    for _ in range(3):
        with pytest.raises(LookupError):
            fail()


def logged(folder: Path, program: Any, **options: Any) -> tuple[Counter[str], int]:
    """Return how often functions of this file were called, and in how many threads any were."""
    report = folder / "report.json"
    with VizTracer(output_file=str(report), verbose=0, **options):
        program()
    events = [event for event in json.loads(report.read_text())["traceEvents"] if event["ph"] == "X"]
    calls = Counter(event["name"].split(" ")[0] for event in events if __file__ in event["name"])
    return calls, len({event["tid"] for event in events})


def test_threads(tmp_path: Path) -> None:
    calls, threads = logged(tmp_path, with_threads)
    assert (calls["put"], calls["with_threads"], threads) == (2, 1, 3)


@pytest.mark.parametrize("log_async", [False, True])
def test_tasks(tmp_path: Path, log_async: bool) -> None:
    calls, _ = logged(tmp_path, lambda: asyncio.run(together()), log_async=log_async)
    assert (calls["brew"], calls["together"]) == (13, 3)


def test_errors(tmp_path: Path) -> None:
    calls, threads = logged(tmp_path, with_errors)
    assert (calls["fail"], threads) == (3, 1)


def test_one_after_another(tmp_path: Path) -> None:
    assert [logged(tmp_path, with_threads)[0]["put"] for _ in range(3)] == [2, 2, 2]
