"""Tracing changes nothing that a script does or prints with tasks, contexts and coroutines.

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
    "results": r"""
import asyncio
async def job(n):
    await asyncio.sleep(n / 1000)
    return n
async def main():
    print(await asyncio.gather(*(job(n) for n in range(5))))
    print(await asyncio.wait_for(job(1), 5), await asyncio.shield(job(2)))
    done, pending = await asyncio.wait([asyncio.create_task(job(n)) for n in (1, 2)])
    print(sorted(t.result() for t in done), pending)
    print([await each for each in asyncio.as_completed([job(40), job(1), job(20)])])
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(job(n), name=f"job-{n}") for n in range(3)]
    print([(t.get_name(), t.result()) for t in tasks])
    print(await asyncio.gather(job(1), asyncio.sleep(0, "slept"), asyncio.to_thread(sum, [1, 2]), return_exceptions=True))
    async with asyncio.timeout(5):
        print("in time")
    return "returned"
print(asyncio.run(main()))
""",
    "cancellation": r"""
import asyncio
log = []
async def tidy(name):
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError as error:
        log.append((name, error.args))
        await asyncio.sleep(0)
        log.append((name, "tidied"))
        raise
    finally:
        log.append((name, "finally"))
async def stubborn():
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError:
        log.append(("cancelling", asyncio.current_task().cancelling()))
        asyncio.current_task().uncancel()
        log.append(("cancelling", asyncio.current_task().cancelling()))
        await asyncio.sleep(0)
        return "stayed"
async def never():
    log.append("never runs")
async def main():
    task = asyncio.create_task(tidy("a"))
    await asyncio.sleep(0)
    print(task.cancel("why"), task.cancelling(), task.cancelled())
    try:
        await task
    except asyncio.CancelledError as error:
        print("cancelled", error.args, task.cancelled())
    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    task.cancel()
    print(await task, task.cancelled())
    task = asyncio.create_task(never())
    task.cancel()
    print(await asyncio.wait([task]))
    inner = asyncio.create_task(tidy("shielded"))
    outer = asyncio.create_task(asyncio.wait_for(asyncio.shield(inner), 0.01))
    try:
        await outer
    except TimeoutError:
        print("timed out", inner.done(), outer.done())
    try:
        async with asyncio.timeout(0.01) as scope:
            await tidy("in time")
    except TimeoutError:
        print("expired", scope.expired(), asyncio.current_task().cancelling())
    try:
        async with asyncio.timeout(None) as scope:
            scope.reschedule(asyncio.get_running_loop().time() - 1)
            await asyncio.sleep(1)
    except TimeoutError:
        print("rescheduled")
    gathered = asyncio.gather(tidy("g1"), tidy("g2"))
    await asyncio.sleep(0)
    gathered.cancel()
    try:
        await gathered
    except asyncio.CancelledError:
        print("gather cancelled")
    inner.cancel()
    await asyncio.wait([inner])
    asyncio.create_task(tidy("left to run()"))
    await asyncio.sleep(0)
try:
    asyncio.run(main())
finally:
    print(*log, sep="\n")
""",
    "contexts": r"""
import asyncio, contextvars
var = contextvars.ContextVar("var", default=0)
async def child():
    before = var.get()
    var.set(before + 10)
    await asyncio.sleep(0)
    return before, var.get()
async def main():
    var.set(1)
    print(await asyncio.create_task(child()), var.get())
    print(await child(), var.get())
    context = contextvars.copy_context()
    context.run(var.set, 100)
    print(await asyncio.create_task(child(), context=context), context[var], var.get())
    loop = asyncio.get_running_loop()
    seen = []
    loop.call_soon(lambda: seen.append(var.get()), context=context)
    loop.call_later(0, lambda: seen.append(var.get()))
    loop.call_soon_threadsafe(lambda: seen.append(var.get()))
    await asyncio.sleep(0.01)
    print(seen, await asyncio.to_thread(var.get), await loop.run_in_executor(None, var.get))
    print(len(contextvars.copy_context()))
asyncio.run(main())
""",
    "identity": r"""
import asyncio, inspect, sys
async def inner():
    await asyncio.sleep(0.01)
async def outer():
    await inner()
class Callable:
    async def __call__(self):
        await asyncio.sleep(0.01)
async def main():
    loop = asyncio.get_running_loop()
    coroutine = outer()
    task = asyncio.create_task(coroutine)
    print(task.get_coro() is coroutine, inspect.getcoroutinestate(coroutine))
    print(task, [f.f_code.co_name for f in task.get_stack()])
    await asyncio.sleep(0)
    print(repr(task), inspect.getcoroutinestate(coroutine))
    print([(f.f_code.co_name, f.f_lineno) for f in task.get_stack()])
    task.print_stack(file=sys.stdout)
    asyncio.current_task().print_stack(file=sys.stdout)
    print([f.f_code.co_name for f in asyncio.current_task().get_stack()])
    print(coroutine.cr_await.cr_code.co_name, inspect.iscoroutine(task.get_coro()))
    print(sorted(t.get_name() for t in asyncio.all_tasks()), asyncio.current_task().get_coro().cr_code.co_name)
    await task
    print(task, inspect.getcoroutinestate(coroutine))
    print(await asyncio.gather(asyncio.create_task(Callable()())))
    print(type(task), isinstance(task, asyncio.Task), isinstance(task, asyncio.Future), loop.get_task_factory())
    print(type(loop).__name__, isinstance(loop, asyncio.AbstractEventLoop))
    print(asyncio.iscoroutinefunction(main), inspect.iscoroutinefunction(asyncio.sleep))
    handle = loop.call_soon(print, "called soon")
    print(handle, isinstance(handle, asyncio.Handle), handle.cancelled())
    timer = loop.call_later(60, print, "never")
    print(isinstance(timer, asyncio.TimerHandle), timer.when() > loop.time(), timer.cancelled(), timer.cancel(), timer.cancelled())
    await asyncio.sleep(0)
    future = loop.create_future()
    future.add_done_callback(lambda f: None)
    print(future, future.get_loop() is loop)
    future.cancel()
    print(inspect.signature(loop.create_task), inspect.signature(loop.call_soon), inspect.signature(asyncio.Semaphore.acquire))
asyncio.run(main())
""",
    "task factories": r"""
import asyncio, sys
class Custom(asyncio.Task):
    pass
log = []
async def step(name, sleep=True):
    log.append((name, "starts", asyncio.current_task().get_name()))
    if sleep:
        await asyncio.sleep(0)
    log.append((name, "ends"))
    return name
async def raises():
    raise ValueError("eager")
async def main():
    loop = asyncio.get_running_loop()
    loop.set_task_factory(lambda loop, coro, **options: Custom(coro, loop=loop, **options))
    task = asyncio.create_task(step("custom"), name="custom")
    print(type(task).__name__, task.get_name(), await task)
    async with asyncio.TaskGroup() as group:
        print(type(group.create_task(step("grouped"))).__name__)
    if sys.version_info >= (3, 12):
        loop.set_task_factory(asyncio.eager_task_factory)
        a = asyncio.create_task(step("eager", sleep=False), name="a")
        b = asyncio.create_task(step("suspends"), name="b")
        c = asyncio.create_task(raises(), name="c")
        print(a.done(), b.done(), c.done(), log[-3:])
        print(await asyncio.gather(a, b, c, return_exceptions=True))
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(step(n)) for n in range(2)]
        print([t.result() for t in tasks])
        print(asyncio.current_task().get_name(), loop.get_task_factory() is asyncio.eager_task_factory)
    loop.set_task_factory(None)
    print(await asyncio.create_task(step("plain")))
    direct = asyncio.Task(step("direct"), loop=loop)
    print(await direct)
    print(*log, sep="\n")
asyncio.run(main())
""",
    "freed tasks": r"""
import asyncio, gc, weakref
async def job(box):
    await asyncio.sleep(0.001)
    return box
class Box:
    pass
async def main():
    gc.disable()
    box = Box()
    task = asyncio.create_task(job(box))
    alive = [weakref.ref(task), weakref.ref(task.get_coro()), weakref.ref(box)]
    await task
    del task, box
    await asyncio.sleep(0)
    print([ref() is None for ref in alive])
    loop = asyncio.get_running_loop()
    box = Box()
    ref = weakref.ref(box)
    loop.call_soon(id, box)
    loop.call_later(0.001, id, box)
    del box
    await asyncio.sleep(0.01)
    print(ref() is None)
    async def fails():
        box = Box()
        boxes.append(weakref.ref(box))
        raise ValueError
    boxes = []
    await asyncio.gather(fails(), return_exceptions=True)
    await asyncio.sleep(0)
    print([r() is None for r in boxes])
    lock = asyncio.Semaphore(1)
    ref = weakref.ref(lock)
    async with lock:
        pass
    del lock
    print(ref() is None)
asyncio.run(main())
""",
    "async generators": r"""
import asyncio
log = []
async def numbers(n):
    try:
        for i in range(n):
            yield i
            await asyncio.sleep(0)
    finally:
        log.append("closed")
async def main():
    async for n in numbers(3):
        print(n)
    generator = numbers(5)
    print(await asyncio.create_task(anext(generator)))
    print(await generator.asend(None))
    await generator.aclose()
    left = numbers(5)
    async for n in left:
        break
    print(log, [n async for n in numbers(2)])
    try:
        await numbers(1).athrow(ValueError("thrown"))
    except ValueError as error:
        print(error)
    globals()["left"] = left
asyncio.run(main())
print(log)
""",
    "odd uses": r"""
import asyncio, gc, sys, threading
async def brew(n):
    await asyncio.sleep(0.01)
    return n
def dropped_with_its_loop():
    loop = asyncio.new_event_loop()
    task = loop.create_task(asyncio.sleep(600))
    print(loop.run_until_complete(brew(1)))
    loop.close()
    del task
    gc.collect()
def closed():
    loop = asyncio.new_event_loop()
    loop.close()
    loop.run_until_complete(brew(2))
def stopped_from_another_thread():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    print(asyncio.run_coroutine_threadsafe(brew(3), loop).result())
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
def in_two_threads():
    thread = threading.Thread(target=lambda: asyncio.run(brew(4)))
    thread.start()
    print(asyncio.run(brew(5)), thread.join())
async def run_inside():
    asyncio.run(brew(6))
async def run_until_complete_inside():
    asyncio.get_running_loop().run_until_complete(brew(7))
async def a_factory_of_no_tasks():
    def factory(loop, coro, **options):
        coro.close()
        future = loop.create_future()
        future.set_result("no task")
        return future
    asyncio.get_running_loop().set_task_factory(factory)
    print(await asyncio.create_task(brew(8)))
async def deeper(n=1000):
    if n:
        return await deeper(n - 1) + 1
    await asyncio.sleep(0.02)
    return 0
class Awaitable:
    def __init__(self, value):
        self.value = value
    def __await__(self):
        yield self.value
        return "awaited"
async def own_awaitable():
    print(await Awaitable(None))
async def yields_nonsense():
    await Awaitable(42)
async def awaits_itself():
    await asyncio.current_task()
async def stops_its_loop():
    asyncio.get_running_loop().stop()
    await asyncio.sleep(1)
class Mine(asyncio.Task):
    def __repr__(self):
        raise RuntimeError
    get_name = __repr__
async def a_repr_that_raises():
    print(await Mine(brew(9)))
async def a_name_that_is_no_text():
    print(await asyncio.create_task(brew(10), name=42))
sys.setrecursionlimit(100_000)
for call in (dropped_with_its_loop, closed, stopped_from_another_thread, in_two_threads, *(
    lambda function=function: asyncio.run(function())
    for function in (run_inside, run_until_complete_inside, a_factory_of_no_tasks, deeper, own_awaitable, yields_nonsense, awaits_itself, stops_its_loop, a_repr_that_raises, a_name_that_is_no_text)
)):
    try:
        print(call())
    except BaseException as error:
        print(type(error).__name__, error)
    gc.collect()
""",
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_changes(name: str, loop: str, tmp_path: Path) -> None:
    assert_nothing_changes(tmp_path, SCRIPTS[name], loop)


def test_virtual_time_changes_only_how_long_it_takes(tmp_path: Path) -> None:
    _, run = alike(tmp_path, SCRIPTS["cancellation"], virtual=True)
    assert len(run.left_pending) == 1
