"""Rules about a lesson's text: its sections, and its figures.

Each figure is a claim, the value of a knob, or has a source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Final

from asyncdemo.course.content.constants import constants
from asyncdemo.course.content.load import Load
from asyncdemo.course.rules.lesson_source import (
    FENCE,
    SEEDS,
    THREAD,
    Fault,
    LessonSource,
    Rule,
    blank,
    line_at,
    prose,
)
from asyncdemo.errors import CourseError

SECTIONS: Final = (
    "The question",
    "Predict",
    "Run",
    "What you saw",
    "Why",
    "Change it",
    "Exercise",
    "Where it bites",
    "Key points",
    "One more question",
    "For instructors",
)
ANSWER: Final = "### Gives the answer away"
"""The heading, at the very end, above the answer to the last question, for instructors."""
ABOUT_OTHER_CODE: Final = {"One more question", "For instructors"}
COMMANDS: Final = ("asyncdemo", "python", "python3", "cp", "cd", "mkdir", "pip", "make", "git", "#")
NAMES: Final = re.compile(r"\b(?:Python|PEP|RFC|HTTP)\s+\d+(?:\.\d+)*|\w+\(\d+\)|https?://\S+|\]\([^)]*\)")
"""Words with a number that doesn't measure anything."""

NUMBERS: Final = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
    "thousand": 1000,
}
UNITS: Final = r"(?:milli|micro)?seconds?|ms|times|percent|minutes?|hours?|megabytes?"
FIGURE: Final = re.compile(
    rf"\d+(?:\.\d+)?|\b(?i:(?:{'|'.join(NUMBERS)})(?:[\s-]+(?:{'|'.join(NUMBERS)}))*)(?=[\s-]+(?:{UNITS})\b)"
)
IN_CODE: Final = re.compile(r"`[^`]*`")
MEASURED: Final = re.compile(r"`[\d.,]+\s?(?:s|ms|us|µs|ns|min|MB|GB|kB|KB|%|x|times)`")
"""In code marks, but not code."""


def sections(source: LessonSource) -> Iterator[Fault]:
    if source.text and not source.text.startswith(f"# {source.lesson.title}\n"):
        yield source.in_text(f"must begin with the title: # {source.lesson.title}", 1)
    for section in source.sections:
        if not section.body.strip():
            yield source.in_text(f"the section {section.heading!r} is empty", section.line)
    for wanted, found in zip_longest(SECTIONS, source.sections):
        if found is None or found.heading != wanted:
            message = (
                f"the section {wanted!r} should be here" if wanted else "there should be no more sections"
            )
            yield source.in_text(message, None if found is None else found.line)
            return


def minutes(source: LessonSource) -> Iterator[Fault]:
    total = source.lesson.minutes
    if not 5 <= total <= 30:
        yield source.in_manifest(f"a lesson takes 5 to 30 minutes, not {total}", "minutes")


def key_points(source: LessonSource) -> Iterator[Fault]:
    section = source.section("Key points")
    if section is not None:
        count = len(re.findall(r"^- ", section.body, flags=re.MULTILINE))
        if not 2 <= count <= 4:
            message = f"there must be two to four key points, each after '- ', not {count}"
            yield source.in_text(message, section.line)


def section_parts(source: LessonSource) -> Iterator[Fault]:
    lesson_id, minutes = source.lesson.id, source.lesson.minutes
    case = "names no real case: a thread (owner/repository#number) or a link"
    for heading, needed, message in (
        ("Run", rf"asyncdemo run {lesson_id}", f"must give the command: asyncdemo run {lesson_id}"),
        (
            "Exercise",
            r"\basyncdemo (start|check|watch)\b",
            f"must give a command: asyncdemo check {lesson_id}",
        ),
        ("Where it bites", rf"{THREAD.pattern}|\]\(http", case),
        ("For instructors", rf"\A\s*About {minutes} minutes\b", f"must begin with 'About {minutes} minutes'"),
        ("For instructors", rf"{ANSWER}\s+\S", f"must end with the last question's answer, under {ANSWER!r}"),
    ):
        section = source.section(heading)
        if section is not None and not re.search(needed, section.body):
            yield source.in_text(message, section.line)


def verbatim(source: LessonSource) -> Iterator[Fault]:
    """Check that the text has what the manifest says of it, word for word."""
    lesson, text = source.lesson, prose(source.text)
    parts = [(f"claims.{said}", said) for said in dict.fromkeys(claim.text for claim in lesson.claims)]
    parts += [(f"quoted.{said}", said) for said in lesson.quoted]
    parts += [(f"knobs.{knob.name}", f"`{knob.name}`") for knob in lesson.knobs]
    for field, part in parts if text else ():  # `sections` reports that there is no text
        if prose(part) not in text:
            yield source.in_manifest(f"the text does not say {part!r}, word for word", field)


def figures(source: LessonSource) -> Iterator[Fault]:
    values = _values([variant.path for variant in source.lesson.variants]) | _sent(source.lesson.load)
    exercise = source.lesson.exercise
    of_exercise = set(values)
    if exercise is not None:
        of_exercise |= _sent(exercise.load)
        of_exercise |= _values([exercise.file])
        drawn = exercise.drawn_with(SEEDS).runs
        of_exercise |= {f"{v:g}" for run in drawn for v in run.values() if isinstance(v, int | float)}
    sourced = _sourced(source)
    for section in source.sections:
        if section.heading in ABOUT_OTHER_CODE:
            continue
        known = of_exercise if section.heading == "Exercise" else values
        for figure, position in _loose(section.body, sourced):
            if str(NUMBERS.get(figure.lower(), figure)) not in known:
                message = f"{figure!r} in {section.heading!r} is neither a claim nor the value of a knob"
                yield source.in_text(f"{message}, and is not quoted", section.line_at(position))


def transcripts(source: LessonSource) -> Iterator[Fault]:
    """Check that blocks without a language are commands: the output of a run differs from run to run."""
    for fence in FENCE.finditer(source.text):
        lines = fence["body"].splitlines() if not fence["language"] else []
        for number, line in enumerate(lines, start=line_at(source.text, fence.start("body"))):
            if line.strip() and not line.lstrip().startswith("#") and line.split()[0] not in COMMANDS:
                message = f"{line.strip()!r} is not a command; do not paste what a run prints"
                yield source.in_text(f"{message} (code is marked ```python, a drawing ```text)", number)
                break


def _values(scripts: list[Path]) -> set[str]:
    """Return every number that is a constant of one of the scripts, as it would be written."""
    found = set()
    for script in scripts:
        try:
            values = constants(script).values()
        except CourseError:
            continue  # another rule reports it
        found |= {f"{value:g}" for value in values if isinstance(value, int | float)}
    return found


def _sent(load: Load | None) -> set[str]:
    """Return every number that the manifest says about a load."""
    if load is None:
        return set()
    amounts = [load.clients, load.requests, load.timeout_s, *load.knobs.values()]
    amounts += [sending.times for sending in load.sends]
    in_paths = re.findall(r"\d+", " ".join(load.paths))
    return {f"{amount:g}" for amount in amounts if isinstance(amount, int | float)} | set(in_paths)


def _sourced(source: LessonSource) -> list[str]:
    """Return the parts of the text that have a claim or a source, the longest first."""
    texts = [claim.text for claim in source.lesson.claims] + [*source.lesson.quoted]
    return sorted({text for text in texts if text.strip()}, key=lambda text: -len(prose(text)))


def _loose(body: str, sourced: list[str]) -> Iterator[tuple[str, int]]:
    """Yield (figure, position in the body) of each without a claim or source; the others are blanked."""
    text = FENCE.sub(_blank_fence, body)
    text = re.sub(r"^\s*\d+\. ", blank, text, flags=re.MULTILINE)
    for words in sourced:
        text = re.sub(r"\s+".join(map(re.escape, words.split())), blank, text)
    text = IN_CODE.sub(lambda code: code[0] if MEASURED.fullmatch(code[0]) else blank(code), text)
    text = NAMES.sub(blank, THREAD.sub(blank, text))
    for figure in FIGURE.finditer(text):
        yield figure[0], figure.start()


def _blank_fence(fence: re.Match[str]) -> str:
    """Keep the contents of a drawing; blank out code and commands."""
    if fence["language"] != "text":
        return blank(fence)
    return fence[0].replace("```text", " " * 7, 1).replace("```", " " * 3)


RULES: Final = (
    Rule("sections", sections),
    Rule("minutes", minutes),
    Rule("key-points", key_points),
    Rule("section-parts", section_parts),
    Rule("verbatim", verbatim),
    Rule("figures", figures),
    Rule("transcripts", transcripts),
)
