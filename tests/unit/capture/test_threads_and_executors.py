"""Threads, the work that they do for a pool, and the tasks that wait for them.

The script marks moments on the recording's own clock, and what each lane was doing at these moments
is compared: that holds on a slow machine.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.model import State
from tests.support.truth import Recorded, recorded


def test_threads_wait_for_what_they_wait_for(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import queue, threading, time

        gate, lock, event = threading.Semaphore(1), threading.Lock(), threading.Event()
        items, full = queue.Queue(), queue.Queue(1)
        full.put(0)

        def sleeper(): time.sleep(0.3)
        def gated():
            with gate: pass
        def locked():
            with lock: pass
        def eventful(): event.wait()
        def getter(): items.get()
        def putter(): full.put(1)
        def joiner(other): other.join()

        def main():
            gate.acquire(); lock.acquire()
            functions = sleeper, gated, locked, eventful, getter, putter
            threads = [threading.Thread(target=f, name=f.__name__) for f in functions]
            threads.append(threading.Thread(target=joiner, args=(threads[0],), name="joiner"))
            for thread in threads: thread.start()
            time.sleep(0.1)
            mark("all-wait")
            gate.release(); lock.release(); event.set(); items.put(1); full.get()
            for thread in threads: thread.join()

        main()
        """,
    )
    expected = {
        "sleeper": "waiting (sleep)",
        "gated": "queued (semaphore)",
        "locked": "queued (lock)",
        "eventful": "waiting (event)",
        "getter": "waiting (empty queue)",
        "putter": "queued (full queue)",
        "joiner": "waiting (thread)",
        "MainThread": "running",
    }
    assert {name: trace.at(name, "all-wait") for name in expected} == expected
    joined = next(span for span in trace.lane("joiner").spans if span.wait.reason == "thread")
    assert trace.run.tracks[joined.wait.on or 0].name == "sleeper"


def test_work_for_a_pool_is_queued_until_a_worker_takes_it(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio, time
        from concurrent.futures import ThreadPoolExecutor

        def work(n):
            mark(f"start-{n}")
            time.sleep(0.2)
            mark(f"end-{n}")

        async def job(n, pool):
            await asyncio.get_running_loop().run_in_executor(pool, work, n)

        async def main():
            pool = ThreadPoolExecutor(1)
            await asyncio.gather(job(1, pool), job(2, pool))

        asyncio.run(main())
        """,
        lanes=["job"],
    )
    first, second = trace.run.lanes
    middle = trace.between("start-1", "end-1")
    assert [trace.run.tracks[lane.track].function for lane in (first, second)] == ["job", "job"]
    names = [span_at(trace, lane.track, middle) for lane in (first, second)]
    assert names == ["waiting (thread)", "queued (executor)"]
    assert span_at(trace, second.track, trace.between("start-2", "end-2")) == "waiting (thread)"
    (pool,) = trace.run.resources
    assert (pool.kind, pool.limit, len(pool.slots)) == ("executor", 1, 2)


@pytest.mark.parametrize("late", ["first turn", "second turn"])
def test_thread_starter_is_not_blamed_for_the_threads_first_turn(tmp_path: Path, late: str) -> None:
    """A busy machine lets a new thread wait, and its starter. What the thread then does counts."""
    trace = recorded(
        tmp_path,
        f"""
        import asyncio, ctypes, threading
        late = ctypes.CDLL(None) if {late == "first turn"} else ctypes.PyDLL(None)

        class Thread(threading.Thread):
            def _bootstrap(self):
                if {late == "first turn"}:
                    late.usleep(150_000)
                super()._bootstrap()

            def run(self):
                if {late != "first turn"}:
                    late.usleep(150_000)  # keeps the interpreter

        async def main():
            await asyncio.sleep(0.05)
            thread = Thread()
            thread.start()
            await asyncio.sleep(0.2)
            thread.join()

        asyncio.run(main())
        """,
    )
    held = any(step.held_ns > 50_000_000 for step in trace.run.slow_steps)
    assert held == (late == "second turn")


def test_work_queues_for_a_pool_even_if_a_thread_waits_for_all(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import time
        from concurrent.futures import ThreadPoolExecutor
        def main():
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(time.sleep, [0.05] * 6))
        main()
        """,
    )
    (pool,) = trace.run.resources
    assert len(pool.slots) == 6 and len(pool.queue) >= 4


def test_task_waits_until_its_loop_notices_another_threads_act(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio, threading, time
        async def main():
            done = asyncio.Event()
            threading.Timer(0.1, done.set).start()
            asyncio.get_running_loop().call_later(0.6, int)
            await done.wait()
        asyncio.run(main())
        """,
        lanes=["main"],
    )
    (lane,) = trace.run.lanes
    ready_ns = sum(span.duration_ns for span in lane.spans if span.state is State.READY)
    assert ready_ns < (lane.end_ns - lane.start_ns) / 2
    assert [note for note in trace.run.notes if "call_soon_threadsafe" in note]


def span_at(trace: Recorded, track: int, at_ns: int) -> str:
    lane = next(lane for lane in trace.run.lanes if lane.track == track)
    span = next(span for span in lane.spans if span.start_ns <= at_ns < span.end_ns)
    return f"{span.state.name.lower()} ({span.wait.reason})"
