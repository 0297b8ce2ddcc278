"""A lesson for a class: the steps, and the slide of each. Pure.

Not here: keys and the terminal (see ``screen``), how a slide looks (see ``render.terminal.slides``). No slide
contains what only instructors should see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import Final

from asyncdemo.course.content.lesson import Lesson, Variant
from asyncdemo.course.content.listing import listing
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import (
    Prediction,
    PredictionKind,
    compare,
    fill,
    happened,
    parse,
)
from asyncdemo.course.content.text import sections
from asyncdemo.course.judging.lesson_jobs import not_as_meant
from asyncdemo.errors import UsageError
from asyncdemo.model import Run
from asyncdemo.render.facts.runs import Account, account_for, empty_words, finding_words
from asyncdemo.render.terminal.slide_blocks import (
    ALARM,
    MARKED,
    Answer,
    Block,
    Figures,
    Program,
    Programs,
    Row,
    Words,
    prose,
)
from asyncdemo.render.terminal.slides import Slide
from asyncdemo.render.words import duration, join, settings_words
from asyncdemo.tui.present.poll import MOST_ANSWERS, Poll

_MORE: Final = "One more question"


class Stage(StrEnum):
    """The purpose of a step."""

    TITLE = "title"
    QUESTION = "question"
    CODE = "code"
    PREDICT = "predict"
    RUN = "run"
    REVEAL = "reveal"
    TIMELINE = "timeline"
    FINDINGS = "findings"
    POINTS = "key points"
    MORE = "one more question"
    ANSWER = "answer"


_NEED_RUNS: Final = (Stage.REVEAL, Stage.TIMELINE, Stage.FINDINGS)


@dataclass(frozen=True, slots=True)
class Step:
    """A step. ``place`` is the index of the prediction or variant."""

    stage: Stage
    place: int = 0

    @property
    def needs_runs(self) -> bool:
        """Whether it shows results of the programs."""
        return self.stage in _NEED_RUNS


class Lecture:
    """The slides of one lesson. They change with the answers of the class and with the runs.

    Attributes:
        steps: In order.
        polls: The answers of the class to each prediction.
        runs: The recordings of all variants, in order; empty until all have finished.
    """

    def __init__(
        self,
        lesson: Lesson,
        variants: Sequence[Variant],
        predictions: Sequence[Prediction],
        knobs: Knobs,
        changed: Knobs,
    ) -> None:
        """``variants`` are those that are run; ``changed`` has the knobs with other values than written."""
        self.minutes = lesson.minutes
        self._lesson = lesson
        self._variants = variants
        self._predictions = predictions
        self._knobs = knobs
        self._changed = changed
        self._names = [variant.name for variant in lesson.variants]
        self._sections = sections(lesson.readme)
        self._answer = _answer_of(self._sections.get("For instructors", ""))
        self._accounts: tuple[Account, ...] = ()
        self.polls = [Poll(self._offers(prediction)) for prediction in predictions]
        self.steps = tuple(self._steps())

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(account.run for account in self._accounts)

    def ran(self, runs: Sequence[Run]) -> None:
        """Set the runs of all variants, in order."""
        odd = not_as_meant(self._variants, runs)
        meant = [run.name for run in runs if run.name not in odd]
        self._accounts = account_for(runs, meant)

    def offer(self, place: int, said: str) -> str:
        """Store a class's answer to a question. Returns why it is invalid; "" if it was stored."""
        prediction = self._predictions[place]
        if prediction.kind is PredictionKind.NUMBER:
            try:
                parse(prediction, said, self._names, self._knobs)
            except ValueError as error:
                return f"Not understood: {error}."
        if not self.polls[place].offer(said):
            return f"There are {MOST_ANSWERS} answers already, one for each digit."
        return ""

    def program_of(self, step: Step) -> int:
        """Return the index of the program that a question is about; for other steps, the first."""
        name = self._predictions[step.place].variant if step.stage in (Stage.PREDICT, Stage.REVEAL) else ""
        names = [variant.name for variant in self._variants]
        return names.index(name) if name in names else 0

    def find(self, typed: str) -> int:
        """Return the index of a step, by its number or the beginning of its name. Raises UsageError."""
        if typed.isdecimal() and 1 <= int(typed) <= len(self.steps):
            return int(typed) - 1
        for at, step in enumerate(self.steps):
            if typed and step.stage.startswith(typed.lower()):
                return at
        names = ", ".join(dict.fromkeys(str(step.stage) for step in self.steps))
        raise UsageError(
            f"--from {typed}: there is no such step. There are: {names}; or a number up to {len(self.steps)}."
        )

    def slide(self, step: Step) -> Slide:
        """Return the step's slide; for the run and the timelines, the one before there is a picture."""
        place = step.place
        if step.needs_runs and not self._accounts:
            return Slide("Not run yet", (Words("`r` runs the programs."),))
        match step.stage:
            case Stage.TITLE:
                return Slide(self._lesson.title, tuple(self._opening()))
            case Stage.QUESTION:
                return self._section("The question")
            case Stage.CODE:
                return Slide("Where they differ", (self._programs(),))
            case Stage.PREDICT:
                return Slide(_numbered("Predict", place, self._predictions), tuple(self._predict(place)))
            case Stage.RUN | Stage.TIMELINE:
                return Slide("Run", tuple(self._to_run()))
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
        if any(variant.differs for variant in self._variants):
            yield Step(Stage.CODE)
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
        """Yield the current values, because the text has the original ones."""
        if self._changed and wanted:
            yield Words(f"This time: {settings_words(self._changed)}.", style=MARKED)

    def _opening(self) -> Iterator[Block]:
        yield Words(f"Lesson {self._lesson.number}")
        yield from self._this_time()

    def _programs(self) -> Programs:
        return Programs(tuple(Program(variant.path.name, _differing(variant)) for variant in self._variants))

    def _to_run(self) -> Iterator[Block]:
        for variant in self._variants:
            yield Row(variant.name, variant.title)
        if len(self._variants) > 1:
            how = "All at the same time" if self._lesson.race else "One after another"
            yield Words(f"{how}, on one time scale.")

    def _predict(self, place: int) -> Iterator[Block]:
        yield Words(fill(self._predictions[place].question, self._knobs))
        yield from self._votes(place)
        if not self.polls[place].answers:
            yield Words("Who has an answer?", style=MARKED)

    def _votes(self, place: int, right: Sequence[bool | None] = ()) -> Iterator[Block]:
        """Yield the votes. ``right`` is set for each answer once known; then none is highlighted any more."""
        poll = self.polls[place]
        most = max(poll.hands, default=0)
        for at, (answer, hands) in enumerate(zip(poll.answers, poll.hands, strict=True)):
            is_right = right[at] if right else None
            yield Answer(at + 1, answer, hands, most, at == poll.picked and not right, is_right)

    def _reveal(self, place: int) -> Iterator[Block]:
        prediction = self._predictions[place]
        yield Words(fill(prediction.question, self._knobs))
        odd = not_as_meant(self._variants, self.runs)
        if odd:
            # The figures of an incomplete run can't answer questions.
            yield Words(f"Not judged: {join(odd)} did not end as the lesson intends.", style=ALARM)
            yield from self._votes(place)
            return
        measured = {account.run.name: account.metrics for account in self._accounts}
        was = happened(prediction, measured, self._knobs)
        if prediction.kind is PredictionKind.NUMBER:
            yield Figures((("It was", was),))
        elif prediction.kind is PredictionKind.ORDER:
            yield Row("It was", was, MARKED)
        right: list[bool | None] = []
        for said in self.polls[place].answers:
            try:
                answer = parse(prediction, self._number_of(prediction, said), self._names, self._knobs)
            except ValueError:  # words that are not an answer
                right.append(None)
            else:
                right.append(compare(prediction, answer, measured, self._knobs).right)
        yield from self._votes(place, right)
        yield Words(fill(prediction.why, self._knobs))

    def _number_of(self, prediction: Prediction, said: str) -> str:
        """Return the answer as typed: for a choice, its number."""
        offers = self._offers(prediction)
        if prediction.kind is PredictionKind.CHOICE and said in offers:
            return str(offers.index(said) + 1)
        return said

    def _found(self, place: int) -> Iterator[Block]:
        account = self._accounts[place]
        if account.run.lanes:
            yield Figures(
                (
                    ("time", duration(account.metrics.wall_ns)),
                    ("at work, at most", f"{account.metrics.peak:,}"),
                )
            )
        else:
            yield Words(empty_words(account.run), style=ALARM)
        for fact in account.facts:
            if fact.label not in {"wall", "peak"}:
                yield Row(fact.label, fact.value, *([ALARM] if fact.warns else []))
        for finding in account.findings:
            message, advice = finding_words(finding)
            yield Words(f"{message} {advice}", mark="-")
        for note in account.notes:
            yield Words(note, mark="-")

    def _answers(self) -> Iterator[Block]:
        first, _, rest = self._answer.partition("\n\n")
        # An answer that begins with "200." is not a list.
        yield from (
            [Words(" ".join(first.split()))] if "\n-" not in first and "`" * 3 not in first else prose(first)
        )
        yield from prose(rest)

    def _offers(self, prediction: Prediction) -> list[str]:
        """Return the possible answers; for orders, only if there are few."""
        if prediction.kind is PredictionKind.ORDER:
            orders = [", ".join(names) for names in permutations(self._names)]
            return orders if len(orders) <= MOST_ANSWERS else []
        return [fill(choice.text, self._knobs) for choice in prediction.choices]


def _differing(variant: Variant) -> tuple[str, ...]:
    """Return the lines that differ from the others; "" where lines are left out."""
    shown = listing(variant)
    lines: list[str] = []
    left_out = False
    for number, line in enumerate(shown.lines, start=shown.first):
        if number in shown.marked:
            lines += [""] * (left_out and bool(lines)) + [line.rstrip()]
        left_out = number not in shown.marked and (left_out or bool(line.strip()))
    return tuple(lines)


def _numbered(word: str, place: int, items: Sequence[object]) -> str:
    return f"{word} {place + 1}/{len(items)}" if len(items) > 1 else word


def _answer_of(instructors: str) -> str:
    """Return the paragraphs that answer the last question. The others are for instructors."""
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
