"""A program that hangs says who holds what, who waits for what at which line, and the circle if any."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from asyncdemo.analysis.diagnose import diagnose, where_they_wait
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.runner import Options, Recording, Target, record


def hang(folder: Path, source: str, **options: object) -> Run:
    script = folder / "app.py"
    script.write_text(textwrap.dedent(source), encoding="utf-8")
    return record(Target(str(script)), Options(**{"timeout_s": 1.0, **options}))  # type: ignore[arg-type]


def deadlock(run: Run) -> str:
    """What the one deadlock says."""
    (found,) = [finding for finding in diagnose(run) if finding.kind == "deadlock"]
    return found.message


BANK = """
    import threading
    import time

    left = threading.Lock()
    right = threading.Lock()

    def there():
        with left:
            time.sleep(0.1)
            with right:
                pass

    def back():
        with right:
            time.sleep(0.1)
            with left:
                pass

    threads = [threading.Thread(target=there), threading.Thread(target=back)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    """


@dataclass(frozen=True)
class Hang:
    """A script, and what is said of it. ``waits``: the first sentences about who waits for what.

    ``nobody_left``: whether it is also said that nobody can wake them.
    """

    source: str
    deadlock: str = ""
    advice: str = ""
    waits: tuple[str, ...] = ()
    nobody_left: bool = False
    virtual: bool = False


def _tasks(source: str) -> str:
    """A script that runs ``main``. The first line of the source is its line 4."""
    return f"\nimport asyncio\n\n{textwrap.dedent(source).strip()}\n\nasyncio.run(main())\n"


_USE = """
        async def use(first, second):
            async with first:
                await asyncio.sleep(0.05)
                async with second:
                    pass
"""

HANGS = {
    "two threads and two locks": Hang(
        BANK,
        deadlock=(
            "Deadlock: Thread-1 (there) holds lock `left` (taken at app.py:9) and waits for lock `right` at "
            "app.py:11; Thread-2 (back) holds lock `right` (taken at app.py:15) and waits for lock `left` at "
            "app.py:17. None of them can ever continue."
        ),
        advice="in the same order",
        waits=("MainThread waits for Thread-1 (there) to end at app.py:24.",),
    ),
    "two tasks and a pool of two": Hang(
        _tasks("""
        async def worker(pool):
            async with pool:
                await asyncio.sleep(0.05)
                async with pool:
                    pass

        async def main():
            pool = asyncio.Semaphore(2)
            await asyncio.gather(worker(pool), worker(pool))
        """),
        deadlock=(
            "Deadlock: Task-2 (worker) and Task-3 (worker) each hold 1 of the 2 slots of semaphore `pool` "
            "(taken at app.py:5) and wait for another one at app.py:7. None of them can ever continue."
        ),
        waits=("Task-1 (main) awaits Task-2 (worker) and Task-3 (worker) at app.py:12.",),
    ),
    "one task takes its lock twice": Hang(
        """
        import asyncio

        class Account:
            def __init__(self):
                self.lock = asyncio.Lock()

            async def pay(self):
                async with self.lock:
                    await self.balance()

            async def balance(self):
                async with self.lock:
                    return 7

        asyncio.run(Account().pay())
        """,
        deadlock=(
            "Deadlock: Task-1 (Account.pay) holds lock `self.lock` (taken at app.py:9) and waits for the "
            "same lock at app.py:13. It can never continue."
        ),
        advice="second time",
        virtual=True,
    ),
    "a lock that its holder never gave back": Hang(
        """
        import threading

        lock = threading.Lock()

        def careless():
            lock.acquire()

        thread = threading.Thread(target=careless)
        thread.start()
        thread.join()
        lock.acquire()
        """,
        deadlock=(
            "Never given back: Thread-1 (careless) took lock `lock` (taken at app.py:7) and ended without "
            "giving it back. MainThread waits for lock `lock` at app.py:12, and can never continue."
        ),
        nobody_left=True,
    ),
    "a worker that waits for work of its own executor": Hang(
        """
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(1)

        def inner():
            return 1

        def outer():
            return pool.submit(inner).result()

        pool.submit(outer).result()
        """,
        deadlock=(
            "Deadlock: ThreadPoolExecutor-0_0 (outer) waits for a free worker of executor `pool` at "
            "app.py:10. It can never continue."
        ),
        advice="of its own executor",
    ),
    "a loop that blocks its own thread for a task of its own": Hang(
        _tasks("""
        async def fetch():
            return 1

        async def main():
            loop = asyncio.get_running_loop()
            return asyncio.run_coroutine_threadsafe(fetch(), loop).result()
        """),
        waits=("Task-1 (main) blocks its event loop at app.py:9: it waits for a future to get its result.",),
        nobody_left=True,
    ),
    "a queue that nobody feeds": Hang(
        _tasks("""
        async def worker(jobs):
            while True:
                await jobs.get()

        async def main():
            jobs = asyncio.Queue()
            async with asyncio.TaskGroup() as group:
                group.create_task(worker(jobs))
                group.create_task(worker(jobs))
        """),
        waits=(
            "Task-1 (main) waits for the tasks of its group (Task-2 (worker) and Task-3 (worker)) at "
            "app.py:10.",
            "Task-2 (worker) and Task-3 (worker) wait for an item of queue `jobs` at app.py:6.",
        ),
        nobody_left=True,
        virtual=True,
    ),
    "a timer may yet wake who waits": Hang(
        _tasks("""
        async def main():
            done = asyncio.Event()
            asyncio.get_running_loop().call_later(100, done.set)
            await done.wait()
        """),
        waits=("Task-1 (main) waits for an event to be set at app.py:7.",),
    ),
    "a signal may yet wake who waits": Hang(
        _tasks("""
        import signal

        async def main():
            stop = asyncio.Event()
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
            await stop.wait()
        """),
        waits=("Task-1 (main) waits for an event to be set at app.py:9.",),
    ),
    "a timeout may yet wake who waits": Hang(
        """
        import threading

        threading.Event().wait(timeout=100)
        """,
        waits=("MainThread waits for an event to be set (at most 100 s) at app.py:4.",),
    ),
    "a lock of threads between tasks": Hang(
        """
        import asyncio
        import threading

        lock = threading.Lock()

        async def use():
            with lock:
                await asyncio.sleep(0.01)

        async def main():
            await asyncio.gather(use(), use())

        asyncio.run(main())
        """,
        deadlock=(
            "Deadlock: Task-2 (use) holds lock `lock` (taken at app.py:8) and cannot run, because Task-3 "
            "(use) blocks the event loop; Task-3 (use) blocks its event loop at app.py:8: it waits for lock "
            "`lock`. None of them can ever continue."
        ),
        advice="asyncio.Lock",
    ),
    "two tasks that await each other": Hang(
        _tasks("""
        async def await_other(tasks, other):
            await asyncio.sleep(0)
            await tasks[other]

        async def main():
            tasks = []
            tasks += [asyncio.create_task(await_other(tasks, 1)), asyncio.create_task(await_other(tasks, 0))]
            await asyncio.wait_for(asyncio.gather(*tasks), 100)
        """),
        deadlock=(
            "Deadlock: Task-2 (await_other) awaits Task-3 (await_other) at app.py:6; Task-3 (await_other) "
            "awaits Task-2 (await_other) at app.py:6. None of them can continue unless a timeout, a signal "
            "or a cancellation ends one of these waits."
        ),
    ),
    "a deadlock beside a task that goes on": Hang(
        _tasks(f"""{_USE}
        async def beat():
            while True:
                await asyncio.sleep(0.1)

        async def main():
            left, right = asyncio.Lock(), asyncio.Lock()
            await asyncio.gather(use(left, right), use(right, left), beat())
        """),
        deadlock=(
            "Deadlock: Task-2 (use) holds lock `left` (taken at app.py:5) and waits for lock `right` at "
            "app.py:7; Task-3 (use) holds lock `right` (taken at app.py:5) and waits for lock `left` at "
            "app.py:7. None of them can ever continue."
        ),
    ),
    "a deadlock that a supervisor may end": Hang(
        _tasks(f"""{_USE}
        async def supervise(tasks):
            await asyncio.sleep(100)
            for task in tasks:
                task.cancel()

        async def main():
            left, right = asyncio.Lock(), asyncio.Lock()
            tasks = [asyncio.create_task(use(left, right)), asyncio.create_task(use(right, left))]
            supervisor = asyncio.create_task(supervise(tasks))
            await asyncio.gather(*tasks)
        """),
        deadlock=(
            "Deadlock: Task-2 (use) holds lock `left` (taken at app.py:5) and waits for lock `right` at "
            "app.py:7; Task-3 (use) holds lock `right` (taken at app.py:5) and waits for lock `left` at "
            "app.py:7. None of them can continue unless a timeout, a signal or a cancellation ends one of "
            "these waits."
        ),
    ),
    "two threads that wait for a lock with a timeout": Hang(
        """
        import threading
        import time

        left, right = threading.Lock(), threading.Lock()

        def use(first, second):
            with first:
                time.sleep(0.1)
                second.acquire(timeout=100)

        threading.Thread(target=use, args=(left, right)).start()
        threading.Thread(target=use, args=(right, left)).start()
        """,
        deadlock=(
            "Deadlock: Thread-1 (use) holds lock `left` (taken at app.py:8) and waits for lock `right` (at "
            "most 100 s) at app.py:10; Thread-2 (use) holds lock `right` (taken at app.py:8) and waits "
            "for lock `left` (at most 100 s) at app.py:10. None of them can continue unless a timeout, "
            "a signal or a cancellation ends one of these waits."
        ),
    ),
    "a semaphore that a callback gives back": Hang(
        _tasks("""
        async def main():
            gate = asyncio.Semaphore(1)
            for _ in range(2):
                await gate.acquire()
                task = asyncio.create_task(asyncio.sleep(100))
                task.add_done_callback(lambda _: gate.release())
        """),
        waits=("Task-1 (main) waits for a slot of semaphore `gate` at app.py:7.",),
    ),
    "who goes on is in no circle": Hang(
        _tasks("""
        async def slow(lock):
            async with lock:
                await asyncio.sleep(1000)

        async def main():
            lock = asyncio.Lock()
            await asyncio.gather(slow(lock), slow(lock))
        """),
        waits=(
            "Task-1 (main) awaits Task-2 (slow) and Task-3 (slow) at app.py:10.",
            "Task-2 (slow) sleeps at app.py:6.",
            "Task-3 (slow) waits for lock `lock` at app.py:5.",
        ),
    ),
    "items of a queue of tasks that are never done": Hang(
        _tasks("""
        async def main():
            jobs = asyncio.Queue()
            jobs.put_nowait(1)
            jobs.put_nowait(2)
            await jobs.get()
            await jobs.get()
            jobs.task_done()
            await jobs.join()
        """),
        waits=(
            "Task-1 (main) waits until every item of queue `jobs` is done (1 item without `task_done()`) at "
            "app.py:11.",
        ),
        nobody_left=True,
    ),
    "items of a queue of threads that are never done": Hang(
        """
        import queue

        jobs = queue.Queue()
        jobs.put(1)
        jobs.get()
        jobs.join()
        """,
        waits=(
            "MainThread waits until every item of queue `jobs` is done (1 item without `task_done()`) at "
            "app.py:7.",
        ),
        nobody_left=True,
    ),
}


@pytest.mark.parametrize("name", HANGS)
def test_who_holds_what_and_who_waits_for_what_at_which_line(name: str, tmp_path: Path) -> None:
    case = HANGS[name]
    run = hang(tmp_path, case.source, virtual=case.virtual)
    assert run.outcome is (RunOutcome.FAILED if case.virtual else RunOutcome.TIMEOUT)
    found = [finding for finding in diagnose(run) if finding.kind == "deadlock"]
    assert [one.message for one in found] == ([case.deadlock] if case.deadlock else [])
    assert all(case.advice in one.advice for one in found)
    waits = where_they_wait(run)
    assert waits[: len(case.waits)] == case.waits
    assert ("No task or thread is left that could wake any of them." in waits) == case.nobody_left


def test_ctrl_c_tells_what_was_held_before_it_was_let_go_of(tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(textwrap.dedent(BANK), encoding="utf-8")
    with Recording(Target(str(script)), Options(timeout_s=60.0)) as recording:
        recording.start()
        recording.go()
        while sum(lane.spans[-1].wait.reason == "lock" for lane in recording.result().lanes) < 2:
            assert recording.poll(0.05)
        recording.interrupt()
        while recording.poll(0.05):
            pass
        run = recording.result()
    assert run.outcome is RunOutcome.INTERRUPTED
    assert deadlock(run).startswith("Deadlock: Thread-1 (there) holds lock `left`")


def test_unresponsive_process_is_explained_by_its_recording(tmp_path: Path) -> None:
    stops = "import os, signal, time\ntime.sleep(0.4)\nos.kill(os.getpid(), signal.SIGSTOP)\n"
    head = textwrap.dedent(BANK).partition("for thread in threads:\n    thread.join()")[0]
    run = hang(tmp_path, head + stops, timeout_s=1.5)
    assert deadlock(run) == (
        "Deadlock: Thread-1 (there) holds lock `left` (taken at app.py:9) and waits for lock `right` at "
        "app.py:11; Thread-2 (back) holds lock `right` (taken at app.py:15) and waits for lock `left` at "
        "app.py:17. None of them can continue unless a timeout, a signal or a cancellation ends one of these "
        "waits."
    )


def test_one_that_stands_still_says_so_while_it_goes_on(tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(textwrap.dedent(BANK), encoding="utf-8")
    with Recording(Target(str(script)), Options(timeout_s=60.0)) as recording:
        recording.start()
        recording.go()
        while not recording.stands_still:
            assert recording.poll(0.05)
        assert deadlock(recording.result()).startswith("Deadlock: Thread-1 (there) holds lock `left`")


def test_one_that_only_slept_for_long_is_not_stuck_in_the_end(tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text("import time\ntime.sleep(3.5)\n", encoding="utf-8")
    stood = False
    with Recording(Target(str(script)), Options(timeout_s=60.0)) as recording:
        recording.start()
        recording.go()
        while recording.poll(0.05):
            stood = stood or recording.stands_still
        assert stood
        assert recording.result().stuck == ()
        assert recording.result().outcome is RunOutcome.OK
