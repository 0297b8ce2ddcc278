"""Rules about the figures in a lesson's text: each is a claim, the value of a knob, or has a source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asyncdemo.course.content.knobs import constants
from asyncdemo.course.content.load import Load
from asyncdemo.course.rules.lesson_source import LessonSource, Section, line_at, prose
from asyncdemo.course.rules.problem import SEEDS, Fault, Rule
from asyncdemo.course.rules.references import FENCE, THREAD
from asyncdemo.errors import CourseError

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


def claim_texts(source: LessonSource) -> Iterator[Fault]:
    text = prose(source.text)
    if not text:
        return  # `sections` reports it
    for place, claim in enumerate(source.lesson.claims, start=1):
        if prose(claim.text) not in text:
            line = source.manifest_line(f"claims[{place}].text")
            yield Fault(f"the text does not say {claim.text!r}, word for word", source.manifest, line)


def quotations(source: LessonSource) -> Iterator[Fault]:
    text = prose(source.text)
    if not text:
        return
    for place, quote in enumerate(source.lesson.quoted, start=1):
        if not prose(quote.text) or prose(quote.text) not in text:
            line = source.manifest_line(f"quoted[{place}].text")
            yield Fault(f"is not in the text, so it needs no source: {quote.text!r}", source.manifest, line)
        if not quote.source.strip():
            line = source.manifest_line(f"quoted[{place}].source")
            yield Fault(f"has no source: {quote.text!r}", source.manifest, line)


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
                yield Fault(
                    f"{figure!r} in {section.heading!r} is neither a claim nor the value of a knob, and is "
                    "not quoted",
                    source.lesson.readme,
                    _line(section, position),
                )


def transcripts(source: LessonSource) -> Iterator[Fault]:
    """Check that blocks without a language are commands: the output of a run differs from run to run."""
    for section in source.sections:
        for fence in FENCE.finditer(section.body):
            if fence["language"]:
                continue
            offset = fence.start("body")
            for line in fence["body"].splitlines(keepends=True):
                words = line.split()
                if words and words[0] not in COMMANDS and not words[0].startswith("#"):
                    yield Fault(
                        f"{line.strip()!r} is not a command; do not paste what a run prints (code is marked "
                        "```python, a drawing ```text)",
                        source.lesson.readme,
                        _line(section, offset),
                    )
                    break
                offset += len(line)


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
    amounts = [load.clients, load.rate, load.requests, load.duration_s, load.timeout_s, *load.knobs.values()]
    amounts += [sending.times for sending in load.sends]
    in_paths = re.findall(r"\d+", " ".join(load.paths))
    return {f"{amount:g}" for amount in amounts if isinstance(amount, int | float)} | set(in_paths)


def _sourced(source: LessonSource) -> list[str]:
    """Return the parts of the text that have a claim or a source, the longest first."""
    texts = [claim.text for claim in source.lesson.claims] + [quote.text for quote in source.lesson.quoted]
    return sorted({text for text in texts if text.strip()}, key=lambda text: -len(prose(text)))


def _loose(body: str, sourced: list[str]) -> Iterator[tuple[str, int]]:
    """Yield (figure, position in the body) of each without a claim or source; the others are blanked."""
    text = FENCE.sub(_blank_fence, body)
    text = re.sub(r"^\s*\d+\. ", _blank, text, flags=re.MULTILINE)
    for words in sourced:
        text = re.sub(r"\s+".join(map(re.escape, words.split())), _blank, text)
    text = IN_CODE.sub(lambda code: code[0] if MEASURED.fullmatch(code[0]) else _blank(code), text)
    text = NAMES.sub(_blank, THREAD.sub(_blank, text))
    for figure in FIGURE.finditer(text):
        yield figure[0], figure.start()


def _blank_fence(fence: re.Match[str]) -> str:
    """Keep the contents of a drawing; blank out code and commands."""
    if fence["language"] != "text":
        return _blank(fence)
    return fence[0].replace("```text", " " * 7, 1).replace("```", " " * 3)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"\S", " ", match[0])


def _line(section: Section, position: int) -> int:
    return section.line + line_at(section.body, position)


RULES: Final = (
    Rule("claims-said", claim_texts),
    Rule("quoted", quotations),
    Rule("figures", figures),
    Rule("transcripts", transcripts),
)
