"""What a script makes itself of asyncio's parts, and objects that mind being looked at: plain and traced alike.

Each script runs both ways, and its output is compared; then what was recorded beside it is.
"""

# ruff: noqa: E501 - the scripts print much in few lines

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.plain_and_traced import alike, has, plain, traced

OWN_HANDLES = r"""
import asyncio, gc, heapq, sys, weakref
from asyncio import Handle, TimerHandle, events

DEBUG = "debug" in sys.argv

class Loud(Handle):
    def _run(self):
        print("before")
        super()._run()
        print("after")

class LoudTimer(TimerHandle):
    pass

def fails():
    raise ValueError("fails")

async def main():
    loop = asyncio.get_running_loop()
    loop.set_debug(DEBUG)
    loop.set_exception_handler(lambda _, context: print(context["message"], repr(context["exception"]), context["handle"]))
    soon, later = loop.call_soon(print, "soon"), loop.call_later(0.01, print, "later")
    print(Handle is events.Handle is asyncio.Handle, TimerHandle is events.TimerHandle is asyncio.TimerHandle)
    print(type(soon) is Handle, type(later) is TimerHandle, isinstance(later, Handle), soon, Handle.__slots__)
    loop._add_callback(Handle(print, ("added",), loop))
    loop._ready.append(Handle(print, ["appended", "as a list"], loop))
    loop._add_callback(Loud(print, ("loud",), loop))
    loop._add_callback(Handle(fails, (), loop))
    own = [kind(loop.time() + delay, print, (kind.__name__, delay), loop) for kind, delay in ((TimerHandle, 0.02), (LoudTimer, 0.015))]
    for handle in own:
        heapq.heappush(loop._scheduled, handle)
        handle._scheduled = True
    print(own[1] < own[0], later < own[0], own[0] > later, own[0] == own[0], own[0] >= own[1], sorted([*own, later]) == [later, own[1], own[0]])
    soon._run()
    cancelled = loop.call_soon(print, "never")
    cancelled.cancel()
    print(cancelled, cancelled.cancelled())
    try:
        cancelled._run()
    except TypeError as error:
        print("TypeError", error)
    loop.call_soon(fails)
    loop.call_soon_threadsafe(fails)
    await asyncio.sleep(0.05)
    print(weakref.getweakrefcount(soon), [hasattr(soon, name) for name in ("ready_ns", "waker")])
    for wrong in (lambda: loop.call_soon(), lambda: loop.create_task(), lambda: loop.call_soon(print, context=1, more=2), lambda: loop.create_task(1, 2)):
        try:
            wrong()
        except Exception as error:
            print(type(error).__name__, error)
    loop._add_callback(Handle(print, ("last",), loop))
    await asyncio.sleep(0)
    await asyncio.sleep(0)

asyncio.run(main())
"""

OWN_LOOP = r"""
import asyncio, selectors

class Made(asyncio.Handle):
    pass

class Loop(asyncio.SelectorEventLoop):
    def _call_soon(self, callback, args, context):
        self.calls = getattr(self, "calls", 0) + 1
        handle = Made(callback, args, self, context)
        self._ready.append(handle)
        return handle

async def step(n):
    await asyncio.sleep(0)
    return n

async def main():
    print(await asyncio.gather(step(1), step(2)), type(asyncio.get_running_loop().call_soon(print, "soon")))
    await asyncio.sleep(0.01)

loop = Loop()
loop.run_until_complete(main())
print(loop.calls)
loop.close()
"""

HOSTILE = r"""
import asyncio, collections.abc, functools, sys, time

class Minds:
    def __init__(self, name):
        object.__setattr__(self, "called", name)
    def __getattr__(self, name):
        if name.startswith("__asyncdemo") or name in ("__self__", "__func__", "__code__", "__name__", "_callbacks", "__module__", "__wrapped__", "func", "cr_await", "cr_code", "gi_code", "ag_code", "cr_frame", "ag_frame", "gi_frame", "_callback"):
            print("asked for", name)
        raise RuntimeError(name)
    def __call__(self, *given):
        print(self.called, len(given))

class Answers(Minds):
    @property
    def __self__(self):
        print("asked")
        raise ValueError("asked")
    __func__ = __code__ = _callbacks = func = __self__

class Task(asyncio.Task):
    def get_name(self):
        print("named")
        raise RuntimeError("name")
    get_coro = done_ = get_name
    def __eq__(self, other):
        print("compared")
        raise RuntimeError("compared")
    __hash__ = asyncio.Task.__hash__

class Iterator(Minds):
    def __init__(self, future):
        object.__setattr__(self, "future", future)
        object.__setattr__(self, "called", "iterator")
    def __iter__(self):
        return self
    def __next__(self):
        if self.future.done():
            raise StopIteration("awaited")
        self.future._asyncio_future_blocking = True
        return self.future

class Awaitable:
    def __init__(self, future):
        self.future = future
    def __await__(self):
        return Iterator(self.future)

class Coroutine(collections.abc.Coroutine):
    def __init__(self, future):
        self.iterator = Iterator(future)
    def send(self, value):
        return next(self.iterator)
    def throw(self, *error):
        raise RuntimeError
    def close(self):
        pass
    def __await__(self):
        return self
    def __getattr__(self, name):
        if name in ("cr_await", "cr_code", "gi_code", "ag_code", "cr_frame", "cr_running"):
            print("asked for", name)
        raise RuntimeError(name)

async def awaits(future):
    return await Awaitable(future)

async def sleeps():
    await asyncio.sleep(0.01)
    return "slept"

async def main():
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.call_soon(Minds("soon"), 1)
    loop.call_soon(Answers("answers"))
    loop.call_soon(functools.partial(Minds("partial"), 1, 2))
    loop.call_soon_threadsafe(Minds("threadsafe"))
    loop.call_later(0.02, Answers("later"))
    loop.call_later(0.03, print, "an argument that minds", len([Minds("argument"), Answers("argument")]))
    loop.call_later(0.1, Minds("behind"), Minds("argument"), Answers("another"))
    future.add_done_callback(Minds("done"))
    future.add_done_callback(Answers("done"))
    loop.call_later(0.05, future.set_result, 5)
    print(await asyncio.gather(awaits(future), loop.create_task(Coroutine(future)) , Task(sleeps(), loop=loop)))
    task = loop.create_task(asyncio.sleep(5))
    loop.call_at(loop.time() + 0.07, task.cancel)
    loop.call_at(loop.time() + 0.08, Minds("at"), Minds("argument"), future, task)
    await asyncio.sleep(0)
    time.sleep(0.2)  # all that is due behind this
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")
    loop.set_task_factory(lambda loop, coroutine, **more: Task(coroutine, loop=loop))
    print(await asyncio.create_task(sleeps()))
    await asyncio.sleep(0.05)
    print("all of it")

asyncio.run(main())
"""

DESCRIPTORS = r"""
import asyncio, os, time

def many():
    return len(os.listdir("/proc/self/fd"))

before = many()
loops = []
for _ in range(5):
    loop = asyncio.new_event_loop()
    loop.run_until_complete(asyncio.sleep(0.03))
    loops.append(loop)
print(many() - before)
for loop in loops:
    loop.close()
print(many() - before)
"""

SCRIPTS = {
    "handles of one's own": (OWN_HANDLES,),
    "handles of one's own in debug mode": (OWN_HANDLES, "debug"),
    "a loop of one's own": (OWN_LOOP,),
    "objects that mind": (HOSTILE,),
    "objects that mind on uvloop": (
        HOSTILE.replace("asyncio.run(", "uvloop.run(").replace("import asyncio", "import uvloop, asyncio", 1),
    ),
    "descriptors": (DESCRIPTORS,),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_changes(name: str, tmp_path: Path) -> None:
    source, *arguments = SCRIPTS[name]
    if "uvloop" in name and not has("uvloop"):
        pytest.skip("this Python has no uvloop")
    seen, run = alike(tmp_path, source, *arguments)
    assert seen.exit_code == 0
    assert not [note for note in run.notes if "failed" in note]
    assert any(track.steps for track in run.tracks)


# -- what is recorded ---------------------------------------------------------------------------------

FROM_ELSEWHERE = """
import asyncio, sys, threading

async def waits(event):
    await event.wait()

async def idle():
    await asyncio.sleep(0)
    await asyncio.sleep(5)

async def late():
    await asyncio.sleep(0.02)

async def eager():
    await asyncio.sleep(0)
    await asyncio.sleep(0.01)

async def at_once():
    pass

async def main():
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    task = asyncio.create_task(waits(event))
    thread = threading.Thread(target=loop.call_soon_threadsafe, args=(event.set,), name="setter")
    thread.start()
    await task
    thread.join()
    victim = asyncio.create_task(idle())
    await asyncio.sleep(0.01)
    for _ in range(5):
        loop.call_soon(victim.cancelling)
    loop.call_soon(victim.cancel)
    await asyncio.gather(victim, return_exceptions=True)
    if sys.version_info >= (3, 12):
        await asyncio.Task(late(), loop=loop, eager_start=True)
        loop.set_task_factory(asyncio.eager_task_factory)
        await asyncio.create_task(eager())
        await asyncio.create_task(at_once())
    print(sys.version_info >= (3, 12))

asyncio.run(main())
"""


def test_who_wakes_whom_and_what_is_a_step(tmp_path: Path) -> None:
    seen, run = alike(tmp_path, FROM_ELSEWHERE)
    tracks = {track.function: track for track in run.tracks}
    names = {track.name: track.index for track in run.tracks}
    assert (names["setter"], tracks["waits"].index) in {(wake.waker, wake.woken) for wake in run.wakes}
    assert tracks["waits"].steps == 2
    assert tracks["idle"].steps == 3, "its callbacks are no steps of it"
    late = [note for note in run.notes if "only from their first suspension on (late)" in note]
    if "True" not in seen.stdout:
        assert not late
        return
    assert len(late) == 1
    assert tracks["late"].steps == 1
    assert tracks["eager"].steps == 3
    assert tracks["at_once"].steps == 1
    assert tracks["eager"].parent == tracks["at_once"].parent == tracks["main"].index


# -- hooks that hold their guard themselves -------------------------------------------------------------

FAULTY = """
import asyncio, sys

class Bad:
    "In place of what we keep of the loop."
    def __getattr__(self, name):
        if name == "is_plain":
            return True
        raise LookupError(name)
    def __setattr__(self, name, value):
        raise LookupError(name)

async def work(n):
    await asyncio.sleep(0)
    if n == 2:
        raise ValueError(n)
    await asyncio.sleep(0.001)
    return n

async def main():
    print(await asyncio.gather(*(work(n) for n in range(4)), return_exceptions=True))
    if "bad" in sys.argv:
        loop = asyncio.get_running_loop()
        loop._asyncdemo = Bad()
    print(await asyncio.gather(*(work(n) for n in range(4)), return_exceptions=True))
    print(await asyncio.to_thread(sum, [1, 2]))
    print(asyncio.Handle._run.__qualname__, asyncio.BaseEventLoop.call_soon.__name__)

asyncio.run(main())
print("ended")
"""


def test_a_fault_in_a_step_switches_off_that_hook_alone(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(FAULTY.lstrip("\n"), encoding="utf-8")
    seen, run = traced("script.py", "bad", folder=tmp_path)
    assert seen == plain("script.py", "fine", folder=tmp_path)
    failed = {note.split("`")[1] for note in run.notes if "hook there failed" in note}
    assert "Handle._run" in failed
    assert any(track.steps for track in run.tracks), "what was before is recorded"
