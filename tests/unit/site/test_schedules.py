"""The schedules for teachers name lessons that exist, give them their time, and add up."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lesson import load_lesson

PAGE = Path(__file__).resolve().parents[3] / "docs" / "teach" / "schedules.md"
LESSONS = {lesson.id: load_lesson(lesson.folder) for lesson in load_course(find_course()).lessons}
TOTALS = {
    "90 minutes": 90,
    "Three hours": 180,
    "Half a day": 210,
    "Half a day on measuring": 210,
    "A day": 420,
}


class Row(NamedTuple):
    start: int
    minutes: int
    what: str


def schedule(heading: str) -> list[Row]:
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.split("|")[1:4]] for line in text.splitlines() if line.startswith("| ")
    ]
    return [
        Row(60 * int(hours) + int(minutes), int(length or 0), what)
        for begin, length, what in cells[1:]
        for hours, minutes in [begin.split(":")]
    ]


@pytest.mark.parametrize("heading", TOTALS)
def test_each_part_begins_when_the_one_before_it_ends(heading: str) -> None:
    rows = schedule(heading)
    now = 0
    for row in rows:
        assert row.start == now, row
        now += row.minutes
    assert now == TOTALS[heading]


@pytest.mark.parametrize("heading", TOTALS)
def test_a_lesson_gets_the_minutes_that_its_manifest_asks_for(heading: str) -> None:
    given = {
        match[1]: (match[0], row.minutes)
        for row in schedule(heading)
        for match in re.findall(r"\[([^\]]*)\]\(\.\./lessons/([\w-]+)\.md\)", row.what)
    }
    assert given
    for ident, (title, minutes) in given.items():
        assert (LESSONS[ident].title, minutes >= LESSONS[ident].minutes) == (title, True), ident


@pytest.mark.parametrize("heading", TOTALS)
def test_an_exercise_comes_after_the_lesson_that_it_belongs_to(heading: str) -> None:
    rows = [row.what for row in schedule(heading)]
    exercises = [
        (place, what.split("`")[1]) for place, what in enumerate(rows) if what.startswith("Exercise ")
    ]
    assert exercises
    for place, ident in exercises:
        assert LESSONS[ident].exercise is not None
        assert any(f"lessons/{ident}.md" in what for what in rows[:place])


def test_the_other_afternoon_costs_as_much_less_as_the_page_says() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("**For a team that moves")[2].partition("\n## ")[0]
    instead = sum(LESSONS[ident].minutes for ident in re.findall(r"lessons/([\w-]+)\.md", text))
    usual = sum(LESSONS[ident].minutes for ident in ("flask-vs-sanic", "redis-pools"))
    assert f"They leave {usual - instead} minutes more" in " ".join(text.split())


def test_a_day_has_ten_lessons_at_most_and_half_of_its_time_is_doing() -> None:
    rows = schedule("A day")
    at_work = sum(row.minutes for row in rows if row.what not in ("Break", "Lunch"))
    doing = sum(row.minutes for row in rows if row.what.startswith(("Exercise ", "Scripts of theirs")))
    assert sum("/lessons/" in row.what for row in rows) <= 10
    assert doing >= at_work / 2
