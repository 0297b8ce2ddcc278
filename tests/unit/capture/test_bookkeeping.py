"""What is recorded as taken and given back is what really was: a call that raised changed nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.analysis.metrics import resource_use
from tests.support.truth import recorded

SCRIPTS = {
    "an RLock that another thread releases": """
        import threading
        lock = threading.RLock()
        def release():
            try:
                lock.release()
            except RuntimeError:
                pass
        for _ in range(3):
            with lock:
                thread = threading.Thread(target=release)
                thread.start()
                thread.join()
        release()
    """,
    "a Lock that is not held": """
        import threading
        lock = threading.Lock()
        for _ in range(3):
            try:
                lock.release()
            except RuntimeError:
                pass
            with lock:
                try:
                    lock.release("wrong")
                except TypeError:
                    pass
    """,
    "a Lock by its old names": """
        import threading
        lock = threading.Lock()
        for _ in range(3):
            lock.acquire_lock()
            lock.release_lock()
    """,
    "an RLock that a condition lets go of": """
        import threading
        lock = threading.RLock()
        condition = threading.Condition(lock)
        with lock, lock:
            condition.wait(0.001)
            condition.wait(0.001)
        try:
            condition.wait(0.001)
        except RuntimeError:
            pass
    """,
    "a semaphore that is released too often": """
        import threading
        gate = threading.BoundedSemaphore(1)
        for wrong in (1, 0, -1, "x", 2):
            try:
                gate.release(wrong)
            except (ValueError, TypeError):
                pass
        for _ in range(3):
            with gate:
                try:
                    gate.release(2)
                except ValueError:
                    pass
    """,
    "asyncio": """
        import asyncio
        async def main():
            gate = asyncio.BoundedSemaphore(1)
            for _ in range(3):
                try:
                    gate.release()
                except ValueError:
                    pass
                async with gate:
                    pass
        asyncio.run(main())
    """,
    "a lock of asyncio": """
        import asyncio
        async def main():
            lock = asyncio.Lock()
            for _ in range(3):
                try:
                    lock.release()
                except RuntimeError:
                    pass
                async with lock:
                    pass
        asyncio.run(main())
    """,
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_three_times_taken_and_given_back(name: str, tmp_path: Path) -> None:
    trace = recorded(tmp_path, SCRIPTS[name])
    (resource,) = trace.run.resources
    assert len(resource.slots) == 3
    assert resource_use(trace.run)[0].peak_held == 1
    starts_and_ends = [at_ns for slot in resource.slots for at_ns in (slot.start_ns, slot.end_ns)]
    assert starts_and_ends == sorted(starts_and_ends), "none was given back later than the next was taken"


def test_a_semaphore_opened_for_many_costs_no_more_than_it_held(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import threading
        gate = threading.Semaphore(2)
        gate.acquire()
        gate.release(10**5)
        """,
    )
    (resource,) = trace.run.resources
    assert len(resource.slots) == 1


def test_semaphore_that_starts_at_zero_is_a_signal_and_no_limit(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio
        async def main():
            signal = asyncio.Semaphore(0)
            asyncio.get_running_loop().call_later(0.01, signal.release)
            await signal.acquire()
        asyncio.run(main())
        """,
        virtual=True,
    )
    assert trace.run.resources == ()
