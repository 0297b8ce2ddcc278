"""The page that lists all lessons.

Not for: the page of one lesson (``lessons``), nor those for who teaches (``teaching``).
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from asyncdemo.course.content.catalog import Course, Heading


def catalogue_page(course: Course) -> str:
    return "\n".join(_catalogue(course))


def _catalogue(course: Course) -> Iterator[str]:
    hours, minutes = divmod(sum(lesson.minutes for lesson in course.lessons), 60)
    yield "---\ntitle: Lessons\nsearch:\n  boost: 0.5\n---\n\n# Lessons\n"
    yield (
        f"{len(course.lessons)} lessons, {hours} hours and {minutes} minutes in front of a class. "
        "Each is the same job done in two to four ways: predict, run, see what each way waits for, turn a "
        "knob, repair a program. Each builds on the ones before it, and can be read alone.\n"
    )
    for module in course.modules:
        yield f"## Module {module.number}: {module.title}\n"
        yield '<ol class="lesson-list" markdown>'
        yield from map(_entry, module.lessons)
        yield "</ol>\n"


def _entry(lesson: Heading) -> str:
    return (
        f'<li markdown="block">\n[<span class="lesson-number">{lesson.number}</span> {escape(lesson.title)}]'
        f"({lesson.id}.md){{.lesson-title}}\n"
        f'<span class="lesson-minutes">{lesson.minutes} minutes</span>\n\n'
        f"{lesson.question}\n{{.lesson-question}}\n</li>"
    )
