"""Knobs: read from the source, set from the command line, and as the text suggests."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.constants import constants
from asyncdemo.course.content.knobs import settings, values
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.course.content.presets import presets
from asyncdemo.errors import CourseError, UsageError
from tests.unit.course.good_course import write_course


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(find_lesson(load_course(find_course()), "two-sleeps").folder)


def test_constants_are_read_without_running_the_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "A = 1\nB: float = -0.5\nNAME = 'x'\nON = True\nlower = 2\nLIST = [1]\nC = A + 1\nexit(1)\n"
    )
    assert constants(script) == {"A": 1, "B": -0.5, "NAME": "x", "ON": True}


def test_a_script_that_is_not_python_is_named(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("def (")
    with pytest.raises(CourseError, match=r"script.py: cannot be read as Python"):
        constants(script)


def test_knobs_have_the_values_written_or_the_ones_set(lesson: Lesson) -> None:
    assert values(lesson, {}) == {"BREWS": 10, "BREW_S": 0.3}
    assert values(lesson, {"BREWS": "3", "BREW_S": "1"}) == {"BREWS": 3, "BREW_S": 1.0}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            {"BREW": "3"},
            r"two-sleeps has no knob BREW. Did you mean BREWS\?\nKnobs of two-sleeps:\n  BREWS   10 \(1 to",
        ),
        ({"CUPS": "3"}, r"has no knob CUPS.\nKnobs of two-sleeps:"),
        ({"BREWS": "many"}, r"--set BREWS=many: BREWS must be a whole number."),
        ({"BREWS": "1.5"}, r"BREWS must be a whole number."),
        ({"BREW_S": "x"}, r"BREW_S must be a number."),
        ({"BREWS": "0"}, r"BREWS can be 1 to 1000 cups \(how many cups are made\)"),
        ({"BREW_S": "nan"}, r"BREW_S can be 0.01 to 2 s"),
    ],
)
def test_a_wrong_setting_says_what_would_be_right(
    lesson: Lesson, setting: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        values(lesson, setting)


def test_settings_are_pairs() -> None:
    assert settings(("A=1", "B = x=y")) == {"A": "1", "B": "x=y"}
    for wrong in ("A", "=1"):
        with pytest.raises(UsageError, match="write NAME=VALUE"):
            settings((wrong,))


def test_a_knob_may_not_exceed_another_that_it_names() -> None:
    gate = load_lesson(find_lesson(load_course(find_course()), "upload-gate").folder)
    assert values(gate, {"FASTEST_MS": "200"})["FASTEST_MS"] == 200
    with pytest.raises(
        UsageError, match="FASTEST_MS is 300, and SLOWEST_MS 200: FASTEST_MS can be at most SLOWEST_MS"
    ):
        values(gate, {"FASTEST_MS": "300"})
    assert values(gate, {"FASTEST_MS": "300", "SLOWEST_MS": "300"})["SLOWEST_MS"] == 300


TEXT = """\

## Change it

- `asyncdemo run tea --set CUPS=9 --variant quick`: nine at the same time,
  in one line.

  More about it.
- `asyncdemo run tea --set CUPS=1`: no difference.
- Copy `quick.py`, and run it with `asyncdemo trace`.
"""


def test_settings_and_variants_of_each_suggested_run_are_read(tmp_path: Path) -> None:
    folder = write_course(tmp_path)
    readme = folder / "README.md"
    before, _, _ = readme.read_text().partition("## Change it")
    readme.write_text(before + TEXT.lstrip())
    first, second = presets(load_lesson(folder))
    assert (first.settings, first.variants, first.remark) == (
        {"CUPS": "9"},
        ("quick",),
        "nine at the same time, in one line.",
    )
    assert (second.settings, second.variants, second.remark) == ({"CUPS": "1"}, (), "no difference.")
