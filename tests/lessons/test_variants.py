"""The scripts of a lesson: ordinary Python, alike but for the concept."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from asyncdemo.course.knobs import constants
from asyncdemo.course.lesson import Lesson, Variant
from asyncdemo.course.pairs import differences
from tests.lessons.lessons import COURSE, LESSONS, VARIANTS

every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
every_variant = pytest.mark.parametrize(
    ("lesson", "variant"), VARIANTS, ids=[f"{lesson.id}-{variant.name}" for lesson, variant in VARIANTS]
)


def names_in_order(script: Path) -> list[str]:
    """Module-level constants and functions."""
    names = []
    for statement in ast.parse(script.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(statement.name)
        elif isinstance(statement, ast.Assign):
            names += [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return names


def imported(script: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add((node.module or "").partition(".")[0])
    return modules


@every_variant
def test_a_variant_runs_under_plain_python_without_a_warning(lesson: Lesson, variant: Variant) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-X", "dev", "-W", "error", variant.path.name],
        cwd=variant.path.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert (done.returncode == 0) is (variant.expect == "ok")
    assert done.stdout


@every_variant
def test_a_variant_imports_the_standard_library_and_the_packages_of_its_lesson(
    lesson: Lesson, variant: Variant
) -> None:
    assert imported(variant.path) <= sys.stdlib_module_names | set(lesson.packages)


@every_variant
def test_a_variant_is_short_enough_to_read_at_once(lesson: Lesson, variant: Variant) -> None:
    assert 20 <= len(variant.path.read_text(encoding="utf-8").splitlines()) <= 60


@every_variant
def test_a_variant_opens_with_a_question_what_to_predict_and_the_command(
    lesson: Lesson, variant: Variant
) -> None:
    docstring = ast.get_docstring(ast.parse(variant.path.read_text(encoding="utf-8"))) or ""
    assert docstring.splitlines()[0].endswith("?")
    assert "Predict" in docstring
    assert docstring.endswith(f"python {variant.path.name}")


@every_variant
def test_a_variant_does_nothing_when_it_is_imported(lesson: Lesson, variant: Variant) -> None:
    assert '\n\nif __name__ == "__main__":\n' in variant.path.read_text(encoding="utf-8")


@every_variant
def test_a_file_does_not_hide_a_module_of_the_standard_library(lesson: Lesson, variant: Variant) -> None:
    assert variant.path.stem not in sys.stdlib_module_names | {"async"}


@every_variant
def test_the_knobs_are_constants_of_the_script(lesson: Lesson, variant: Variant) -> None:
    values = constants(variant.path)
    for knob in lesson.knobs:
        value = values[knob.name]
        assert isinstance(value, int | float)
        assert knob.low <= value <= knob.high


@every_lesson
def test_variants_have_the_same_names_in_the_same_order(lesson: Lesson) -> None:
    assert len({tuple(names_in_order(variant.path)) for variant in lesson.variants}) == 1


@every_lesson
def test_the_functions_that_are_rows_exist_in_every_variant(lesson: Lesson) -> None:
    for variant in lesson.variants:
        assert set(lesson.lanes) <= set(names_in_order(variant.path))


@every_lesson
def test_variants_differ_only_in_the_lines_that_the_manifest_names(lesson: Lesson) -> None:
    sources = {variant.name: variant.path.read_text(encoding="utf-8") for variant in lesson.variants}
    assert differences(sources, {variant.name: variant.differs for variant in lesson.variants}) == []


@every_lesson
def test_a_lesson_folder_holds_nothing_else(lesson: Lesson) -> None:
    known = {"lesson.toml", "README.md", *(variant.path.name for variant in lesson.variants)}
    found = {path.name for path in lesson.folder.iterdir() if path.name not in {"__pycache__", ".mypy_cache"}}
    assert found == known


def test_every_lesson_folder_is_listed_in_the_course() -> None:
    folders = {manifest.parent for manifest in COURSE.folder.glob("*/*/lesson.toml")}
    assert folders == {lesson.folder for lesson in LESSONS}
