"""The page that lists all lessons, and the one with the notes for instructors.

Not for: the page of one lesson (``lessons``).
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from asyncdemo.course.content.catalog import Course, Heading, Module
from asyncdemo.course.content.text import sections
from asyncdemo.site.links import linked

__all__ = ["catalogue_page", "notes_page"]


def catalogue_page(course: Course) -> str:
    return "\n".join(_catalogue(course))


def notes_page(course: Course) -> str:
    """For who teaches: the part of every README that the class should not see yet."""
    return "\n".join(_notes(course))


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
        f"{lesson.point}\n{{.lesson-point}}\n</li>"
    )


def _notes(course: Course) -> Iterator[str]:
    yield "---\ntitle: Instructor's notes\nsearch:\n  boost: 0.5\n---\n\n# Instructor's notes\n"
    yield (
        "For each lesson: how the minutes are divided, what learners get wrong, what to ask, and the answer "
        "to its last question. `asyncdemo run LESSON --notes` prints the same in a terminal that the class "
        "does not see.\n"
    )
    ids = {lesson.id for lesson in course.lessons}
    for module in course.modules:
        yield f"## {_title(module)}\n"
        for lesson in module.lessons:
            notes = sections(lesson.folder / "README.md")["For instructors"]
            body = notes.replace("### Gives the answer away\n", "**Gives the answer away.**")
            yield f"### {lesson.number}. {lesson.title} {{#{lesson.id}}}\n"
            yield f"{lesson.point} [The lesson]({lesson.id}.md)\n"
            yield f"{linked(body, ids - {lesson.id})}\n"


def _title(module: Module) -> str:
    minutes = sum(lesson.minutes for lesson in module.lessons)
    return f"Module {module.number}: {module.title} ({minutes} minutes)"
