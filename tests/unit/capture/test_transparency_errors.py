"""Tracing changes no traceback, log or warning of a script.

Each script runs plain and traced, on asyncio's own loop and on uvloop. What a script sees of its process is in
``test_transparency_process``.
"""

# ruff: noqa: E501 - the scripts print much in few lines

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.each_loop import LOOPS, assert_nothing_changes
from tests.support.plain_and_traced import alike

SCRIPTS = {
    "tracebacks": r"""
import asyncio, sys, traceback
def deep():
    raise KeyError("deep")
async def chained():
    await asyncio.sleep(0)
    try:
        deep()
    except KeyError as error:
        raise ValueError("chained") from error
async def in_context():
    try:
        await chained()
    except ValueError:
        await asyncio.sleep(0)
        raise RuntimeError("while handling")
async def main():
    for make in (chained, in_context):
        try:
            await asyncio.create_task(make())
        except Exception:
            traceback.print_exc()
    for result in await asyncio.gather(chained(), in_context(), return_exceptions=True):
        traceback.print_exception(result)
        print(len(traceback.extract_tb(result.__traceback__)), file=sys.stderr)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(chained())
            group.create_task(in_context())
    except* ValueError as errors:
        traceback.print_exception(errors)
    except* RuntimeError as errors:
        traceback.print_exception(errors)
    try:
        await asyncio.wait_for(asyncio.sleep(5), 0.01)
    except TimeoutError:
        traceback.print_exc()
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(5)
    except TimeoutError:
        traceback.print_exc()
    try:
        await asyncio.to_thread(deep)
    except KeyError:
        traceback.print_exc()
    task = asyncio.create_task(asyncio.sleep(5))
    await asyncio.sleep(0)
    task.cancel("enough")
    try:
        await task
    except asyncio.CancelledError:
        traceback.print_exc()
asyncio.run(main())
""",
    "uncaught": r"""
import asyncio
async def inner():
    await asyncio.sleep(0)
    raise ValueError("inner")
async def main():
    try:
        await asyncio.create_task(inner())
    except ValueError as error:
        raise RuntimeError("outer") from error
asyncio.run(main())
""",
    "nobody looks": r"""
import asyncio, gc, logging, sys
logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
async def fails():
    1 / 0
async def forever():
    await asyncio.get_running_loop().create_future()
async def unawaited():
    pass
def callback(text):
    raise ValueError(text)
async def main():
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(fails(), name="failing")
    await asyncio.sleep(0.001)
    del task
    gc.collect()
    print("---", file=sys.stderr)
    asyncio.create_task(forever(), name="forgotten")
    await asyncio.sleep(0)
    gc.collect()
    print("---", file=sys.stderr)
    unawaited()
    print("---", file=sys.stderr)
    loop.call_soon(callback, "soon")
    loop.call_soon_threadsafe(callback, "threadsafe")
    await asyncio.sleep(0.001)
    loop.call_later(0.001, callback, "later")
    await asyncio.sleep(0.01)
    future = loop.create_future()
    future.add_done_callback(lambda f: 1 / 0)
    future.set_result(1)
    await asyncio.sleep(0.01)
    lost = loop.create_future()
    lost.set_exception(OSError("lost"))
    del lost, future
    gc.collect()
    loop.set_exception_handler(lambda loop, context: print(sorted(context), context["message"]))
    loop.call_soon(callback, "handled")
    task = asyncio.create_task(fails(), name="failing")
    await asyncio.sleep(0.001)
    del task
asyncio.run(main())
""",
    "debug mode": r"""
import asyncio, logging, re, sys, time
class Timeless(logging.Formatter):
    def format(self, record):
        return re.sub(r"\d+\.\d+", "N", super().format(record))
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(Timeless("%(name)s %(levelname)s %(message)s"))
logging.basicConfig(handlers=[handler], level="WARNING")
async def slow():
    time.sleep(0.15)
async def fails():
    await asyncio.sleep(0)
    1 / 0
def wrong_thread(loop):
    try:
        loop.call_soon(print)
    except RuntimeError as error:
        print(error)
async def main():
    loop = asyncio.get_running_loop()
    print(loop.get_debug())
    await asyncio.create_task(slow())
    loop.call_soon(time.sleep, 0.15)
    await asyncio.sleep(0.1)
    loop.call_later(0.001, time.sleep, 0.15)
    await asyncio.sleep(0.2)
    task = asyncio.create_task(fails())
    await asyncio.sleep(0.01)
    print(repr(task))
    del task
    loop.call_soon(lambda: 1 / 0)
    await asyncio.sleep(0.01)
    await asyncio.to_thread(wrong_thread, loop)
    slow()
asyncio.run(main(), debug=True)
""",
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_changes(name: str, loop: str, tmp_path: Path) -> None:
    if (name, loop) == ("debug mode", "uvloop"):
        pytest.skip("uvloop runs what is due in its own order")
    assert_nothing_changes(tmp_path, SCRIPTS[name], loop)


def test_lanes_by_function_change_nothing_either(tmp_path: Path) -> None:
    _, run = alike(tmp_path, SCRIPTS["tracebacks"], lanes=["chained", "deep"])
    assert {lane.function for lane in run.lanes} == {"chained", "deep"}
