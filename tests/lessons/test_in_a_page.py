"""What runs in a page runs as in a terminal: same spans in virtual time, same verdicts, same sentences."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import load_course
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.lesson import Lesson, load_lesson
from asyncdemo.course.rules.solutions import typical
from asyncdemo.errors import MissingError
from asyncdemo.in_page.needs import runs_in_a_page
from asyncdemo.site.page_python import FOLDER, PINNED, fetch_package, packed_python, pyodide_files
from tests.support import page_runs

_ROOT = Path(__file__).parents[2]
_DRIVER = _ROOT / "tests" / "support" / "in_pyodide.mjs"
_COURSE = load_course(_ROOT / "lessons")
_LESSONS = [
    lesson
    for module in _COURSE.modules[:3]
    for lesson in (load_lesson(heading.folder) for heading in module.lessons)
    if runs_in_a_page(lesson)
]


@pytest.fixture(scope="session")
def page_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a page loads, and all files of the lessons."""
    if shutil.which("node") is None:
        pytest.skip("Node runs Pyodide here, and is not installed")
    try:
        files = pyodide_files(fetch_package("pyodide", _ROOT / PINNED, _ROOT / FOLDER))
    except MissingError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("page")
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "page.zip").write_bytes(packed_python(_LESSONS))
    return folder


def test_most_lessons_of_the_first_modules_run_in_a_page() -> None:
    assert len(_LESSONS) >= 9


@pytest.mark.slow
@pytest.mark.parametrize("lesson", _LESSONS, ids=lambda lesson: lesson.id)
def test_a_lesson_runs_in_a_page_as_in_a_terminal(lesson: Lesson, page_files: Path) -> None:
    """Its programs, the exercise as it is given, and a solution of every kind."""
    programs = [variant.path.name for variant in lesson.variants]
    assert not differences(lesson, [*programs, *some_solutions(lesson)], page_files)


@pytest.mark.release
@pytest.mark.parametrize("lesson", _LESSONS, ids=lambda lesson: lesson.id)
def test_other_solutions_are_judged_in_a_page_as_in_a_terminal(lesson: Lesson, page_files: Path) -> None:
    some = some_solutions(lesson)
    assert not differences(lesson, [one for one in solutions(lesson.exercise) if one not in some], page_files)


def some_solutions(lesson: Lesson) -> list[str]:
    assert lesson.exercise is not None
    return solutions(typical(lesson.exercise, right=1, wrong=1))


def solutions(exercise: Exercise | None) -> list[str]:
    """As the lesson's folder names them; none of one that computes: that takes another time there."""
    if exercise is None or not exercise.virtual:
        return []
    files = (exercise.file, exercise.solution, *exercise.right, *exercise.wrong)
    return [file.relative_to(exercise.file.parent).as_posix() for file in files]


def differences(lesson: Lesson, files: list[str], page_files: Path) -> dict[str, list[str]]:
    """File -> in what the two worlds differ."""
    arguments = ["node", str(_DRIVER), str(page_files), page_runs.__file__, lesson.id, *files]
    ended = subprocess.run(arguments, capture_output=True, text=True, timeout=900, check=False)
    assert ended.returncode == 0, ended.stderr
    there = json.loads(ended.stdout)
    here = json.loads(page_runs.main(str(_ROOT / "lessons"), lesson.id, *files))
    assert there.keys() == here.keys()
    return {
        file: [part for part in here[file] if here[file][part] != there[file][part]]
        for file in here
        if here[file] != there[file]
    }
