"""Rules about the references in a lesson's text: threads, links, files, and commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import Course, Module
from asyncdemo.course.content.knobs import settings, values
from asyncdemo.course.content.lesson import Lesson
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.course.rules.lesson_source import (
    FENCE,
    THREAD,
    Fault,
    LessonSource,
    Rule,
    blank,
    line_at,
)
from asyncdemo.errors import AsyncdemoError

_LINK: Final = re.compile(r"\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_CODE: Final = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_FILE: Final = re.compile(r"[\w./-]*\w\.(?:py|toml|md)")
_OF_A_LESSON: Final = ("check", "hint", "reset", "solution")
"""Commands whose arguments are lessons with an exercise."""
_WITH_VALUE: Final = ("--set", "--variant", "--lane", "--save", "--timeout", "--course", "-m")


def threads(source: LessonSource) -> Iterator[Fault]:
    text = _CODE.sub(blank, _LINK.sub(blank, FENCE.sub(blank, source.text)))
    for match in re.finditer(r"[\w./-]*#\d+", text):
        if not THREAD.fullmatch(match[0]):
            message = f"{match[0]!r} must be written owner/repository#number"
            yield source.in_text(message, line_at(text, match.start()))


def links(source: LessonSource) -> Iterator[Fault]:
    text = _CODE.sub(blank, FENCE.sub(blank, source.text))
    for match in _LINK.finditer(text):
        target, _, anchor = match[1].partition("#")
        line = line_at(text, match.start())
        if re.match(r"(https?|mailto):", target):
            continue
        file = source.lesson.folder / target if target else source.lesson.readme
        if not file.exists():
            yield source.in_text(f"the link leads to {target!r}, which is not there", line)
        elif anchor and file.suffix == ".md" and anchor not in _anchors(file.read_text(encoding="utf-8")):
            yield source.in_text(f"the link leads to #{anchor}, but there is no such heading", line)


def files(source: LessonSource) -> Iterator[Fault]:
    """Check that files in code marks exist, or that a command in the text creates them."""
    text = FENCE.sub(blank, source.text)
    for match in _CODE.finditer(text):
        if _FILE.fullmatch(match[1]) and _found(source, match[1]) is None:
            message = f"there is no file {match[1]} in this lesson or course"
            yield source.in_text(message, line_at(text, match.start()))


def commands(source: LessonSource) -> Iterator[Fault]:
    for line, words in _commands(source):
        try:
            for message in _faults_of_command(source, words):
                yield source.in_text(f"`{shlex.join(words)}`: {message}", line)
        except AsyncdemoError as error:
            yield source.in_text(f"`{shlex.join(words)}`: {str(error).splitlines()[0]}", line)


def _commands(source: LessonSource) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, words) of each command, in blocks and in code marks."""
    text = source.text
    found = []
    for fence in FENCE.finditer(text):
        if not fence["language"]:
            first = line_at(text, fence.start("body"))
            found += list(enumerate(fence["body"].splitlines(), start=first))
    outside = FENCE.sub(blank, text)
    found += [(line_at(text, match.start()), match[1]) for match in _CODE.finditer(outside)]
    for line, command in sorted(found):
        try:
            words = shlex.split(command, comments=True)
        except ValueError:
            continue  # code with a quotation mark in it
        if len(words) > 1 and words[0] in ("asyncdemo", "python", "cp"):
            yield line, words


def _faults_of_command(source: LessonSource, words: Sequence[str]) -> Iterator[str]:
    """Raises AsyncdemoError, too."""
    program, *arguments = words
    named, options = _parsed(arguments)
    if program in ("cp", "python") or arguments[0] == "trace":
        files = [name for name in named if name.endswith(".py")][:1]
        if files and _found(source, files[0]) is None and not files[0].startswith("my_"):  # a reader's own
            yield f"there is no file {files[0]}"
    elif source.commands and arguments[0] not in source.commands and not arguments[0].startswith("-"):
        yield f"there is no command {arguments[0]}"
    elif arguments[0] == "run" and len(named) != 2:
        yield "must name one lesson"
    elif arguments[0] == "run":
        if lesson := _lesson(source, named[1]):
            values(lesson, settings(tuple(options.get("--set", ()))))
            lesson.chosen(options.get("--variant", ()))
    elif arguments[0] in _OF_A_LESSON:
        for name in named[1:]:
            lesson = _lesson(source, name)
            if lesson is not None and lesson.exercise is None:
                yield f"{lesson.id} has no exercise"


def _lesson(source: LessonSource, name: str) -> Lesson | None:
    """Return the lesson; None if the name, like LESSON, stands for any. Raises UsageError."""
    if name.isupper() or name == "...":
        return None
    heading = find_lesson(Course("", source.course_folder, (Module(1, "", source.course),)), name)
    return next(lesson for lesson in source.course if lesson.id == heading.id)


def _parsed(arguments: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return (arguments, values of each option)."""
    named: list[str] = []
    options: dict[str, list[str]] = {}
    rest = iter(arguments)
    for word in rest:
        option, equals, value = word.partition("=")
        if option in _WITH_VALUE:
            options.setdefault(option, []).append(value if equals else next(rest, ""))
        elif not word.startswith("-"):
            named.append(word)
    return named, options


def _found(source: LessonSource, name: str) -> Path | None:
    """Return a file named from the lesson's folder, the course's, or the checkout around the course.

    A copy that a reader makes with ``cp``, or has in a workspace, stands for its original.
    """
    lesson, course = source.lesson.folder, source.course_folder
    copies = {words[2]: words[1] for _, words in _commands(source) if words[0] == "cp" and len(words) == 3}
    place = lesson.resolve()
    copies |= dict.fromkeys((f"{place.name}.py", f"{place.parent.name}/{place.name}.py"), "exercise.py")
    name = copies.get(name, name)
    places = [lesson, course, course.resolve().parent]
    if name.startswith("lessons/"):  # as in the checkout, whatever the installed folder is called
        places, name = [course], name.removeprefix("lessons/")
    return next((place / name for place in places if (place / name).is_file()), None)


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


RULES: Final = (
    Rule("threads", threads),
    Rule("links", links),
    Rule("files-named", files),
    Rule("commands", commands),
)
