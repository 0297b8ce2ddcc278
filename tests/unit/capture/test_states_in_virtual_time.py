"""States span by span, in virtual time, of scripts whose schedule is known by construction."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.truth import recorded

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


def test_states_of_a_gate_with_a_blocker_are_exact(tmp_path: Path) -> None:
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
    held = [((slot.start_ns - first_ns) // 10**6, (slot.end_ns - first_ns) // 10**6) for slot in gate.slots]
    assert sorted(held) == [(0, 100), (0, 100), (100, 320), (100, 320), (320, 420)]
    assert gate.limit == 2
    assert gate.site is not None and gate.site.line == 12
    (call,) = trace.run.blocking_calls
    assert (call.reason, call.end_ns - call.start_ns) == ("sleep", 120_000_000)
    assert call.site is not None and (call.site.line, call.site.function) == (8, "worker")


def test_who_waits_for_whom(tmp_path: Path) -> None:
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


def test_lane_that_awaits_its_child_shows_what_the_child_does(tmp_path: Path) -> None:
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


def test_cancelled_and_timed_out(tmp_path: Path) -> None:
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


def test_spin_on_the_clock_ends_and_names_its_line_even_at_first(tmp_path: Path) -> None:
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


def test_tasks_that_sleep_for_less_than_a_float_can_tell_go_on(tmp_path: Path) -> None:
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


def test_the_clock_is_real_as_soon_as_the_world_is_involved(tmp_path: Path) -> None:
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
