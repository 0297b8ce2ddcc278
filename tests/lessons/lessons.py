"""The lessons that exist, for tests that look at every one."""

from __future__ import annotations

from typing import Final

from asyncdemo.course.catalog import find_course, load_course
from asyncdemo.course.lesson import Lesson, Variant, load_lesson

__all__ = ["COURSE", "LESSONS", "VARIANTS"]

COURSE: Final = load_course(find_course())
LESSONS: Final[list[Lesson]] = [load_lesson(heading.folder) for heading in COURSE.lessons]
VARIANTS: Final[list[tuple[Lesson, Variant]]] = [
    (lesson, variant) for lesson in LESSONS for variant in lesson.variants
]
