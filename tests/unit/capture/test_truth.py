"""States are right, not plausible: scripts whose schedule is known by construction.

In virtual time every span of every lane is compared. In real time the script marks moments on the
same clock, and what each lane was doing at these moments is compared: that holds on a slow machine.
"""

from __future__ import annotations

import select
from pathlib import Path

import pytest

from asyncdemo.model import State
from tests.support.truth import Recorded, recorded

GATE_WITH_BLOCKER = """
    import asyncio, time

    async def worker(n, gate):
        async with gate:
            await asyncio.sleep(0.05)
            if n == 2:
                time.sleep(0.12)
            await asyncio.sleep(0.05)

    async def main():
        gate = asyncio.Semaphore(2)
        async with asyncio.TaskGroup() as group:
            for n in range(5):
                group.create_task(worker(n, gate))

    asyncio.run(main())
"""


class TestVirtualTime:
    """Every state of every lane, span by span."""

    def test_states_of_a_gate_with_a_blocker_are_exact(self, tmp_path: Path) -> None:
        trace = recorded(tmp_path, GATE_WITH_BLOCKER, lanes=["worker"], virtual=True)
        assert {lane.name: trace.story(lane.name) for lane in trace.run.lanes} == {
            "worker(0)": ["0-50 waiting (sleep)", "50-100 waiting (sleep)"],
            "worker(1)": ["0-50 waiting (sleep)", "50-100 waiting (sleep)"],
            "worker(2)": [
                "0-100 queued (semaphore)",
                "100-150 waiting (sleep)",
                "150-270 running",
                "270-320 waiting (sleep)",
            ],
            "worker(3)": [
                "0-100 queued (semaphore)",
                "100-150 waiting (sleep)",
                "150-270 ready",
                "270-320 waiting (sleep)",
            ],
            "worker(4)": ["0-320 queued (semaphore)", "320-370 waiting (sleep)", "370-420 waiting (sleep)"],
        }

        (gate,) = trace.run.resources
        first_ns = min(lane.start_ns for lane in trace.run.lanes)
        held = [
            ((slot.start_ns - first_ns) // 10**6, (slot.end_ns - first_ns) // 10**6) for slot in gate.slots
        ]
        assert sorted(held) == [(0, 100), (0, 100), (100, 320), (100, 320), (320, 420)]
        assert gate.limit == 2
        assert gate.site is not None and gate.site.line == 12
        (call,) = trace.run.blocking_calls
        assert (call.reason, call.end_ns - call.start_ns) == ("sleep", 120_000_000)
        assert call.site is not None and (call.site.line, call.site.function) == (8, "worker")

    def test_who_waits_for_whom(self, tmp_path: Path) -> None:
        trace = recorded(
            tmp_path,
            """
            import asyncio

            async def producer(queue, event):
                for n in range(3):
                    await asyncio.sleep(0.01)
                    await queue.put(n)
                await asyncio.sleep(0.1)
                event.set()

            async def consumer(queue):
                for _ in range(3):
                    await queue.get()
                    await asyncio.sleep(0.05)

            async def watcher(event):
                await event.wait()

            async def main():
                queue, event = asyncio.Queue(1), asyncio.Event()
                async with asyncio.TaskGroup() as group:
                    group.create_task(producer(queue, event))
                    group.create_task(consumer(queue))
                    group.create_task(watcher(event))

            asyncio.run(main())
            """,
            virtual=True,
        )
        assert trace.story("producer") == [
            "0-10 waiting (sleep)",
            "10-20 waiting (sleep)",
            "20-30 waiting (sleep)",
            "30-60 queued (full queue)",
            "60-160 waiting (sleep)",
        ]
        assert trace.story("consumer") == [
            "0-10 waiting (empty queue)",
            "10-60 waiting (sleep)",
            "60-110 waiting (sleep)",
            "110-160 waiting (sleep)",
        ]
        assert trace.story("watcher") == ["0-160 waiting (event)"]
        waited = next(span for span in trace.lane("watcher").spans if span.wait.reason == "event")
        assert trace.run.tracks[waited.wait.on or 0].function == "producer"

    def test_lane_that_awaits_its_child_shows_what_the_child_does(self, tmp_path: Path) -> None:
        trace = recorded(
            tmp_path,
            """
            import asyncio

            async def holder(gate):
                async with gate:
                    await asyncio.sleep(0.1)

            async def patient(gate):
                await asyncio.wait_for(gate.acquire(), 1)
                await asyncio.sleep(0.05)
                gate.release()

            async def main():
                gate = asyncio.Semaphore(1)
                await asyncio.gather(holder(gate), patient(gate))

            asyncio.run(main())
            """,
            virtual=True,
        )
        assert trace.story("patient") == ["0-100 queued (semaphore)", "100-150 waiting (sleep)"]
        (gate,) = trace.run.resources
        patient = trace.lane("patient").track
        assert [slot.track for slot in gate.slots][1] == patient, "the slot belongs to who awaited it"

    def test_cancelled_and_timed_out(self, tmp_path: Path) -> None:
        trace = recorded(
            tmp_path,
            """
            import asyncio

            async def slow():
                try:
                    await asyncio.sleep(5)
                finally:
                    await asyncio.sleep(0.02)

            async def main():
                try:
                    async with asyncio.timeout(0.1):
                        await slow()
                except TimeoutError:
                    pass
                task = asyncio.create_task(asyncio.sleep(9), name="forgotten")
                await asyncio.sleep(0.03)
                task.cancel()

            asyncio.run(main())
            """,
            lanes=["slow"],
            virtual=True,
        )
        assert trace.story("slow()") == ["0-100 waiting (sleep)", "100-120 waiting (sleep)"]
        assert trace.lane("slow()").outcome == "cancelled"

    def test_spin_on_the_clock_ends_and_names_its_line_even_at_first(self, tmp_path: Path) -> None:
        trace = recorded(
            tmp_path,
            """
            import asyncio, time

            async def main():
                until = time.monotonic() + 0.2
                while time.monotonic() < until:
                    pass

            asyncio.run(main())
            """,
            virtual=True,
        )
        assert trace.story("main") == ["0-200 running"]
        assert trace.run.clock == "virtual"
        assert [(step.site.function, step.site.line) for step in trace.run.slow_steps if step.site] in (
            [("main", 5)],
            [("main", 6)],
        )

    def test_tasks_that_sleep_for_less_than_a_float_can_tell_go_on(self, tmp_path: Path) -> None:
        """Whether now + (until - now) is until depends on how both are rounded."""
        trace = recorded(
            tmp_path,
            """
            import asyncio

            free_at = 0.0

            async def take():
                global free_at
                loop = asyncio.get_running_loop()
                while loop.time() < free_at:
                    await asyncio.sleep(free_at - loop.time())
                free_at = loop.time() + 1 / 10

            async def main():
                async with asyncio.TaskGroup() as group:
                    for _ in range(30):
                        group.create_task(take())
                        await asyncio.sleep(0.02)

            asyncio.run(main())
            """,
            lanes=["take"],
            virtual=True,
        )
        lanes = trace.run.lanes
        last_s = (max(lane.end_ns for lane in lanes) - min(lane.start_ns for lane in lanes)) / 1e9
        assert last_s == pytest.approx(2.9, abs=0.001)

    def test_the_clock_is_real_as_soon_as_the_world_is_involved(self, tmp_path: Path) -> None:
        trace = recorded(
            tmp_path,
            """
            import asyncio, time

            async def main():
                await asyncio.sleep(0.01)
                await asyncio.to_thread(time.sleep, 0.01)

            asyncio.run(main())
            """,
            virtual=True,
        )
        assert trace.run.clock == "real"
        assert any("a thread was started" in note for note in trace.run.notes)


class TestRealTime:
    """What each lane was doing at moments that the script marked."""

    def test_tasks_are_ready_or_waiting_while_another_blocks(self, tmp_path: Path) -> None:
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
    def test_the_line_that_blocks_is_named_also_deep_in_a_library(
        self, tmp_path: Path, call: str, reason: str
    ) -> None:
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

    def test_threads_wait_for_what_they_wait_for(self, tmp_path: Path) -> None:
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

    def test_work_for_a_pool_is_queued_until_a_worker_takes_it(self, tmp_path: Path) -> None:
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

    def test_socket_call_and_subprocess_in_a_coroutine_block(self, tmp_path: Path) -> None:
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

    def test_an_answer_that_came_while_the_loop_was_blocked(self, tmp_path: Path) -> None:
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
    def test_data_that_came_while_the_loop_was_blocked(self, tmp_path: Path) -> None:
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


class TestReviewed:
    """Cases that a reader of the code found wrong once."""

    def test_a_lane_that_also_runs_in_a_forked_process(self, tmp_path: Path) -> None:
        trace = recorded(
            tmp_path,
            """
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor
            def work(n):
                return n * n
            def main():
                context = multiprocessing.get_context("fork")
                with ProcessPoolExecutor(2, mp_context=context) as pool:
                    print(list(pool.map(work, range(4))))
            if __name__ == "__main__":
                main()
            """,
            lanes=["work"],
        )
        assert "[0, 1, 4, 9]" in trace.stdout
        assert any("No call of work was recorded" in note for note in trace.run.notes)

    @pytest.mark.parametrize("late", ["first turn", "second turn"])
    def test_thread_starter_is_not_blamed_for_the_threads_first_turn(self, tmp_path: Path, late: str) -> None:
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

    def test_many_short_blocking_calls_are_one_step_of_that_kind(self, tmp_path: Path) -> None:
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

    def test_the_very_first_step_may_be_the_one_that_blocks(self, tmp_path: Path) -> None:
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

    def test_work_queues_for_a_pool_even_if_a_thread_waits_for_all(self, tmp_path: Path) -> None:
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

    def test_semaphore_that_starts_at_zero_is_a_signal_and_no_limit(self, tmp_path: Path) -> None:
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

    def test_coroutine_dropped_late_is_reported_with_its_origin(self, tmp_path: Path) -> None:
        trace = recorded(
            tmp_path,
            """
            import asyncio
            async def fetch(n):
                return n
            class Shop:
                async def main(self):
                    result = fetch(1)
                    await asyncio.sleep(0)
            asyncio.run(Shop().main())
            """,
            virtual=True,
        )
        (one,) = trace.run.unawaited
        assert one.site is not None
        assert (one.function, one.site.line, one.site.function) == ("fetch", 7, "Shop.main")

    def test_a_step_that_runs_the_loop_itself_does_not_hold_it(self, tmp_path: Path) -> None:
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

    def test_task_waits_until_its_loop_notices_another_threads_act(self, tmp_path: Path) -> None:
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

    def test_subprocess_that_uvloop_starts_is_no_fork_of_the_script(self, tmp_path: Path) -> None:
        pytest.importorskip("uvloop")
        trace = recorded(
            tmp_path,
            """
            import asyncio, uvloop
            async def main():
                process = await asyncio.create_subprocess_exec("true")
                await process.wait()
            uvloop.run(main())
            """,
        )
        assert not trace.run.notes

    def test_loop_held_up_by_another_threads_gil_is_reported(self, tmp_path: Path) -> None:
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


def span_at(trace: Recorded, track: int, at_ns: int) -> str:
    lane = next(lane for lane in trace.run.lanes if lane.track == track)
    span = next(span for span in lane.spans if span.start_ns <= at_ns < span.end_ns)
    return f"{span.state.name.lower()} ({span.wait.reason})"
