"""A call of a named function makes a lane wherever it is made: in a callback of a loop, too."""

from __future__ import annotations

from pathlib import Path

from tests.support.truth import recorded

SCRIPT = """
    import asyncio, time

    def job(n):
        time.sleep(0.02)
        inner(n)

    def inner(n):
        time.sleep(0.03)
        if n == 2:
            raise LookupError(n)

    def numbers():
        yield 1
        yield 2

    async def main():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda *_: None)
        loop.call_soon(job, 1)
        loop.call_later(0.1, job, 2)
        made = numbers()
        loop.call_later(0.2, next, made)
        loop.call_later(0.25, made.close)
        await asyncio.sleep(0.3)
        job(3)

    asyncio.run(main())
"""


def test_a_call_in_a_callback_is_a_lane(tmp_path: Path) -> None:
    trace = recorded(tmp_path, SCRIPT, lanes=["job", "inner"], virtual=True)
    assert {lane.name: trace.story(lane.name) for lane in trace.run.lanes} == {
        "job(1)": ["0-50 running"],
        "inner(1)": ["20-50 running"],
        "job(2)": ["100-150 running"],
        "inner(2)": ["120-150 running"],
        "job(3)": ["300-350 running"],
        "inner(3)": ["320-350 running"],
    }
    outcomes = {lane.name: lane.outcome.name for lane in trace.run.lanes}
    assert outcomes["job(2)"] == outcomes["inner(2)"] == "RAISED"
    assert outcomes["job(1)"] == "RETURNED"
    callers = {call.track for call in trace.run.blocking_calls}
    assert {trace.lane(name).track for name in ("job(1)", "job(2)", "job(3)")} == callers


def test_generator_is_not_running_between_its_callbacks(tmp_path: Path) -> None:
    trace = recorded(tmp_path, SCRIPT, lanes=["numbers"], virtual=True)
    assert trace.story("numbers()") == ["0-50 waiting (outside Python)"]


def test_tasks_that_a_call_in_a_callback_makes_ready_run_as_ever(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio

        def job(future):
            future.set_result(None)
            asyncio.get_running_loop().call_soon(len, "")

        async def main():
            future = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(0.1, job, future)
            await future
            await asyncio.sleep(0.1)

        asyncio.run(main())
        """,
        lanes=["job", "main"],
        virtual=True,
    )
    assert trace.story("main()") == ["0-100 waiting (future)", "100-200 waiting (sleep)"]


def test_a_generator_that_outlives_its_task_waits_to_be_closed(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio

        kept = []

        async def numbers():
            yield 1

        async def left():
            kept.append(numbers())
            async for number in kept[0]:
                break
            await asyncio.sleep(0.1)

        async def main():
            await asyncio.create_task(left())
            await asyncio.sleep(0.2)
            await kept[0].aclose()

        asyncio.run(main())
        """,
        lanes=["numbers"],
        virtual=True,
    )
    assert trace.story("numbers()") == ["0-100 waiting (sleep)", "100-300 waiting"]
