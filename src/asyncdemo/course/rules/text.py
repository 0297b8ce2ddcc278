"""Rules about the structure of a lesson's text: its sections, and what each of them must have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from asyncdemo.course.rules.lesson_source import LessonSource, line_at
from asyncdemo.course.rules.problem import Fault, Rule
from asyncdemo.course.rules.references import THREAD

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


def sections(source: LessonSource) -> Iterator[Fault]:
    readme = source.lesson.readme
    if not source.text:
        yield Fault("there must be a text", readme)
        return
    counts = Counter(section.heading for section in source.sections)
    for heading in SECTIONS:
        if heading not in counts:
            yield Fault(f"the section {heading!r} is missing", readme)
    in_order = [section for section in source.sections if section.heading in SECTIONS]
    expected = [heading for heading in SECTIONS if heading in counts]
    place = 0
    for section in source.sections:
        if section.heading not in SECTIONS:
            yield Fault(f"{section.heading!r} is not a section of a lesson", readme, section.line)
        elif counts[section.heading] > 1:
            yield Fault(
                f"there are {counts[section.heading]} sections {section.heading!r}", readme, section.line
            )
        if not section.body.strip():
            yield Fault(f"the section {section.heading!r} is empty", readme, section.line)
    if max(counts.values(), default=0) == 1:
        for section in in_order:
            if section.heading != expected[place]:
                message = f"the section {section.heading!r} is where {expected[place]!r} should be"
                yield Fault(message, readme, section.line)
                break
            place += 1


def title(source: LessonSource) -> Iterator[Fault]:
    if source.text and not source.text.startswith(f"# {source.lesson.title}\n"):
        yield Fault(f"must begin with the title: # {source.lesson.title}", source.lesson.readme, 1)


def minutes(source: LessonSource) -> Iterator[Fault]:
    total = source.lesson.minutes
    if not 5 <= total <= 30:
        yield Fault(
            f"a lesson takes 5 to 30 minutes, not {total}", source.manifest, source.manifest_line("minutes")
        )
    section = source.section("For instructors")
    if section is None:
        return
    body = section.body.strip()
    if not re.match(rf"About {total} minutes\b", body):
        message = f"must begin with 'About {total} minutes', as the manifest says"
        yield Fault(message, source.lesson.readme, section.line)
        return
    first = body.split("\n\n")[0].split(". ")[0]
    parts = [int(part) for part in re.findall(r"\b(\d+) to [a-z]", first)]
    if parts and sum(parts) != total:
        message = f"the parts take {sum(parts)} minutes together, not {total}"
        yield Fault(message, source.lesson.readme, section.line)


def key_points(source: LessonSource) -> Iterator[Fault]:
    section = source.section("Key points")
    if section is not None:
        count = len(re.findall(r"^- ", section.body, flags=re.MULTILINE))
        if not 2 <= count <= 4:
            message = f"there must be two to four key points, each after '- ', not {count}"
            yield Fault(message, source.lesson.readme, section.line)


def incident(source: LessonSource) -> Iterator[Fault]:
    section = source.section("Where it bites")
    if section is not None and not THREAD.search(section.body) and "](http" not in section.body:
        message = "names no real case: a thread (owner/repository#number) or a link"
        yield Fault(message, source.lesson.readme, section.line)


def answer(source: LessonSource) -> Iterator[Fault]:
    section = source.section("For instructors")
    if section is None:
        return
    before, heading, after = section.body.partition(ANSWER)
    if not heading or not after.strip():
        message = f"must end with the answer to the last question, under {ANSWER!r}"
        yield Fault(message, source.lesson.readme, section.line)
    elif match := re.search(r"\banswers?\b", before):
        start = source.text.index(section.body)
        message = (
            f"the word {match[0]!r} comes before {ANSWER!r}: a learner could read the answer by accident"
        )
        yield Fault(message, source.lesson.readme, line_at(source.text, start + match.start()))


def knobs(source: LessonSource) -> Iterator[Fault]:
    for place, knob in enumerate(source.lesson.knobs, start=1):
        if source.text and f"`{knob.name}`" not in source.text:
            line = source.manifest_line(f"knobs[{place}].name")
            yield Fault(f"the text never names the knob `{knob.name}`", source.manifest, line)


RULES: Final = (
    Rule("sections", sections),
    Rule("title", title),
    Rule("minutes", minutes),
    Rule("key-points", key_points),
    Rule("incident", incident),
    Rule("answer", answer),
    Rule("knobs-named", knobs),
)
