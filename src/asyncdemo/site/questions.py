"""The fence ``questions``: every lesson in a line, with its question.

Not here: the list of lessons with minutes and links (see ``catalogue``).
"""

from __future__ import annotations

from html import escape

from asyncdemo.course.content.catalog import Course, find_course, load_course
from asyncdemo.site.fence import formatter, settings


@formatter
def fence(source: str) -> str:
    """It has no settings: the lessons are those of the course."""
    settings(source, ())
    return questions_html(load_course(find_course()))


def questions_html(course: Course) -> str:
    """Return a list, numbered like the lessons."""
    lines = "".join(
        f'<li value="{lesson.number}"><b>{escape(lesson.title)}</b> {escape(lesson.question)}</li>'
        for lesson in course.lessons
    )
    return f'<ol class="questions">{lines}</ol>'
