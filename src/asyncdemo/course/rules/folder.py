"""Rules about the files of a lesson: no stray ones, and none that shadows a standard library module."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asyncdemo.course.rules.lesson_source import LessonSource
from asyncdemo.course.rules.problem import Fault, Rule

_HIDING: Final = sys.stdlib_module_names | {"async"}
_APPS: Final = "apps"
"""The folder with what the lab measures, in the lesson about the lab."""


def stray_files(source: LessonSource) -> Iterator[Fault]:
    lesson = source.lesson
    known = {source.manifest, lesson.readme, *(variant.path for variant in lesson.variants)}
    if (exercise := lesson.exercise) is not None:
        known |= {exercise.file, exercise.solution, exercise.check, lesson.folder / "hints.md"}
        known |= {*exercise.right, *(wrong.path for wrong in exercise.wrong)}
    for path in _files(lesson.folder):
        if path not in known and path.parent.name != _APPS:
            yield Fault("is not a file of this lesson: no manifest entry names it", path)


def shadowed_modules(source: LessonSource) -> Iterator[Fault]:
    for path in _files(source.lesson.folder):
        if path.suffix == ".py" and path.stem in _HIDING:
            yield Fault(f"hides the module {path.stem!r} from every script next to it; rename it", path)


def _files(folder: Path) -> list[Path]:
    """Return the files without what tools leave behind: caches and hidden files."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part == "__pycache__" or part.startswith(".") for part in path.relative_to(folder).parts)
    )


RULES: Final = (Rule("files", stray_files), Rule("file-names", shadowed_modules))
