"""Manifests: what is read, and how a mistake in one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.errors import CourseError

SCRIPT = "JOBS = 3\nPAUSE_S = 0.5\n"

MANIFEST = """\
id = "tea"
title = "Tea"
question = "What waits?"
point = "Water boils alone."
minutes = 5
lanes = ["brew"]

[[variants]]
name = "slow"
title = "one by one"
file = "slow.py"
differs = '''
import time
    time.sleep(1)
'''

[[variants]]
name = "quick"
title = "all at the same time"
file = "quick.py"
expect = "failed"

[[knobs]]
name = "JOBS"
unit = "jobs"
low = 1
high = 10
meaning = "how many"

[[predictions]]
kind = "choice"
question = "With {JOBS} jobs: how many at the same time?"
variant = "slow"
metric = "peak"
why = "There is one thread."
[[predictions.choices]]
text = "one"
op = "=="
value = 1
[[predictions.choices]]
text = "all {JOBS}"
op = "=="
value = "JOBS"

[[claims]]
text = "ten times"
variant = "quick"
metric = "wall_s"
op = "<"
value = "slow.wall_s"
times = 0.1
knobs = { JOBS = 10 }
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    folder = tmp_path / "01-start" / "04-tea"
    folder.mkdir(parents=True)
    (folder / "lesson.toml").write_text(MANIFEST)
    for name in ("slow.py", "quick.py"):
        (folder / name).write_text(SCRIPT)
    (tmp_path / "course.toml").write_text(
        'title = "T"\n[[modules]]\nnumber = 1\ntitle = "Start"\nfolder = "01-start"\nlessons = ["tea"]\n'
    )
    return tmp_path


def lesson_folder(course: Path) -> Path:
    return course / "01-start" / "04-tea"


def change(course: Path, old: str, new: str) -> None:
    manifest = lesson_folder(course) / "lesson.toml"
    text = manifest.read_text()
    assert old in text
    manifest.write_text(text.replace(old, new, 1))


def test_a_course_has_its_modules_and_lessons_in_the_order_written(course: Path) -> None:
    loaded = load_course(course)
    assert [module.title for module in loaded.modules] == ["Start"]
    assert [(lesson.id, lesson.number, lesson.minutes) for lesson in loaded.lessons] == [("tea", 4, 5)]


def test_a_lesson_has_everything_its_manifest_says(course: Path) -> None:
    lesson = load_lesson(lesson_folder(course))
    assert [(variant.name, variant.expect) for variant in lesson.variants] == [
        ("slow", "ok"),
        ("quick", "failed"),
    ]
    assert lesson.variants[0].differs == ("import time", "time.sleep(1)")
    assert lesson.lanes == ("brew",)
    assert not lesson.race
    assert [choice.text for choice in lesson.predictions[0].choices] == ["one", "all {JOBS}"]
    claim = lesson.claims[0]
    assert (claim.condition.value, claim.condition.times, claim.knobs) == ("slow.wall_s", 0.1, {"JOBS": 10})


def test_the_list_of_lessons_does_not_need_the_rest_of_a_manifest(course: Path) -> None:
    change(course, "[[variants]]", "[[variants]]\nthis is broken")
    assert load_course(course).lessons[0].id == "tea"
    with pytest.raises(CourseError, match="not valid TOML"):
        load_lesson(lesson_folder(course))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Tea"\n', "", r"lesson.toml: title: is missing; it must be a text"),
        ("minutes = 5", 'minutes = "5"', r"minutes: must be a whole number, not '5'"),
        ("minutes = 5", "minutes = true", r"minutes: must be a whole number, not True"),
        ("minutes = 5", "minuets = 5\nminutes = 5", r"minuets: is not a field of this table"),
        ('file = "slow.py"', 'file = "slower.py"', r"variants\[1\].file: .*slower.py is not there"),
        ('expect = "failed"', 'expect = "fine"', r"variants\[2\].expect: must be one of ok, failed, timeout"),
        ('metric = "peak"', 'metric = "speed"', r"predictions\[1\].metric: must be one of wall_s, "),
        (
            'metric = "wall_s"',
            'metric = "peak(pour)"',
            r"claims\[1\].metric: is of 'pour', which is not one of the lanes \(brew\)",
        ),
        ('"slow.wall_s"', '"slow.peak(pour)"', r"claims\[1\].value: must be a number, a knob or variant.met"),
        ('value = "JOBS"', 'value = "CUPS"', r"predictions\[1\].choices\[2\].value: .* not 'CUPS'"),
        (
            'kind = "choice"',
            'kind = "number"',
            r"predictions\[1\].choices: belong to a prediction of kind choice",
        ),
        ("With {JOBS}", "With {CUPS}", r"predictions\[1\].question: {CUPS} is not a knob of this lesson"),
        (
            'variant = "quick"',
            'variant = "fast"',
            r"claims\[1\].variant: must be one of quick, slow, not 'fast'",
        ),
        ('"slow.wall_s"', '"slow.speed"', r"claims\[1\].value: must be a number, a knob or variant.metric"),
        ("knobs = { JOBS = 10 }", "knobs = { CUPS = 1 }", r"claims\[1\].knobs: CUPS is not a knob"),
        ("low = 1", "low = 11", r"knobs\[1\].low: is 11, above high, which is 10"),
        (
            'id = "tea"',
            'id = "coffee"',
            r"id: is 'coffee', so the folder must be called NUMBER-coffee, not 04-tea",
        ),
        ("minutes = 5", "minutes = ", r"lesson.toml: is not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_file_and_field(course: Path, old: str, new: str, message: str) -> None:
    change(course, old, new)
    with pytest.raises(CourseError, match=message):
        load_lesson(lesson_folder(course))


EXERCISE = '\n[exercise]\ntask = "Brew."\nlanes = ["brew"]\nruns = [{}, { CUPS = RUNS }]\n'


def test_the_values_of_a_run_are_given_or_drawn(course: Path) -> None:
    change(
        course,
        "knobs = { JOBS = 10 }\n",
        EXERCISE.replace("CUPS = RUNS", "A = 1, B = [2, 5], C = [0.5, 1, 'x']"),
    )
    (lesson_folder(course) / "exercise.py").write_text("A = 1\nB = 3\n")
    exercise = load_lesson(lesson_folder(course)).exercise
    assert exercise is not None
    assert exercise.runs == ({}, {"A": 1, "B": range(2, 6), "C": [0.5, 1, "x"]})
    assert [exercise.draws(place) for place in (0, 1)] == [False, True]
    drawn = [exercise.knobs(seed)[1] for seed in range(50)]
    assert {knobs["B"] for knobs in drawn} == {2, 4, 5}  # not the one that is written there
    assert {knobs["C"] for knobs in drawn} == {0.5, 1, "x"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("[3]", r"runs\[2\].CUPS: must be two or more values to draw from"),
        ("[5, 2]", r"runs\[2\].CUPS: must be two or more values"),
        ("[{}, 1]", r"runs\[2\].CUPS\[1\]: must be a plain value"),
    ],
)
def test_nothing_can_be_drawn_from_what_is_no_choice(course: Path, given: str, message: str) -> None:
    change(course, "knobs = { JOBS = 10 }\n", EXERCISE.replace("RUNS", given))
    with pytest.raises(CourseError, match=message):
        load_lesson(lesson_folder(course))


def test_a_lesson_that_is_listed_must_be_there(course: Path) -> None:
    text = (course / "course.toml").read_text()
    (course / "course.toml").write_text(text.replace('["tea"]', '["tea", "milk"]'))
    with pytest.raises(
        CourseError, match=r"course.toml: modules\[1\].lessons: there must be one folder .*NUMBER-milk"
    ):
        load_course(course)


def test_two_lessons_cannot_have_the_same_number(course: Path) -> None:
    other = course / "01-start" / "04-milk"
    other.mkdir()
    (other / "lesson.toml").write_text(MANIFEST.replace('id = "tea"', 'id = "milk"'))
    text = (course / "course.toml").read_text()
    (course / "course.toml").write_text(text.replace('["tea"]', '["tea", "milk"]'))
    with pytest.raises(CourseError, match="4 belongs to two lessons"):
        load_course(course)


def test_a_folder_without_course_toml_is_no_course(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"is not a course: it has no course\.toml"):
        find_course(tmp_path)


def test_the_course_of_this_project_is_found_without_saying_where() -> None:
    assert "two-sleeps" in [lesson.id for lesson in load_course(find_course()).lessons]
