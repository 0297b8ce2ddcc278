"""What a blocked event loop looks like: who blocks it at which line, and who could have gone on.

The script marks moments on the recording's own clock, and what each lane was doing at these moments
is compared: that holds on a slow machine.
"""

from __future__ import annotations

import select
from pathlib import Path

import pytest

from tests.support.truth import recorded


def test_tasks_are_ready_or_waiting_while_another_blocks(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio, time

        async def blocker(gate):
            async with gate:
                await asyncio.sleep(0.05)
                mark("blocks")
                time.sleep(0.3)
                mark("blocked")

        async def due():
            await asyncio.sleep(0.1)
            mark("late")

        async def not_due():
            await asyncio.sleep(1.0)

        async def queueing(gate):
            async with gate:
                pass

        async def main():
            gate = asyncio.Semaphore(1)
            async with asyncio.TaskGroup() as group:
                group.create_task(blocker(gate))
                group.create_task(due())
                group.create_task(not_due())
                group.create_task(queueing(gate))

        asyncio.run(main())
        """,
    )
    middle = trace.between("blocks", "blocked")
    assert trace.at("blocker", middle) == "running"
    assert trace.at("due", middle) == "ready"
    assert trace.at("not_due", middle) == "waiting (sleep)"
    assert trace.at("queueing", middle) == "queued (semaphore)"
    assert trace.at("main", middle) == "waiting (taskgroup)"
    assert trace.at("due", "late") == "running"
    (step,) = trace.run.slow_steps
    assert step.reason == "sleep" and step.site is not None and step.site.function == "blocker"


@pytest.mark.parametrize(
    ("call", "reason"), [("time.sleep(0.2)", "sleep"), ("sum(range(12_000_000))", ""), ("spin()", "")]
)
def test_the_line_that_blocks_is_named_also_deep_in_a_library(tmp_path: Path, call: str, reason: str) -> None:
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "slowlib.py").write_text(
        "import time\n"
        "def outer():\n"
        "    middle()\n"
        "def middle():\n"
        "    inner()\n"
        "def inner():\n"
        f"    {call}\n"
        "def spin():\n"
        "    total = 0\n"
        "    for n in range(8_000_000):\n"
        "        total += n\n"
    )
    trace = recorded(
        tmp_path,
        f"""
        import asyncio, sys
        sys.path.insert(0, {str(library)!r})
        import slowlib

        async def main():
            await asyncio.sleep(0.05)
            slowlib.outer()

        asyncio.run(main())
        """,
    )
    step = max(trace.run.slow_steps, key=lambda step: step.end_ns - step.start_ns)
    assert step.site is not None and step.called_from is not None
    assert step.site.file.endswith("slowlib.py")
    assert step.site.line == 7 if call != "spin()" else step.site.line in (10, 11)
    assert step.called_from.function == "main"
    assert step.called_from.file.endswith("script.py")
    assert step.reason == reason


def test_socket_call_and_subprocess_in_a_coroutine_block(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio, socket, subprocess, sys, threading, time

        def serve(listening):
            connection, _ = listening.accept()
            time.sleep(0.15)
            connection.sendall(b"x")

        async def reads(port):
            client = socket.create_connection(("127.0.0.1", port))
            client.recv(1)

        async def spawns():
            subprocess.run([sys.executable, "-c", "import time; time.sleep(0.15)"])

        async def main():
            listening = socket.create_server(("127.0.0.1", 0))
            threading.Thread(target=serve, args=(listening,)).start()
            await reads(listening.getsockname()[1])
            await spawns()

        asyncio.run(main())
        """,
    )
    reasons = [
        (call.reason, call.called_from and call.called_from.function) for call in trace.run.blocking_calls
    ]
    assert ("net.read", "reads") in reasons
    assert ("subprocess", "spawns") in reasons


def test_an_answer_that_came_while_the_loop_was_blocked(tmp_path: Path) -> None:
    """A thread finished while the loop was blocked: from then on its awaiter was ready, not waiting."""
    trace = recorded(
        tmp_path,
        """
        import asyncio, time

        def work():
            time.sleep(0.1)
            mark("work-done")

        async def asks():
            await asyncio.to_thread(work)

        async def main():
            task = asyncio.create_task(asks())
            await asyncio.sleep(0.01)
            mark("blocks")
            time.sleep(0.4)
            mark("blocked")
            await task

        asyncio.run(main())
        """,
        lanes=["asks"],
    )
    assert trace.at("asks()", trace.between("blocks", "work-done")) == "waiting (thread)"
    assert trace.at("asks()", trace.between("work-done", "blocked")) == "ready"


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="only epoll can be asked by another thread")
def test_data_that_came_while_the_loop_was_blocked(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio, socket, threading, time

        async def reads(reader):
            await reader.readexactly(1)

        def sends(client):
            time.sleep(0.15)
            client.sendall(b"x")
            mark("sent")

        async def main():
            here, there = socket.socketpair()
            reader, writer = await asyncio.open_connection(sock=here)
            task = asyncio.create_task(reads(reader))
            threading.Thread(target=sends, args=(there,)).start()
            await asyncio.sleep(0.05)
            mark("blocks")
            time.sleep(0.5)
            mark("blocked")
            await task
            writer.close()

        asyncio.run(main())
        """,
        lanes=["reads"],
    )
    assert trace.at("reads()", trace.between("blocks", "sent")) == "waiting (net.read)"
    assert trace.at("reads()", trace.between("sent", "blocked")) == "ready"


def test_many_short_blocking_calls_are_one_step_of_that_kind(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio, time
        async def main():
            for _ in range(10):
                time.sleep(0.02)
        asyncio.run(main())
        """,
    )
    (step,) = trace.run.slow_steps
    assert step.reason == "sleep" and step.site is not None and step.site.function == "main"


def test_the_very_first_step_may_be_the_one_that_blocks(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio
        async def main():
            sum(range(12_000_000))
        asyncio.run(main())
        """,
    )
    step = max(trace.run.slow_steps, key=lambda step: step.held_ns)
    assert step.site is not None and step.site.function == "main"


def test_a_step_that_runs_the_loop_itself_does_not_hold_it(tmp_path: Path) -> None:
    """As nest_asyncio does."""
    trace = recorded(
        tmp_path,
        """
        import asyncio
        async def main():
            loop, me = asyncio.get_running_loop(), asyncio.current_task()
            sleeps = asyncio.create_task(asyncio.sleep(0.3))
            asyncio.tasks._leave_task(loop, me)
            while not sleeps.done():
                loop._run_once()
            asyncio.tasks._enter_task(loop, me)
        asyncio.run(main())
        """,
        virtual=True,
    )
    assert trace.run.slow_steps == ()


def test_loop_held_up_by_another_threads_gil_is_reported(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio

        def spin():
            sum(range(15_000_000))

        async def main():
            await asyncio.to_thread(spin)

        asyncio.run(main())
        """,
    )
    assert {step.reason for step in trace.run.slow_steps} <= {"gil"}
