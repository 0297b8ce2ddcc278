"""Scripts that use asyncio in ways one should not, or had not thought of: same outcome as under plain python,
and lanes that make sense."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from asyncdemo.model import Outcome, Run
from tests.hostile.traced import trace

pytestmark = pytest.mark.slow

HEAD = """
import asyncio, gc, sys, threading, time
async def brew(n): await asyncio.sleep(0.01)
"""


@dataclass(frozen=True)
class Case:
    """lanes: names, or beginnings of them, that there must be."""

    text: str
    lanes: tuple[str, ...] = ("Task-1",)
    options: tuple[str, ...] = ()


CASES = {
    "tasks left pending": Case(
        "async def main():\n    global kept\n"
        "    kept = [asyncio.create_task(asyncio.sleep(600)) for _ in range(3)]\n"
        "    await brew(1)\nasyncio.run(main())",
        ("Task-1 main", "Task-2", "Task-4"),
    ),
    "tasks dropped with their loop": Case(
        "loop = asyncio.new_event_loop()\ntask = loop.create_task(asyncio.sleep(600))\n"
        "loop.run_until_complete(brew(1))\nloop.close()\ndel task\ngc.collect()"
    ),
    "never awaited": Case("async def main():\n    brew(1)\n    await brew(2)\nasyncio.run(main())"),
    "an async generator not closed": Case(
        "async def cups():\n    try:\n        while True: yield 1\n    finally:\n"
        "        await asyncio.sleep(0)\n"
        "        print('closed')\n"
        "async def main():\n    async for _ in cups(): break\n    gc.collect()\nasyncio.run(main())"
    ),
    "run twice": Case("asyncio.run(brew(1))\nasyncio.run(brew(2))", ("Task-1 brew", "Task-4 brew")),
    "run inside of run": Case("async def main():\n    asyncio.run(brew(1))\nasyncio.run(main())"),
    "run_until_complete inside of it": Case(
        "async def main():\n    asyncio.get_running_loop().run_until_complete(brew(1))\nasyncio.run(main())"
    ),
    "a loop that is closed": Case(
        "loop = asyncio.new_event_loop()\nloop.close()\nloop.run_until_complete(brew(1))", ()
    ),
    "a loop in a thread": Case(
        "t = threading.Thread(target=lambda: asyncio.run(brew(1)))\nt.start()\n"
        "asyncio.run(brew(2))\nt.join()",
        ("Task-1 brew", "Task-2 brew"),
    ),
    "a loop stopped from another thread": Case(
        "loop = asyncio.new_event_loop()\n"
        "t = threading.Thread(target=loop.run_forever)\nt.start()\n"
        "print(asyncio.run_coroutine_threadsafe(brew(1), loop).result())\n"
        "loop.call_soon_threadsafe(loop.stop)\nt.join()\nloop.close()",
    ),
    "its own policy": Case(
        "class Policy(asyncio.DefaultEventLoopPolicy):\n    def new_event_loop(self):\n"
        "        print('made')\n        return super().new_event_loop()\n"
        "asyncio.set_event_loop_policy(Policy())\nasyncio.run(brew(1))",
        ("Task-1 brew",),
    ),
    "a loop factory": Case(
        "with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:\n    runner.run(brew(1))",
        ("Task-1 brew",),
    ),
    "its own loop class": Case(
        "class Loop(asyncio.SelectorEventLoop):\n    def call_soon(self, callback, *args, context=None):\n"
        "        return super().call_soon(callback, *args, context=context)\n"
        "    def create_task(self, coro, **options):\n        return super().create_task(coro, **options)\n"
        "with asyncio.Runner(loop_factory=Loop) as runner:\n    runner.run(brew(1))",
        ("Task-1 brew",),
    ),
    "a task factory": Case(
        "class Mine(asyncio.Task): pass\n"
        "def factory(loop, coro, **options):\n    return Mine(coro, loop=loop, **options)\n"
        "async def main():\n    asyncio.get_running_loop().set_task_factory(factory)\n"
        "    task = asyncio.create_task(brew(1))\n    print(type(task).__name__)\n    await task\n"
        "asyncio.run(main())",
        ("Task-1 main",),  # 3.13.0 names the other one "None"
    ),
    "a task factory that makes no tasks": Case(
        "def factory(loop, coro, **options):\n    coro.close()\n    future = loop.create_future()\n"
        "    future.set_result('no task')\n    return future\n"
        "async def main():\n    asyncio.get_running_loop().set_task_factory(factory)\n"
        "    print(await asyncio.create_task(brew(1)))\nasyncio.run(main())"
    ),
    "debug mode": Case("asyncio.run(brew(1), debug=True)", ("Task-1 brew",)),
    "a chain of 300 awaits": Case(
        "async def deeper(n):\n    if n: return await deeper(n - 1) + 1\n"
        "    await asyncio.sleep(0.02)\n    return 0\n"
        "print(asyncio.run(deeper(300)))"
    ),
    "a chain of 1000 awaits": Case(
        "sys.setrecursionlimit(100_000)\nasync def deeper(n):\n    if n: return await deeper(n - 1) + 1\n"
        "    await asyncio.sleep(0.02)\n    return 0\nprint(asyncio.run(deeper(1000)))"
    ),
    "an await that never suspends": Case(
        "async def nothing(): pass\nasync def main():\n    for _ in range(100_000): await nothing()\n"
        "asyncio.run(main())"
    ),
    "its own awaitable": Case(
        "class Once:\n    def __await__(self):\n        yield\n        return 'once'\n"
        "async def main(): print(await Once())\nasyncio.run(main())"
    ),
    "a task that yields nonsense": Case(
        "class Bad:\n    def __await__(self): yield 42\nasync def main(): await Bad()\nasyncio.run(main())"
    ),
    "a task that awaits itself": Case(
        "async def main():\n    await asyncio.current_task()\nasyncio.run(main())"
    ),
    "cancelled, and goes on": Case(
        "async def stubborn():\n    for _ in range(3):\n        try:\n            await asyncio.sleep(0.02)\n"
        "        except asyncio.CancelledError:\n            print('no')\n"
        "async def main():\n    task = asyncio.create_task(stubborn())\n    await asyncio.sleep(0)\n"
        "    task.cancel()\n    await task\nasyncio.run(main())",
        ("Task-1 main", "Task-2 stubborn"),
    ),
    "a callback that raises": Case(
        "async def main():\n    asyncio.get_running_loop().call_soon(lambda: 1 / 0)\n    await brew(1)\n"
        "asyncio.run(main())"
    ),
    "an exception nobody retrieves": Case(
        "async def fail(): raise OSError('lost')\nasync def main():\n    asyncio.create_task(fail())\n"
        "    await brew(1)\n    gc.collect()\nasyncio.run(main())",
        ("Task-1 main", "Task-2 fail"),
    ),
    "a group of which one fails": Case(
        "async def fail(): raise OSError('spilt')\nasync def main():\n"
        "    async with asyncio.TaskGroup() as group:\n"
        "        group.create_task(fail())\n        group.create_task(asyncio.sleep(600))\n"
        "asyncio.run(main())",
        ("Task-1 main", "Task-2 fail", "Task-3"),
    ),
    "the loop closed by a task": Case(
        "async def main():\n    asyncio.get_running_loop().stop()\n    await asyncio.sleep(1)\n"
        "asyncio.run(main())"
    ),
    "20,000 tasks": Case(
        "async def main(): await asyncio.gather(*(asyncio.sleep(0) for _ in range(20_000)))\n"
        "asyncio.run(main())",
        ("Task-1 main", "Task-20001"),
    ),
    "a task whose repr raises": Case(
        "class Mine(asyncio.Task):\n    def __repr__(self): raise RuntimeError\n    get_name = __repr__\n"
        "async def main():\n    await Mine(brew(1))\nasyncio.run(main())",
        ("Task-1 main",),
    ),
    "names that are no text": Case(
        "async def main():\n    await asyncio.create_task(brew(1), name=42)\nasyncio.run(main())",
        ("Task-1", "42"),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_as_under_plain_python_and_with_lanes(tmp_path: Path, case: Case) -> None:
    traced = trace(tmp_path, HEAD + case.text, *case.options)
    plain = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=40, check=False
    )
    assert traced.recorded.exit_code == plain.returncode, traced.err
    assert traced.code == (1 if plain.returncode else 0)
    assert traced.out.startswith(plain.stdout)
    assert last_line(traced.err.replace(f"saved {tmp_path / 'run.jsonl'}\n", "")) == last_line(plain.stderr)
    for name in case.lanes:
        assert any(lane.startswith(name) for lane in traced.lanes), traced.lanes[:30]


def last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def outcomes(run: Run) -> dict[str, Outcome]:
    return {lane.name: lane.outcome for lane in run.lanes}


def test_what_never_ended_is_told_from_what_was_cancelled(tmp_path: Path) -> None:
    traced = trace(tmp_path, HEAD + CASES["tasks left pending"].text)
    run = traced.recorded
    assert outcomes(run)["Task-1 main"] is Outcome.RETURNED
    assert {outcome for name, outcome in outcomes(run).items() if "sleep" in name} == {Outcome.CANCELLED}
    assert len(run.left_pending) == 3
    assert "cancel it and await that" in traced.words


def test_what_was_never_awaited_is_named_with_its_line(tmp_path: Path) -> None:
    traced = trace(tmp_path, HEAD + CASES["never awaited"].text)
    (unawaited,) = traced.recorded.unawaited
    assert unawaited.function == "brew"
    assert unawaited.site is not None and unawaited.site.line == HEAD.count("\n") + 2


@pytest.mark.parametrize(
    "text", ["await asyncio.Event().wait()", "await asyncio.get_running_loop().create_future()"]
)
def test_virtual_time_has_no_wait_without_an_end(tmp_path: Path, text: str) -> None:
    traced = trace(tmp_path, f"{HEAD}async def main():\n    {text}\nasyncio.run(main())", "--virtual")
    assert traced.code == 1
    assert "Deadlock" in traced.words
    assert f"{tmp_path / 'script.py'}:{HEAD.count(chr(10)) + 2}" in traced.words


def test_a_spin_that_looks_at_the_clock_ends_in_virtual_time(tmp_path: Path) -> None:
    text = HEAD + "end = time.monotonic() + 1\nwhile time.monotonic() < end: pass\nasyncio.run(brew(1))"
    traced = trace(tmp_path, text, "--virtual", "--timeout", "30")
    assert traced.code == 0
    assert "Task-1 brew" in traced.lanes
