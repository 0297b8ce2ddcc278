"""A program that hangs says who holds what, who waits for what at which line, and the circle if any."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from asyncdemo.analysis.diagnose import FindingKind, diagnose, where_they_wait
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.runner import Options, Recording, Target, record


def hang(folder: Path, source: str, **options: object) -> Run:
    script = folder / "app.py"
    script.write_text(textwrap.dedent(source), encoding="utf-8")
    run = record(Target(str(script)), Options(**{"timeout_s": 1.0, **options}))  # type: ignore[arg-type]
    assert run.outcome is not RunOutcome.OK
    return run


def deadlock(run: Run) -> str:
    """What the one deadlock says."""
    (found,) = [finding for finding in diagnose(run) if finding.kind is FindingKind.DEADLOCK]
    return found.message


def advice(run: Run) -> str:
    (found,) = [finding for finding in diagnose(run) if finding.kind is FindingKind.DEADLOCK]
    return found.advice


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


def test_two_threads_and_two_locks(tmp_path: Path) -> None:
    run = hang(tmp_path, BANK)
    assert deadlock(run) == (
        "Deadlock: Thread-1 (there) holds lock `left` (taken at app.py:9) and waits for lock `right` at "
        "app.py:11; Thread-2 (back) holds lock `right` (taken at app.py:15) and waits for lock `left` at "
        "app.py:17. None of them can ever go on."
    )
    assert "in the same order" in advice(run)
    assert where_they_wait(run) == ("MainThread waits for Thread-1 (there) to end at app.py:24.",)


def test_two_tasks_and_a_pool_of_two(tmp_path: Path) -> None:
    run = hang(
        tmp_path,
        """
        import asyncio

        async def worker(pool):
            async with pool:
                await asyncio.sleep(0.05)
                async with pool:
                    pass

        async def main():
            pool = asyncio.Semaphore(2)
            await asyncio.gather(worker(pool), worker(pool))

        asyncio.run(main())
        """,
    )
    assert deadlock(run) == (
        "Deadlock: Task-2 (worker) and Task-3 (worker) each hold 1 of the 2 slots of semaphore `pool` (taken "
        "at app.py:5) and wait for another one at app.py:7. None of them can ever go on."
    )
    assert where_they_wait(run) == ("Task-1 (main) awaits Task-2 (worker) and Task-3 (worker) at app.py:12.",)


def test_one_task_takes_its_lock_twice(tmp_path: Path) -> None:
    run = hang(
        tmp_path,
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
        virtual=True,
    )
    assert deadlock(run) == (
        "Deadlock: Task-1 (Account.pay) holds lock `self.lock` (taken at app.py:9) and waits for the same "
        "lock at app.py:13. It can never go on."
    )
    assert "second time" in advice(run)


def test_a_lock_that_its_holder_never_gave_back(tmp_path: Path) -> None:
    run = hang(
        tmp_path,
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
    )
    assert deadlock(run) == (
        "Never given back: Thread-1 (careless) took lock `lock` (taken at app.py:7) and ended without giving "
        "it back. MainThread waits for lock `lock` at app.py:12, and can never go on."
    )


def test_a_worker_that_waits_for_work_of_its_own_executor(tmp_path: Path) -> None:
    run = hang(
        tmp_path,
        """
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(1)

        def inner():
            return 1

        def outer():
            return pool.submit(inner).result()

        pool.submit(outer).result()
        """,
    )
    assert deadlock(run) == (
        "Deadlock: ThreadPoolExecutor-0_0 (outer) waits for a free worker of executor `pool` at app.py:10. "
        "It can never go on."
    )
    assert "of the same executor" in advice(run)


def test_a_loop_that_blocks_its_own_thread_for_a_task_of_its_own(tmp_path: Path) -> None:
    run = hang(
        tmp_path,
        """
        import asyncio

        async def fetch():
            return 1

        async def main():
            loop = asyncio.get_running_loop()
            return asyncio.run_coroutine_threadsafe(fetch(), loop).result()

        asyncio.run(main())
        """,
    )
    assert where_they_wait(run)[0] == (
        "Task-1 (main) blocks its event loop at app.py:9: it waits for a future to get its result."
    )


def test_a_queue_that_nobody_feeds(tmp_path: Path) -> None:
    run = hang(
        tmp_path,
        """
        import asyncio

        async def worker(jobs):
            while True:
                await jobs.get()

        async def main():
            jobs = asyncio.Queue()
            async with asyncio.TaskGroup() as group:
                group.create_task(worker(jobs))
                group.create_task(worker(jobs))

        asyncio.run(main())
        """,
        virtual=True,
    )
    assert where_they_wait(run) == (
        "Task-1 (main) waits for the tasks of its group (Task-2 (worker) and Task-3 (worker)) at app.py:10.",
        "Task-2 (worker) and Task-3 (worker) wait for an item of queue `jobs` at app.py:6.",
        "No task or thread is left that could wake any of them.",
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            """
            import asyncio

            async def main():
                jobs = asyncio.Queue()
                jobs.put_nowait(1)
                jobs.put_nowait(2)
                await jobs.get()
                await jobs.get()
                jobs.task_done()
                await jobs.join()

            asyncio.run(main())
            """,
            "Task-1 (main) waits until every item of queue `jobs` is done (1 item without `task_done()`) at "
            "app.py:11.",
        ),
        (
            """
            import queue

            jobs = queue.Queue()
            jobs.put(1)
            jobs.get()
            jobs.join()
            """,
            "MainThread waits until every item of queue `jobs` is done (1 item without `task_done()`) at "
            "app.py:7.",
        ),
    ],
)
def test_a_queue_whose_items_are_never_done(tmp_path: Path, source: str, words: str) -> None:
    assert where_they_wait(hang(tmp_path, source))[0] == words


def test_a_timer_may_yet_wake_who_waits(tmp_path: Path) -> None:
    run = hang(
        tmp_path,
        """
        import asyncio

        async def main():
            done = asyncio.Event()
            asyncio.get_running_loop().call_later(100, done.set)
            await done.wait()

        asyncio.run(main())
        """,
    )
    assert where_they_wait(run) == ("Task-1 (main) waits for an event to be set at app.py:7.",)


def test_a_lock_of_threads_between_tasks(tmp_path: Path) -> None:
    run = hang(
        tmp_path,
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
    )
    assert deadlock(run) == (
        "Deadlock: Task-2 (use) holds lock `lock` (taken at app.py:8) and cannot run, because Task-3 (use) "
        "blocks the event loop; Task-3 (use) blocks its event loop at app.py:8: it waits for lock `lock`. "
        "None of them can ever go on."
    )
    assert "asyncio.Lock" in advice(run)


def test_two_tasks_that_await_each_other(tmp_path: Path) -> None:
    run = hang(
        tmp_path,
        """
        import asyncio

        async def await_other(tasks, other):
            await asyncio.sleep(0)
            await tasks[other]

        async def main():
            tasks = []
            tasks += [asyncio.create_task(await_other(tasks, 1)), asyncio.create_task(await_other(tasks, 0))]
            await asyncio.wait_for(asyncio.gather(*tasks), 100)

        asyncio.run(main())
        """,
    )
    assert deadlock(run) == (
        "Deadlock: Task-2 (await_other) awaits Task-3 (await_other) at app.py:6; Task-3 (await_other) awaits "
        "Task-2 (await_other) at app.py:6. None of them can ever go on."
    )


def test_who_goes_on_is_in_no_circle(tmp_path: Path) -> None:
    """A slow holder is not a deadlock."""
    run = hang(
        tmp_path,
        """
        import asyncio

        async def slow(lock):
            async with lock:
                await asyncio.sleep(1000)

        async def main():
            lock = asyncio.Lock()
            await asyncio.gather(slow(lock), slow(lock))

        asyncio.run(main())
        """,
    )
    assert not [finding for finding in diagnose(run) if finding.kind is FindingKind.DEADLOCK]
    assert where_they_wait(run) == (
        "Task-1 (main) awaits Task-2 (slow) and Task-3 (slow) at app.py:10.",
        "Task-2 (slow) sleeps at app.py:6.",
        "Task-3 (slow) waits for lock `lock` at app.py:5.",
    )


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


def test_one_that_cannot_be_asked_is_explained_by_what_is_recorded(tmp_path: Path) -> None:
    stops = "import os, signal, time\ntime.sleep(0.4)\nos.kill(os.getpid(), signal.SIGSTOP)\n"
    head = textwrap.dedent(BANK).partition("for thread in threads:\n    thread.join()")[0]
    run = hang(tmp_path, head + stops, timeout_s=1.5)
    assert deadlock(run) == (
        "Deadlock: Thread-1 (there) holds lock `left` (taken at app.py:9) and waits for lock `right` at "
        "app.py:11; Thread-2 (back) holds lock `right` (taken at app.py:15) and waits for lock `left` at "
        "app.py:17. None of them can ever go on."
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
