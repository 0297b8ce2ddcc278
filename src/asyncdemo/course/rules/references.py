"""Rules about the references in a lesson's text: threads, links, files, and commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import Course, Module
from asyncdemo.course.content.knobs import constants, settings, values
from asyncdemo.course.content.lookup import find_lesson
from asyncdemo.course.rules.lesson_source import LessonSource, line_at
from asyncdemo.course.rules.problem import Fault, Rule
from asyncdemo.errors import AsyncdemoError

THREAD: Final = re.compile(r"\b[\w.-]+/[\w.-]+#\d+")
"""A GitHub thread by name: owner/repository#number."""

FENCE: Final = re.compile(
    r"^(?P<indent>[ \t]*)```(?P<language>\w*)[ \t]*\n(?P<body>.*?)^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL
)
_LINK: Final = re.compile(r"\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_CODE: Final = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_FILE: Final = re.compile(r"[\w./-]*\w\.(?:py|toml|md)")
_OF_A_LESSON: Final = ("check", "hint", "reset", "solution")
"""Commands whose arguments are lessons with an exercise."""


def threads(source: LessonSource) -> Iterator[Fault]:
    text = _blanked(FENCE, source.text)
    text = _blanked(_CODE, _blanked(_LINK, text))
    for match in re.finditer(r"[\w./-]*#\d+", text):
        if not THREAD.fullmatch(match[0]):
            message = f"{match[0]!r} must be written owner/repository#number"
            yield Fault(message, source.lesson.readme, line_at(text, match.start()))


def links(source: LessonSource) -> Iterator[Fault]:
    text = _blanked(_CODE, _blanked(FENCE, source.text))
    for match in _LINK.finditer(text):
        target, _, anchor = match[1].partition("#")
        line = line_at(text, match.start())
        if re.match(r"(https?|mailto):", target):
            if not re.match(r"https?://[\w.-]+\.\w+|mailto:\S+@", target):
                yield Fault(f"the link {match[1]!r} is not an address", source.lesson.readme, line)
            continue
        file = source.lesson.folder / target if target else source.lesson.readme
        if not file.exists():
            yield Fault(f"the link leads to {target!r}, which is not there", source.lesson.readme, line)
        elif anchor and file.suffix == ".md" and anchor not in _anchors(file.read_text(encoding="utf-8")):
            yield Fault(
                f"the link leads to #{anchor}, but there is no such heading", source.lesson.readme, line
            )


def files(source: LessonSource) -> Iterator[Fault]:
    """Check that files in code marks exist, or that a command in the text creates them."""
    made = _made(source)
    text = _blanked(FENCE, source.text)
    for match in _CODE.finditer(text):
        if _FILE.fullmatch(match[1]) and match[1] not in made and not _exists(source, match[1]):
            message = f"there is no file {match[1]} in this lesson or course"
            yield Fault(message, source.lesson.readme, line_at(text, match.start()))


def commands(source: LessonSource) -> Iterator[Fault]:
    for line, words in _commands(source):
        for message in _faults_of_command(source, words):
            yield Fault(f"`{shlex.join(words)}`: {message}", source.lesson.readme, line)


def section_commands(source: LessonSource) -> Iterator[Fault]:
    """Check that sections about something to type have a command."""
    lesson = source.lesson
    run = source.section("Run")
    if run is not None and f"asyncdemo run {lesson.id}" not in run.body:
        message = f"must give the command: asyncdemo run {lesson.id}"
        yield Fault(message, lesson.readme, run.line)
    exercise = source.section("Exercise")
    if exercise is not None and not re.search(r"\basyncdemo (start|check|watch)\b", exercise.body):
        message = f"must give a command: asyncdemo start, asyncdemo check {lesson.id} or asyncdemo watch"
        yield Fault(message, lesson.readme, exercise.line)


def _commands(source: LessonSource) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, words) of each command, in blocks and in code marks."""
    text = source.text
    found = []
    for fence in FENCE.finditer(text):
        if not fence["language"]:
            offset = fence.start("body")
            for line in fence["body"].splitlines(keepends=True):
                found.append((offset, line))
                offset += len(line)
    outside = _blanked(FENCE, text)
    found += [(match.start(), match[1]) for match in _CODE.finditer(outside)]
    for position, command in sorted(found):
        try:
            words = shlex.split(command, comments=True)
        except ValueError:
            continue  # code with a quotation mark in it
        if len(words) > 1 and words[0] in ("asyncdemo", "python", "cp"):
            yield line_at(text, position), words


def _faults_of_command(source: LessonSource, words: Sequence[str]) -> Iterator[str]:
    program, *arguments = words
    if program == "cp":
        if len(arguments) != 2:
            yield "must name the file and the copy"
        elif not _exists(source, arguments[0]):
            yield f"there is no file {arguments[0]}"
    elif program == "python":
        script = next((word for word in arguments if not word.startswith("-")), "")
        if script.endswith(".py") and script not in _made(source) and not _exists(source, script):
            yield f"there is no file {script}"
    elif source.commands and arguments[0] not in source.commands and not arguments[0].startswith("-"):
        yield f"there is no command {arguments[0]}"
    elif arguments[0] == "run":
        yield from _faults_of_run(source, arguments[1:])
    elif arguments[0] == "trace":
        yield from _faults_of_trace(source, arguments[1:])
    elif arguments[0] in _OF_A_LESSON:
        for name in arguments[1:]:
            if not name.startswith("-"):
                yield from _faults_of_exercise(source, name)


def _faults_of_run(source: LessonSource, arguments: Sequence[str]) -> Iterator[str]:
    named, options = _parsed(arguments, ("--set", "--variant", "--save", "--timeout", "--course"))
    if len(named) != 1:
        yield "must name one lesson"
        return
    if named[0].isupper() or named[0] == "...":  # LESSON: stands for any
        return
    try:
        heading = find_lesson(_course(source), named[0])
        lesson = next(lesson for lesson in source.course if lesson.id == heading.id)
        values(lesson, settings(tuple(options.get("--set", ()))))
    except AsyncdemoError as error:
        yield str(error).splitlines()[0]
        return
    variants = [variant.name for variant in lesson.variants]
    for name in options.get("--variant", ()):
        if name not in variants:
            yield f"{lesson.id} has no variant {name}; there are {', '.join(variants)}"


def _faults_of_trace(source: LessonSource, arguments: Sequence[str]) -> Iterator[str]:
    named, options = _parsed(arguments, ("--set", "--lane", "--save", "--timeout", "-m"))
    if not named or not named[0].endswith(".py"):
        return
    script_name = _made(source).get(named[0], named[0])
    script = _found(source, script_name)
    if script is None:
        if not script_name.startswith("my_"):  # the reader's own script
            yield f"there is no file {named[0]}"
        return
    text = script.read_text(encoding="utf-8")
    for lane in options.get("--lane", ()):
        if not re.search(rf"\bdef {re.escape(lane)}\(", text):
            yield f"{script_name} has no function {lane}"
    try:
        for knob in settings(tuple(options.get("--set", ()))):
            if knob not in constants(script):
                yield f"{script_name} has no constant {knob}"
    except AsyncdemoError as error:
        yield str(error).splitlines()[0]


def _faults_of_exercise(source: LessonSource, name: str) -> Iterator[str]:
    if name.isupper() or name == "...":
        return
    try:
        heading = find_lesson(_course(source), name)
    except AsyncdemoError as error:
        yield str(error).splitlines()[0]
        return
    if all(lesson.exercise is None for lesson in source.course if lesson.id == heading.id):
        yield f"{heading.id} has no exercise"


def _parsed(arguments: Sequence[str], with_value: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return (arguments, values of each option)."""
    named: list[str] = []
    options: dict[str, list[str]] = {}
    rest = iter(arguments)
    for word in rest:
        option, equals, value = word.partition("=")
        if option in with_value:
            options.setdefault(option, []).append(value if equals else next(rest, ""))
        elif not word.startswith("-"):
            named.append(word)
    return named, options


def _course(source: LessonSource) -> Course:
    return Course("", source.course_folder, (Module(1, "", source.course),))


def _made(source: LessonSource) -> dict[str, str]:
    """Return the files that readers create with ``cp``, or have in a workspace, and their originals."""
    made = {words[2]: words[1] for _, words in _commands(source) if words[0] == "cp" and len(words) == 3}
    lesson = source.lesson.folder.resolve()
    mine = (f"{lesson.name}.py", f"{lesson.parent.name}/{lesson.name}.py")
    return made | dict.fromkeys(mine, "exercise.py")


def _exists(source: LessonSource, name: str) -> bool:
    return _found(source, name) is not None


def _found(source: LessonSource, name: str) -> Path | None:
    """Return a file named from the lesson's folder, the course's, or the checkout around the course."""
    course = source.course_folder
    places = [source.lesson.folder, course, course.resolve().parent]
    if name.startswith("lessons/"):  # as in the checkout, whatever the installed folder is called
        places, name = [course], name.removeprefix("lessons/")
    return next((place / name for place in places if (place / name).is_file()), None)


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """Replace matches by spaces, so that positions stay the same."""
    return pattern.sub(lambda match: re.sub(r"\S", " ", match[0]), text)


RULES: Final = (
    Rule("threads", threads),
    Rule("links", links),
    Rule("files-named", files),
    Rule("commands", commands),
    Rule("commands-told", section_commands),
)
