"""Manifests: what is read, and how a mistake in one is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.claims import Condition
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.errors import CourseError
from tests.unit.course.good_course import MANIFEST, change, write_course


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the one lesson of a course."""
    return write_course(tmp_path)


def test_course_has_its_modules_and_lessons_in_the_written_order(tmp_path: Path, folder: Path) -> None:
    loaded = load_course(tmp_path)
    assert [module.title for module in loaded.modules] == ["Start"]
    assert [(lesson.id, lesson.number, lesson.minutes) for lesson in loaded.lessons] == [("tea", 4, 10)]


def test_a_lesson_has_everything_its_manifest_says(folder: Path) -> None:
    change(folder / "lesson.toml", 'file = "quick.py"', 'file = "quick.py"\nexpect = "failed"')
    change(folder / "lesson.toml", "== 9 with", "about 0.1 * slow.peak within 5% with")
    lesson = load_lesson(folder)
    assert [(variant.name, variant.expect) for variant in lesson.variants] == [
        ("slow", "ok"),
        ("quick", "failed"),
    ]
    assert (lesson.lanes, lesson.race) == (("brew",), True)
    assert [choice.text for choice in lesson.predictions[1].choices] == ["one", "all {CUPS}"]
    claim = lesson.claims[2]
    assert claim.condition == Condition("quick", "calls(brew)", "about", "slow.peak", 0.1, 0.05)
    assert claim.knobs == {"CUPS": 9}


def test_list_of_lessons_does_not_need_the_rest_of_a_manifest(tmp_path: Path, folder: Path) -> None:
    change(folder / "lesson.toml", "[[variants]]", "[[variants]]\nthis is broken")
    assert load_course(tmp_path).lessons[0].id == "tea"
    with pytest.raises(CourseError, match="not valid TOML"):
        load_lesson(folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Tea for two"\n', "", r"lesson.toml: title: is missing; it must be a text"),
        ("minutes = 10", 'minutes = "5"', r"minutes: must be a whole number, not '5'"),
        ("minutes = 10", "minutes = true", r"minutes: must be a whole number, not True"),
        ("minutes = 10", "minuets = 5\nminutes = 5", r"minuets: is not a field of this table"),
        ("race = true", 'race = "yes"', r"race: must be true or false"),
        ('file = "slow.py"', 'file = "slower.py"', r"variants\[1\].file: .*slower.py is not there"),
        (
            'file = "slow.py"',
            'file = "slow.py"\nexpect = "fine"',
            r"\[1\].expect: must be one of ok, failed,",
        ),
        ('metric = "peak"', 'metric = "speed"', r"predictions\[2\].metric: must be one of wall_s, "),
        ("calls(brew)", "calls(pour)", r"claims.9 cups at the same time: is of 'pour', and not of brew"),
        ("== 9 with", "== slow.speed with", r"claims.9 cups .*: must be compared with a number, a knob or"),
        ("== 9 with CUPS=9", "= 9", r"claims.9 cups .*: must be VARIANT.FIGURE OPERATOR VALUE, as in"),
        ("quick.peak ==", "rapid.peak ==", r"claims.a peak of 4: 'rapid' is not a variant: quick, slow"),
        ("== CUPS", "== POTS", r"predictions\[2\].choices.all {CUPS}: .* not 'POTS'"),
        ("== CUPS", "slow.peak == CUPS", r"choices.all {CUPS}: must be OPERATOR VALUE, as in '>= 4', not "),
        ('kind = "choice"', 'kind = "number"', r"\[2\].choices: belong to a prediction of kind choice"),
        ("the {CUPS} cups", "the {POTS} cups", r"predictions\[1\].question: {POTS} is not a knob of this"),
        ('variant = "quick"', 'variant = "fast"', r"\[1\].variant: must be one of quick, slow, not 'fast'"),
        ("with CUPS=9", "with POTS=1", r"claims.9 cups at the same time: POTS is not a knob"),
        ("low = 1", "low = 101", r"knobs.CUPS.low: is 101, above high, which is 100"),
        ("low = 1,", "low = 1, least = 1,", r"knobs.CUPS.least: is not a field of this table"),
        ("CUPS = {", "CUPS = 1 #", r"knobs.CUPS: must be a table"),
        ('id = "tea"', 'id = "milk"', r"id: is 'milk', so the folder must be called NUMBER-milk, not 04-tea"),
        ("minutes = 10", "minutes = ", r"lesson.toml: is not valid TOML"),
        ("{ CUPS = 3 }", "{ CUPS = [3] }", r"runs\[2\].CUPS: must be two or more values to draw from"),
        ("{ CUPS = 3 }", "{ CUPS = [5, 2] }", r"runs\[2\].CUPS: must be two or more values"),
        ("{ CUPS = 3 }", "{ CUPS = {} }", r"runs\[2\].CUPS: must be a plain value"),
    ],
)
def test_a_mistake_is_named_with_file_and_field(folder: Path, old: str, new: str, message: str) -> None:
    change(folder / "lesson.toml", old, new)
    with pytest.raises(CourseError, match=message):
        load_lesson(folder)


@pytest.mark.parametrize(
    ("value", "message"),
    [("[" * 3000 + "]" * 3000, "nested too deeply"), ("9" * 5000, "not valid TOML")],
    ids=["nested", "digits"],
)
def test_toml_that_python_refuses_to_read_is_a_mistake(folder: Path, value: str, message: str) -> None:
    change(folder / "lesson.toml", "minutes = 10", f"minutes = {value}")
    with pytest.raises(CourseError, match=message):
        load_lesson(folder)


def test_manifest_that_is_a_fifo_is_not_waited_for(folder: Path) -> None:
    (folder / "lesson.toml").unlink()
    os.mkfifo(folder / "lesson.toml")
    with pytest.raises(CourseError, match="cannot be read: Not a regular file"):
        load_lesson(folder)


def test_name_that_no_file_can_have_is_a_mistake(folder: Path) -> None:
    change(folder / "lesson.toml", 'file = "slow.py"', f'file = "{"x" * 5000}"')
    with pytest.raises(CourseError, match="is not there"):
        load_lesson(folder)


def test_the_values_of_a_run_are_given_or_drawn(folder: Path) -> None:
    change(folder / "lesson.toml", "{ CUPS = 3 }", "{ A = 1, B = [2, 5], C = [0.5, 1, 'x'] }")
    (folder / "exercise.py").write_text("A = 1\nB = 3\n")
    exercise = load_lesson(folder).exercise
    assert exercise is not None
    assert exercise.runs == ({}, {"A": 1, "B": range(2, 6), "C": [0.5, 1, "x"]})
    assert [exercise.draws(place) for place in (0, 1)] == [False, True]
    drawn = [exercise.knobs(seed)[1] for seed in range(50)]
    assert {knobs["B"] for knobs in drawn} == {2, 4, 5}  # not the one that is written there
    assert {knobs["C"] for knobs in drawn} == {0.5, 1, "x"}


def test_two_lessons_cannot_have_the_same_number(tmp_path: Path, folder: Path) -> None:
    other = folder.with_name("04-milk")
    other.mkdir()
    (other / "lesson.toml").write_text(MANIFEST.replace('id = "tea"', 'id = "milk"'))
    change(tmp_path / "course.toml", '["tea"]', '["tea", "milk"]')
    with pytest.raises(CourseError, match="4 belongs to two lessons"):
        load_course(tmp_path)


def test_a_folder_without_course_toml_is_no_course(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"is not a course: it has no course\.toml"):
        find_course(tmp_path)
