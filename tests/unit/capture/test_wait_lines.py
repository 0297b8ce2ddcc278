"""Each wait has the line it waits on: the innermost one of the user's own code."""

from __future__ import annotations

import textwrap
from pathlib import Path

from asyncdemo.model import Run, RunOutcome, State
from asyncdemo.recording.runner import Options, Target, record


def recorded(folder: Path, source: str, **options: object) -> Run:
    script = folder / "app.py"
    script.write_text(textwrap.dedent(source), encoding="utf-8")
    run = record(Target(str(script)), Options(timeout_s=30.0, **options))  # type: ignore[arg-type]
    assert run.outcome is RunOutcome.OK, run.notes
    return run


def waits(run: Run, function: str) -> list[tuple[str, int | None]]:
    """(reason, line) of the waits of the lanes that run it, in order, each run of equal ones once."""
    found: list[tuple[str, int | None]] = []
    for track in run.tracks:
        if function in (track.function, track.name):
            for span in track.spans:
                site = span.wait.site
                wait = span.wait.reason, None if site is None else site.line
                if span.state in (State.WAITING, State.QUEUED) and found[-1:] != [wait]:
                    found.append(wait)
    return found


def test_a_task_waits_at_different_lines_for_the_same(tmp_path: Path) -> None:
    run = recorded(
        tmp_path,
        """
        import asyncio

        async def pause(seconds):
            await asyncio.sleep(seconds)

        async def main():
            await asyncio.sleep(0.01)
            await pause(0.01)
            for _ in range(3):
                await asyncio.sleep(0.01)

        asyncio.run(main())
        """,
        virtual=True,
    )
    assert waits(run, "main") == [("sleep", 8), ("sleep", 5), ("sleep", 11)]
    (main,) = (track for track in run.tracks if track.function == "main")
    assert {span.wait.site.function for span in main.spans if span.wait.site} == {"main", "pause"}


def test_wait_shows_its_line_however_the_wait_is_made(tmp_path: Path) -> None:
    run = recorded(
        tmp_path,
        """
        import asyncio, time

        async def give(queue, lock, event, future):
            await asyncio.sleep(0.01)
            lock.release()
            await asyncio.sleep(0.01)
            event.set()
            await asyncio.sleep(0.01)
            queue.put_nowait(1)
            await asyncio.sleep(0.01)
            future.set_result(None)

        async def items(queue):
            yield await queue.get()

        async def take(queue, lock, event, future):
            async with lock:
                pass
            await event.wait()
            async for _ in items(queue):
                queue.task_done()
            await future
            await asyncio.gather(asyncio.sleep(0.01), asyncio.sleep(0.01))
            async with asyncio.timeout(1):
                await asyncio.to_thread(time.sleep, 0.02)
            for done in asyncio.as_completed([asyncio.sleep(0.01)]):
                await done

        async def main():
            lock, queue, event = asyncio.Lock(), asyncio.Queue(), asyncio.Event()
            future = asyncio.get_running_loop().create_future()
            await lock.acquire()
            task = asyncio.create_task(take(queue, lock, event, future))
            await give(queue, lock, event, future)
            await task

        asyncio.run(main())
        """,
    )
    expected = [
        ("lock", 18),
        ("event", 20),
        ("empty queue", 15),
        ("future", 23),
        ("gather", 24),
        ("thread", 26),
        ("tasks", 28),
    ]
    assert [wait for wait in waits(run, "take") if wait[0] != "executor"] == expected
    assert waits(run, "main")[-1] == ("task", 36)


def test_the_same_primitive_awaited_at_two_lines_by_turns(tmp_path: Path) -> None:
    """What is known of one place is not said of another."""
    run = recorded(
        tmp_path,
        """
        import asyncio

        async def other(one, two):
            for _ in range(3):
                await asyncio.sleep(0.01)
                one.set()
                await asyncio.sleep(0.01)
                two.set()

        async def main():
            one, two = asyncio.Event(), asyncio.Event()
            task = asyncio.create_task(other(one, two))
            for _ in range(3):
                await one.wait()
                one.clear()
                await two.wait()
                two.clear()
            await task

        asyncio.run(main())
        """,
    )
    assert waits(run, "main")[:6] == [("event", 15), ("event", 17)] * 3


def test_a_thread_waits_at_a_line(tmp_path: Path) -> None:
    run = recorded(
        tmp_path,
        """
        import queue
        import threading
        import time

        jobs = queue.Queue()

        def work():
            jobs.get()
            time.sleep(0.02)

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.05)
        jobs.put(1)
        thread.join()
        """,
    )
    assert waits(run, "work") == [("empty queue", 9), ("sleep", 10)]
    assert waits(run, "MainThread")[-2:] == [("sleep", 14), ("thread", 16)]


def test_executors_work_has_one_line_before_and_after_it_starts(
    tmp_path: Path,
) -> None:
    run = recorded(
        tmp_path,
        """
        import asyncio
        import time
        from concurrent.futures import ThreadPoolExecutor

        async def main():
            loop = asyncio.get_running_loop()
            with ThreadPoolExecutor(1) as pool:
                busy = loop.run_in_executor(pool, time.sleep, 0.05)
                await loop.run_in_executor(pool, time.sleep, 0.05)
                await busy

        asyncio.run(main())
        """,
    )
    assert waits(run, "main") == [("executor", 10), ("thread", 10)]
