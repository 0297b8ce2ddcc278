"""The page that lists all lessons.

Not here: the page of one lesson (see ``lessons``), or those for instructors (see ``teaching``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from html import escape

from asyncdemo.course.content.catalog import Course, Heading


def catalogue_page(course: Course, live: Collection[str] = ()) -> str:
    """``live``: the ids of the lessons whose programs run in the page."""
    return "\n".join(_catalogue(course, live))


def _catalogue(course: Course, live: Collection[str]) -> Iterator[str]:
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
        yield from (_entry(lesson, lesson.id in live) for lesson in module.lessons)
        yield "</ol>\n"


def _entry(lesson: Heading, live: bool) -> str:
    tag = '<span class="lesson-live">runs in the page</span> ' if live else ""
    return (
        f'<li markdown="block">\n[<span class="lesson-number">{lesson.number}</span> {escape(lesson.title)}]'
        f"({lesson.id}.md){{.lesson-title}}\n"
        f'<span class="lesson-minutes">{tag}{lesson.minutes} minutes</span>\n\n'
        f"{lesson.question}\n{{.lesson-question}}\n</li>"
    )
