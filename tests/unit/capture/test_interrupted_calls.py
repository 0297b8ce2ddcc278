"""No effect of a call gets lost under the tracer that plain Python keeps, if a signal handler raises.

Nor does anything wait for a lock in a callback of a profiler, or in a finalizer or handler, that would not.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support import interrupted_calls
from tests.support.plain_and_traced import PYTHON, alike, traced

PROGRAM = Path(interrupted_calls.__file__)
ATOMIC = ("with Lock", "with RLock", "with RLock, twice")
"""Calls after which plain Python lets no handler run before the next instruction, except for 3.14."""
OTHERS = tuple(name for name in interrupted_calls.CALLS if name not in ATOMIC)
"""After the others it may, so something may be lost in plain Python, too."""
MORE, SOME = 3, 0.25
"""A traced call may lose this many times as much as a plain one, and this share of the signals."""


def _lost_traced(signals: int, names: tuple[str, ...], folder: Path) -> dict[str, int]:
    (folder / PROGRAM.name).write_text(PROGRAM.read_text(encoding="utf-8"), encoding="utf-8")
    seen, run = traced(PROGRAM.name, str(signals), *names, folder=folder)
    assert (seen.exit_code, seen.stderr) == (0, "")
    assert [note for note in run.notes if "hook" in note or "stops early" in note] == []
    return dict(map(json.loads, seen.stdout.splitlines()))


def _lost_plain(signals: int, names: tuple[str, ...]) -> dict[str, int]:
    command = [PYTHON, os.fspath(PROGRAM), str(signals), *names]
    said = subprocess.run(command, capture_output=True, check=True, timeout=300)
    return dict(map(json.loads, said.stdout.splitlines()))


def test_lock_is_never_left_held_after_a_with(tmp_path: Path) -> None:
    _compare_atomic(300, tmp_path)


def test_condition_takes_its_lock_again_after_a_wait(tmp_path: Path) -> None:
    lost = _lost_traced(300, ("Condition(RLock).wait",), tmp_path)["Condition(RLock).wait"]
    assert lost < 300 / 8  # plain Python loses about one in twenty


@pytest.mark.release  # it compares two frequencies, with chance in both
def test_no_call_loses_much_more_than_in_plain_python(tmp_path: Path) -> None:
    _compare(50, tmp_path)


@pytest.mark.release
@pytest.mark.slow
def test_no_call_loses_more_in_thousands_of_signals(tmp_path: Path) -> None:
    _compare_atomic(5000, tmp_path)
    _compare(500, tmp_path)


def _compare_atomic(signals: int, folder: Path) -> None:
    plain, seen = _lost_plain(signals, ATOMIC), _lost_traced(signals, ATOMIC, folder)
    assert [name for name in ATOMIC if seen[name] > 2 * plain[name]] == []


def _compare(signals: int, folder: Path) -> None:
    plain, seen = _lost_plain(signals, OTHERS), _lost_traced(signals, OTHERS, folder)
    assert {
        name: (seen[name], plain[name]) for name in OTHERS if seen[name] > MORE * plain[name] + SOME * signals
    } == {}


CALLBACKS = {
    "profile": r"""
import sys, threading
def install(callback):
    sys.setprofile(lambda frame, event, argument: callback() if event in ("call", "return") else None)
def remove():
    sys.setprofile(None)
""",
    "trace": r"""
import sys, threading
def install(callback):
    sys.settrace(lambda frame, event, argument: callback())
def remove():
    sys.settrace(None)
""",
    "monitoring": r"""
import sys, threading
def install(callback):
    if sys.version_info >= (3, 12):
        events = sys.monitoring.events
        sys.monitoring.use_tool_id(1, "test")
        for event in (events.PY_START, events.PY_RETURN):
            sys.monitoring.register_callback(1, event, lambda *_: callback())
        sys.monitoring.set_events(1, events.PY_START | events.PY_RETURN)
def remove():
    if sys.version_info >= (3, 12):
        sys.monitoring.set_events(1, 0)
""",
}

TAKES_LOCKS = r"""
lock, rlock, calls = threading.Lock(), threading.RLock(), 0
def callback():
    global calls
    with lock, rlock:
        calls += 1
def work():
    with lock:
        pass
    with rlock, rlock:
        pass
install(callback)
work()
for _ in range(3):
    with lock:
        pass
    with rlock, rlock:
        pass
remove()
print(lock.locked(), rlock, "done")
"""


@pytest.mark.parametrize("kind", CALLBACKS)
def test_callback_that_takes_the_same_lock_ends(kind: str, tmp_path: Path) -> None:
    alike(tmp_path, CALLBACKS[kind] + TAKES_LOCKS)


def test_signal_handler_may_use_what_it_interrupts(tmp_path: Path) -> None:
    """An RLock that its thread holds, and a SimpleQueue, which allows that."""
    alike(tmp_path, REENTRANT)


REENTRANT = """
import queue, signal, threading
rlock, items, handled, put = threading.RLock(), queue.SimpleQueue(), 0, 0
def handler(number, frame):
    global handled
    with rlock, rlock:
        handled += 1
    items.put(handled)
    signal.setitimer(signal.ITIMER_REAL, 0.0001 if handled < 300 else 0)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0001)
while handled < 300:
    with rlock:
        put += 1
    items.put(0)
print(rlock.acquire(False), rlock.release(), items.qsize() == handled + put)
"""


def test_finalizer_may_take_the_lock(tmp_path: Path) -> None:
    alike(tmp_path, FINALIZERS)


FINALIZERS = """
import gc, threading, weakref
lock, rlock, ended = threading.Lock(), threading.RLock(), 0
class Cycle:
    def __init__(self):
        self.me = self
    def __del__(self):
        global ended
        with lock, rlock:
            ended += 1
gc.set_threshold(5)
for _ in range(500):
    Cycle()
    with lock:
        pass
    with rlock, rlock:
        pass
gc.collect()
print(ended, lock.locked(), rlock.acquire(False), rlock.release())
"""


def test_lock_that_is_taken_again_and_again_keeps_nothing(tmp_path: Path) -> None:
    """Neither the objects that record it, nor those of a lock that is gone."""
    alike(tmp_path, MEMORY)


MEMORY = """
import gc, threading
lock, rlock = threading.Lock(), threading.RLock()
def use(lock):
    for _ in range(50):
        with lock:
            pass
        lock.acquire()
        lock.release()
def use_deeply():
    for _ in range(2000):
        with rlock, rlock:
            pass
    rlock.acquire()
    for _ in range(20000):  # the depth of C's stack must not grow with it
        with rlock:
            pass
    rlock.release()
use(lock), use_deeply(), use(threading.Lock())
gc.collect()
gc.disable()
before = len(gc.get_objects())
for _ in range(100):
    use(threading.Lock()), use(threading.RLock())
use_deeply()
print(len(gc.get_objects()) - before < 100)
"""
