"""Which lessons a schedule runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.schedules import find_schedule
from asyncdemo.errors import UsageError

COURSE = load_course(find_course())


@pytest.mark.parametrize("name", ["90-minutes", "90 minutes", "90 Minutes"])
def test_schedule_of_the_docs_has_its_linked_lessons_in_order(name: str) -> None:
    schedule = find_schedule(COURSE, name)
    assert schedule.title == "90 minutes"
    ids = [lesson.id for lesson in schedule.lessons]
    assert (ids[0], ids[-1], len(ids)) == ("two-sleeps", "escape-hatches", 5)
    assert schedule.measured == ()


def test_what_a_schedule_measures_is_known() -> None:
    assert find_schedule(COURSE, "half-a-day-on-measuring").measured == ("twenty-one-pairs",)


@pytest.mark.parametrize(
    ("name", "words"), [("a-week", "90-minutes, three-hours, half-a-day, "), ("none.md", "cannot be read")]
)
def test_an_unknown_one_is_named(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        find_schedule(COURSE, name)


def test_a_file_of_ones_own_is_a_schedule(tmp_path: Path) -> None:
    plan = tmp_path / "monday.md"
    plan.write_text("- [Siblings](../lessons/siblings.md)\n- [Two](https://x.org/lessons/two-sleeps.html)\n")
    schedule = find_schedule(COURSE, str(plan))
    assert (schedule.title, [lesson.number for lesson in schedule.lessons]) == ("monday", [6, 1])


def test_plan_that_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "plan.md")
    with pytest.raises(UsageError, match="cannot be read: Not a regular file"):
        find_schedule(COURSE, str(tmp_path / "plan.md"))


@pytest.mark.parametrize(
    ("text", "words"),
    [("Nothing.", "has no links to lessons"), ("[x](lessons/two-sleps.md)", "Did you mean 'two-sleeps'")],
)
def test_file_without_lessons_or_with_a_wrong_one_is_reported(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "plan.md").write_text(text)
    with pytest.raises(UsageError, match=words):
        find_schedule(COURSE, str(tmp_path / "plan.md"))
