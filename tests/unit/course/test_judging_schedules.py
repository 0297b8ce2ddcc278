"""An exercise whose manifest asks for schedules: right by luck is not right."""

from __future__ import annotations

import inspect
from pathlib import Path
from textwrap import indent

import pytest

from asyncdemo.course.content.exercise import read_exercise
from asyncdemo.course.content.manifest import Table
from asyncdemo.errors import CourseError
from asyncdemo.model.verdict import Verdict
from tests.support import paying
from tests.unit.course.test_judging import Bench

BY_LUCK = (
    inspect.getsource(paying).replace("pay_in_two", "main") + '\n\nprint("wrote", asyncio.run(main()))\n'
)
INSIDE = """\
    before = store["balance"]
    await asyncio.sleep(0.1)
    store["balance"] = before + n
"""
LOCKED = BY_LUCK.replace('"balance": 0}', '"balance": 0}\nlock = asyncio.Lock()').replace(
    INSIDE, "    async with lock:\n" + indent(INSIDE, "    ")
)
CHECK = """
    def check(seen):
        seen.calls("pay_in").happen(2).all_return()
        seen.calls("main").return_values([3])
    """


def judged(
    folder: Path, script: str, check: str = CHECK, lanes: tuple[str, ...] = ("pay_in", "main")
) -> Verdict:
    return Bench(folder).judge(script, check, lanes=lanes, rows=("pay_in",), runs=({},), schedules=12)


def test_what_is_right_in_every_schedule_passes_and_says_so(tmp_path: Path) -> None:
    verdict = judged(tmp_path, LOCKED)
    assert verdict.passed
    assert verdict.held[-1] == "The outcome was the same in 12 schedules, each with different delays."


def test_solution_that_is_right_by_luck_fails_with_the_command(tmp_path: Path) -> None:
    verdict = judged(tmp_path, BY_LUCK)
    assert verdict.message is not None
    assert "right by luck" in verdict.message
    assert "For example: main returns 2" in verdict.message
    assert "asyncdemo trace --schedule " in verdict.message
    assert verdict.message.endswith("--lane pay_in exercise.py")
    assert verdict.evidence is not None
    assert len(verdict.evidence.lanes) == 2


def test_without_main_among_the_lanes_the_output_is_compared(tmp_path: Path) -> None:
    check = 'def check(seen): seen.calls("pay_in").happen(2)'
    verdict = judged(tmp_path, BY_LUCK, check, lanes=("pay_in",))
    assert verdict.message is not None
    assert "For example: it prints 'wrote 2'" in verdict.message


def test_a_check_of_its_own_decides_for_every_schedule(tmp_path: Path) -> None:
    either = CHECK + "\n    def check_schedule(seen):\n        seen.calls('pay_in').happen(2)\n"
    assert judged(tmp_path, BY_LUCK, either).passed
    verdict = judged(tmp_path, BY_LUCK, either + "        seen.calls('pay_in').peak_at_most(1)\n")
    assert verdict.message is not None
    assert "at the same time" in verdict.message


def test_failure_without_a_delay_is_reported_as_usual(tmp_path: Path) -> None:
    verdict = judged(tmp_path, BY_LUCK.replace("before + n", "n"))
    assert verdict.message is not None
    assert "luck" not in verdict.message


def test_what_cannot_be_tried_is_said(tmp_path: Path) -> None:
    waits = "await asyncio.to_thread(__import__('time').sleep, 0.2)"
    in_a_thread = BY_LUCK.replace("await asyncio.gather", f"{waits}\n    await asyncio.gather")
    verdict = judged(tmp_path, in_a_thread)
    assert verdict.passed
    assert verdict.held[-1].startswith("Other schedules could not be tried. Time is not virtual")


@pytest.mark.parametrize(
    ("clock", "schedules", "says"),
    [("real", 10, "needs virtual time"), ("virtual", 201, "from 0 to 200"), ("virtual", -3, "from 0 to 200")],
)
def test_real_time_has_no_schedules_and_too_many_would_not_end(
    tmp_path: Path, clock: str, schedules: int, says: str
) -> None:
    fields = {"task": "Pay.", "lanes": ["pay_in"], "schedules": schedules, "clock": clock}
    with pytest.raises(CourseError, match=says):
        read_exercise(Table(fields, tmp_path / "lesson.toml"), "pay", tmp_path)
