"""A lesson in front of a class: the steps, and what is on the slide of each.

Not for: keys and the terminal (``present``), how a slide looks (``render.terminal.slides``).
What an instructor should know and a class should not see is on no slide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from asyncdemo.course.content.lesson import Lesson, Variant
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import (
    Answer,
    Prediction,
    PredictionKind,
    compare,
    fill,
    happened,
    parse,
)
from asyncdemo.course.content.text import sections
from asyncdemo.model import Run
from asyncdemo.render.facts.runs import Account, account_for, empty_words, finding_words
from asyncdemo.render.terminal.slide_blocks import ALARM, MARKED, Block, Figures, Row, Words, prose
from asyncdemo.render.terminal.slides import Slide
from asyncdemo.render.words import duration, join, title

__all__ = ["Lecture", "Stage", "Step"]

_MORE = "One more question"
_SHORT = 40
"""Longer answers stand below each other."""


class Stage(StrEnum):
    """What a step is for."""

    TITLE = "title"
    QUESTION = "question"
    PREDICT = "predict"
    RUN = "run"
    REVEAL = "reveal"
    TIMELINE = "timeline"
    FINDINGS = "findings"
    POINTS = "key points"
    MORE = "one more question"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Step:
    """place: which of the predictions or variants."""

    stage: Stage
    place: int = 0


class Lecture:
    """The slides of one lesson. They change with what the class said and with what ran."""

    def __init__(
        self,
        lesson: Lesson,
        variants: Sequence[Variant],
        predictions: Sequence[Prediction],
        knobs: Knobs,
        changed: Knobs,
    ) -> None:
        """variants: those that are run. changed: the knobs that are not as written."""
        self.said: dict[int, str] = {}
        """Place of the prediction -> what the class answered, as it was typed."""
        self._lesson = lesson
        self._variants = variants
        self._predictions = predictions
        self._knobs = knobs
        self._changed = changed
        self._sections = sections(lesson.readme)
        self._answer = _answer_of(self._sections.get("For instructors", ""))
        self._accounts: tuple[Account, ...] = ()
        self.steps = tuple(self._steps())

    def ran(self, runs: Sequence[Run]) -> None:
        """All variants have run, in order."""
        meant = [run.name for run in runs if run.name not in self._odd(runs)]
        self._accounts = account_for(runs, meant)

    def run_of(self, step: Step) -> Run:
        """What the timeline of a step is of."""
        return self._accounts[step.place].run

    def slide(self, step: Step, typed: str | None = None) -> Slide:
        """typed: what was typed so far of an answer that is not given yet."""
        place = step.place
        match step.stage:
            case Stage.TITLE:
                return Slide(self._lesson.title, tuple(self._opening()))
            case Stage.QUESTION:
                return self._section("The question")
            case Stage.PREDICT:
                return Slide(
                    _numbered("Predict", place, self._predictions), tuple(self._predict(place, typed))
                )
            case Stage.RUN | Stage.TIMELINE:  # before there is a picture
                return Slide("Run", tuple(self._programs()))
            case Stage.REVEAL:
                return Slide("What happened", tuple(self._reveal(place)))
            case Stage.FINDINGS:
                variant = self._variants[place]
                return Slide(variant.name, (Words(variant.title), *self._found(place)))
            case Stage.POINTS:
                return self._section("Key points")
            case Stage.MORE:
                return self._section(_MORE)
            case Stage.ANSWER:
                return Slide("The answer", tuple(self._answers()))

    def _steps(self) -> Iterator[Step]:
        yield Step(Stage.TITLE)
        if self._sections.get("The question"):
            yield Step(Stage.QUESTION)
        for place in range(len(self._predictions)):
            yield Step(Stage.PREDICT, place)
        yield Step(Stage.RUN)
        for place in range(len(self._predictions)):
            yield Step(Stage.REVEAL, place)
        for place in range(len(self._variants)):
            yield Step(Stage.TIMELINE, place)
            yield Step(Stage.FINDINGS, place)
        if self._sections.get("Key points"):
            yield Step(Stage.POINTS)
        if self._sections.get(_MORE):
            yield Step(Stage.MORE)
            if self._answer:
                yield Step(Stage.ANSWER)

    def _section(self, heading: str) -> Slide:
        return Slide(heading, (*prose(self._sections[heading]), *self._this_time(heading == "The question")))

    def _this_time(self, wanted: bool = True) -> Iterator[Block]:
        """The text has the values as written."""
        if self._changed and wanted:
            settings = ", ".join(f"{name} = {value}" for name, value in self._changed.items())
            yield Words(f"This time: {settings}.", style=MARKED)

    def _opening(self) -> Iterator[Block]:
        yield Words(f"Lesson {self._lesson.number}")
        yield from self._this_time()

    def _programs(self) -> Iterator[Block]:
        for variant in self._variants:
            yield Row(variant.name, variant.title)
        if len(self._variants) > 1:
            how = "All at once" if self._lesson.race else "One after another"
            yield Words(f"{how}, on one time scale.")

    def _predict(self, place: int, typed: str | None) -> Iterator[Block]:
        prediction = self._predictions[place]
        yield Words(fill(prediction.question, self._knobs))
        for number, offer in enumerate(self._offers(prediction), start=1):
            yield Words(offer, mark=f"{number})")
        said = self.said.get(place) if typed is None else f"{typed}_"
        if said is not None:
            yield Words(f"The class says: {said}", style=MARKED)

    def _reveal(self, place: int) -> Iterator[Block]:
        prediction = self._predictions[place]
        runs = [account.run for account in self._accounts]
        yield Words(fill(prediction.question, self._knobs))
        odd = self._odd(runs)
        if odd:
            # Figures of a run that broke off answer no question.
            yield Words(f"Not judged: {join(odd)} did not end as the lesson means it.", style=ALARM)
            return
        measured = {account.run.name: account.metrics for account in self._accounts}
        answer = self._parsed(place)
        was = happened(prediction, measured, self._knobs)
        if answer is not None:
            comparison = compare(prediction, answer, measured, self._knobs)
            yield from _next_to_each_other(comparison.predicted, comparison.happened)
            yield (Words("Right.", style=MARKED) if comparison.right else Words("Not so.", style=ALARM))
        elif place in self.said:
            yield from _next_to_each_other(self.said[place], was)
        else:
            yield Figures((("It was", was),))
        yield Words(fill(prediction.why, self._knobs))

    def _found(self, place: int) -> Iterator[Block]:
        account = self._accounts[place]
        if account.run.lanes:
            yield Figures(
                (("wall", duration(account.metrics.wall_ns)), ("peak", f"{account.metrics.peak:,}"))
            )
        else:
            yield Words(empty_words(account.run), style=ALARM)
        for fact in account.facts:
            if fact.label != "wall":
                yield Row(fact.label, fact.value, *([ALARM] if fact.warns else []))
        for finding in account.findings:
            message, advice = finding_words(finding)
            yield Words(f"{message} {advice}", mark="-")
        for note in account.notes:
            yield Words(note, mark="-")

    def _answers(self) -> Iterator[Block]:
        first, _, rest = self._answer.partition("\n\n")
        # An answer that begins with "200." begins no list.
        yield from (
            [Words(" ".join(first.split()))] if "\n-" not in first and "`" * 3 not in first else prose(first)
        )
        yield from prose(rest)

    def _offers(self, prediction: Prediction) -> list[str]:
        if prediction.kind is PredictionKind.ORDER:
            return [variant.name for variant in self._lesson.variants]
        return [fill(choice.text, self._knobs) for choice in prediction.choices]

    def _parsed(self, place: int) -> Answer | None:
        """What the class said as an answer; None if it is nothing that can be compared."""
        names = [variant.name for variant in self._lesson.variants]
        try:
            return parse(self._predictions[place], self.said.get(place, ""), names, self._knobs)
        except ValueError:
            return None

    def _odd(self, runs: Sequence[Run]) -> list[str]:
        return [
            title(run)
            for variant, run in zip(self._variants, runs, strict=True)
            if run.outcome != variant.expect
        ]


def _next_to_each_other(said: str, was: str) -> Iterator[Block]:
    if len(said) + len(was) < _SHORT:
        yield Figures((("The class said", said), ("It was", was)))
    else:
        yield Row("The class said", said)
        yield Row("It was", was, MARKED)


def _numbered(word: str, place: int, items: Sequence[object]) -> str:
    return f"{word} {place + 1}/{len(items)}" if len(items) > 1 else word


def _answer_of(instructors: str) -> str:
    """The paragraphs that answer the last question. Others answer what an instructor asks."""
    _, _, answers = instructors.partition("### Gives the answer away")
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", answers.strip()):
        to = re.match(r'To "(.*?)":\s*', paragraph, re.DOTALL)
        if to and " ".join(to[1].split()) == _MORE:
            rest = paragraph[to.end() :]
            found.append(rest[:1].upper() + rest[1:])
        elif to and found:
            break
        elif found:
            found.append(paragraph)
    return "\n\n".join(found) if found else answers.strip()
