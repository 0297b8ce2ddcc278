"""The text of a lesson: its order, and that no figure in it is without a source."""

from __future__ import annotations

import re
from typing import Final

import pytest

from asyncdemo.course.knobs import constants
from asyncdemo.course.lesson import Lesson
from asyncdemo.course.text import sections
from tests.lessons.lessons import LESSONS

every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)

SECTIONS: Final = [
    "The question",
    "Predict",
    "Run",
    "What you saw",
    "Why",
    "Change it",
    "Where it bites",
    "Key points",
    "One more question",
    "For instructors",
]
ABOUT_OTHER_CODE: Final = {"One more question", "For instructors"}
THREAD: Final = re.compile(r"\b[\w.-]+/[\w.-]+#\d+")
"""A GitHub thread by name: owner/repository#number."""


def sourced(lesson: Lesson) -> list[str]:
    """The parts of the text that a claim or a source stands for, the longest first."""
    texts = [claim.text for claim in lesson.claims] + [quoted.text for quoted in lesson.quoted]
    return sorted({prose(text) for text in texts}, key=len, reverse=True)


def prose(text: str) -> str:
    """In one line, so that a line break does not matter."""
    return " ".join(text.split())


@every_lesson
def test_the_sections_stand_in_the_order_of_the_course(lesson: Lesson) -> None:
    assert list(sections(lesson.readme)) == SECTIONS


@every_lesson
def test_the_title_is_that_of_the_manifest(lesson: Lesson) -> None:
    assert lesson.readme.read_text(encoding="utf-8").startswith(f"# {lesson.title}\n")


@every_lesson
def test_every_claim_occurs_in_the_text_as_written(lesson: Lesson) -> None:
    text = prose(lesson.readme.read_text(encoding="utf-8"))
    assert [words for words in sourced(lesson) if words not in text] == []


@every_lesson
def test_every_figure_is_a_claim_a_knob_or_quoted(lesson: Lesson) -> None:
    knobs = {
        f"{value:g}"
        for value in constants(lesson.variants[0].path).values()
        if isinstance(value, int | float)
    }
    loose = []
    for heading, body in sections(lesson.readme).items():
        if heading in ABOUT_OTHER_CODE:
            continue
        text = re.sub(r"```.*?```", "", body, flags=re.DOTALL)
        text = prose(re.sub(r"^\d+\. ", "", text, flags=re.MULTILINE))
        for words in sourced(lesson):
            text = text.replace(words, "")
        text = THREAD.sub("", re.sub(r"`[^`]*`", "", text))
        loose += [
            f"{heading}: {number}" for number in re.findall(r"\d+(?:\.\d+)?", text) if number not in knobs
        ]
    assert not loose


@every_lesson
def test_where_it_bites_names_a_thread(lesson: Lesson) -> None:
    assert THREAD.search(sections(lesson.readme)["Where it bites"])


@every_lesson
def test_there_are_two_to_four_key_points(lesson: Lesson) -> None:
    points = re.findall(r"^- ", sections(lesson.readme)["Key points"], flags=re.MULTILINE)
    assert 2 <= len(points) <= 4


@every_lesson
def test_the_text_tells_the_command_and_the_minutes(lesson: Lesson) -> None:
    texts = sections(lesson.readme)
    assert f"asyncdemo run {lesson.id}" in texts["Run"]
    assert texts["For instructors"].startswith(f"About {lesson.minutes} minutes")


@every_lesson
def test_the_answer_stands_under_a_heading_that_warns_of_it(lesson: Lesson) -> None:
    before, heading, answer = sections(lesson.readme)["For instructors"].partition(
        "### Gives the answer away"
    )
    assert heading
    assert "answer" not in before
    assert answer.strip()


@every_lesson
def test_every_knob_is_named_in_the_text(lesson: Lesson) -> None:
    text = lesson.readme.read_text(encoding="utf-8")
    assert [knob.name for knob in lesson.knobs if f"`{knob.name}`" not in text] == []
