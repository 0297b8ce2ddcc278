"""A mistake in one manifest, or in the order of the course, hides nothing of the rest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from asyncdemo.course.rules import Problem, fast_problems, survey
from asyncdemo.course.rules.lesson_source import manifest_line
from tests.unit.course.good_course import LESSON, MANIFEST, change, write_course


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Two good lessons: tea, and coffee, which is the same under another name."""
    tea = write_course(tmp_path)
    coffee = tea.with_name("05-coffee")
    shutil.copytree(tea, coffee)
    change(coffee / "lesson.toml", 'id = "tea"\ntitle = "Tea for two"', 'id = "coffee"\ntitle = "Coffee"')
    readme = coffee / "README.md"
    readme.write_text(
        readme.read_text()
        .replace("# Tea for two", "# Coffee")
        .replace("run tea", "run coffee")
        .replace("run 4", "run 5")
        .replace("04-tea", "05-coffee")
        .replace("check tea", "check coffee")
    )
    change(tmp_path / "course.toml", '["tea"]', '["tea", "coffee"]')
    return tmp_path


def problems(course: Path) -> list[Problem]:
    surveyed = survey(course)
    return [*surveyed.problems, *(one for source in surveyed.sources for one in fast_problems(source))]


def test_a_good_course_has_no_problem(course: Path) -> None:
    assert problems(course) == []
    assert survey(course).names == ("tea", "coffee")


@pytest.mark.parametrize(
    ("old", "new", "message", "at"),
    [
        (
            '"== CUPS"',
            '"= CUPS"',
            "predictions[2].choices.all {CUPS}: must be OPERATOR VALUE, as in '>= 4', not '= CUPS'",
            '"= CUPS"',
        ),
        ("point = ", "point ", "is not valid TOML", "point"),
    ],
)
def test_broken_manifest_is_located_and_the_others_are_checked(
    course: Path, old: str, new: str, message: str, at: str
) -> None:
    manifest = course / LESSON / "lesson.toml"
    change(manifest, old, new)
    change(course / "01-start/05-coffee/slow.py", "Predict", "Guess")
    first, *others = problems(course)
    assert (first.lesson, first.rule, first.file) == ("tea", "manifest", manifest)
    assert message in first.message
    if at:
        assert first.line and at in manifest.read_text().splitlines()[first.line - 1]
    assert ("coffee", "scripts") in {(problem.lesson, problem.rule) for problem in others}
    assert "tea" in survey(course).names


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"coffee"', '"cocoa"', "NUMBER-cocoa, not 0"),
        (', "coffee"', "", "is not in the order of the course"),
        ("folder = ", "place = ", "modules[1].folder: is missing"),
        ("[[modules]]", 'motto = "drink"\n[[modules]]', "motto: is not a field of this table"),
        ("[[modules]]", "[[modules]", "is not valid TOML"),
    ],
)
def test_wrong_order_is_reported_and_the_lessons_are_checked(
    course: Path, old: str, new: str, message: str
) -> None:
    change(course / "course.toml", old, new)
    change(course / "01-start/05-coffee/slow.py", "Predict", "Guess")
    found = problems(course)
    assert any(problem.rule == "course" and message in problem.message for problem in found), found
    assert ("coffee", "scripts") in {(problem.lesson, problem.rule) for problem in found}


def test_a_folder_without_a_course_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    (problem,) = survey(tmp_path).problems
    assert "cannot be read" in problem.message


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("id", 'id = "tea"'),
        ("predictions[2].choices.all {CUPS}", '"all {CUPS}" = "== CUPS"'),
        (
            "claims.9 cups at the same time",
            '"9 cups at the same time" = "quick.calls(brew) == 9 with CUPS=9"',
        ),
        (
            "knobs.CUPS.low",
            'CUPS = { unit = "cups", low = 1, high = 100, meaning = "how many cups are made" }',
        ),
        ("exercise.task", 'task = "Make all cups at the same time."'),
        ("exercise", "[exercise]"),
        ("claims.nothing of the kind", "[claims]"),
    ],
)
def test_a_field_is_found_in_the_manifest(field: str, text: str) -> None:
    line = manifest_line(MANIFEST, field)
    assert line is not None
    assert MANIFEST.splitlines()[line - 1] == text


@pytest.mark.parametrize("field", ["motto", "predictions[9].why"])
def test_a_field_that_is_nowhere_has_no_line(field: str) -> None:
    assert manifest_line(MANIFEST, field) is None


def test_lines_of_a_long_text_are_no_fields() -> None:
    assert manifest_line("text = '''\nop = 1\n'''\nop = 2\n", "op") == 4
