"""A lesson for a class: the steps, the slide of each, and the hands that are raised. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import permutations
from typing import Final

from asyncdemo.course.content.lesson import Lesson, Variant
from asyncdemo.course.content.listing import Listing, listings
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import Answer as Comparable
from asyncdemo.course.content.predictions import (
    Prediction,
    PredictionKind,
    actual_answer,
    compare,
    fill,
    offered,
    parse,
)
from asyncdemo.course.content.text import sections
from asyncdemo.course.judging.lesson_jobs import unexpected_runs
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

MOST_ANSWERS: Final = 9  # each has a digit
_QUESTION: Final = "The question"
_MORE: Final = "One more question"


class Stage(StrEnum):
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


@dataclass(frozen=True, slots=True)
class Step:
    """A step. ``place`` is the index of the prediction or variant; ``blocks`` makes its slide."""

    stage: Stage
    heading: str
    blocks: Callable[[], Iterable[Block]]
    place: int = 0

    @property
    def needs_runs(self) -> bool:
        """Whether it shows results of the programs."""
        return self.stage in (Stage.REVEAL, Stage.TIMELINE, Stage.FINDINGS)


class Poll:
    """The answers of a class to one question.

    Attributes:
        answers: In order, in words.
        hands: The number of hands for each.
        picked: The index of the answer counted last, if any.
    """

    def __init__(self, answers: Iterable[str] = ()) -> None:
        self.answers = list(answers)[:MOST_ANSWERS]
        self.hands = [0] * len(self.answers)
        self._given = len(self.answers)
        self.picked: int | None = None

    def offer(self, answer: str) -> bool:
        """Add an answer from the class, and pick it; False if there are too many."""
        if answer not in self.answers:
            if len(self.answers) == MOST_ANSWERS:
                return False
            self.answers.append(answer)
            self.hands.append(0)
        self.picked = self.answers.index(answer)
        return True

    def raise_hand(self, place: int) -> None:
        """Count one more hand for an answer, if there is one, and pick it."""
        if place < len(self.answers):
            self.picked = place
            self.hands[place] += 1

    def lower_hand(self, place: int | None = None) -> None:
        """Count one hand fewer, by default for the picked answer.

        An answer from the class without any hands is removed.
        """
        place = self.picked if place is None else place
        if place is None or place >= len(self.answers):
            return
        if self.hands[place]:
            self.picked = place
            self.hands[place] -= 1
        elif place >= self._given:
            del self.answers[place], self.hands[place]
            self.picked = None


class Lecture:
    """The slides of one lesson. They change with the answers of the class and with the runs.

    Attributes:
        steps: In order.
        polls: The answers of the class to each prediction.
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
        self._lesson, self._variants, self._predictions = lesson, variants, predictions
        self._knobs, self._changed = knobs, changed
        self._names = [variant.name for variant in lesson.variants]
        self._sections = sections(lesson.readme)
        self._answer = _answer_of(self._sections.get("For instructors", ""))
        self._accounts: tuple[Account, ...] = ()
        self.polls = [Poll(self._offers(prediction)) for prediction in predictions]
        self.steps = tuple(self._steps())

    @property
    def runs(self) -> tuple[Run, ...]:
        """The recordings of all variants, in order; empty until all have finished."""
        return tuple(account.run for account in self._accounts)

    def ran(self, runs: Sequence[Run]) -> None:
        unexpected = unexpected_runs(self._variants, runs)
        self._accounts = account_for(runs, [run.name for run in runs if run.name not in unexpected])

    def offer(self, place: int, said: str) -> str:
        """Store the class's answer to a question. Returns why it is invalid; "" if it was stored."""
        prediction, poll = self._predictions[place], self.polls[place]
        try:
            answer = self._parsed(prediction, said)
        except ValueError as error:
            return f"Not understood: {error}."
        # "3" and "3.0" are the same answer.
        said = next((known for known in poll.answers if self._parsed(prediction, known) == answer), said)
        if not poll.offer(said):
            return f"There are {MOST_ANSWERS} answers already, one for each digit."
        return ""

    def _parsed(self, prediction: Prediction, said: str) -> Comparable:
        """Return the answer as it is compared with the run; words that can't be, as they are.

        Raises ValueError, with a text that says what to type, if it has to be a number.
        """
        if prediction.kind is PredictionKind.CHOICE:
            return said
        try:
            return parse(prediction, said, self._names, self._knobs)
        except ValueError:
            if prediction.kind is PredictionKind.NUMBER:
                raise
            return said

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
        if step.needs_runs and not self._accounts:
            return Slide("Not run yet", (Words("`r` runs the programs."),))
        return Slide(step.heading, tuple(step.blocks()))

    def _steps(self) -> Iterator[Step]:
        yield Step(Stage.TITLE, self._lesson.title, self._opening)
        yield from self._section(Stage.QUESTION, _QUESTION)
        if any(shown.marked for shown in listings(self._variants).values()):
            yield Step(Stage.CODE, "Where they differ", self._programs)
        many = len(self._predictions)
        for place in range(many):
            heading = f"Predict {place + 1}/{many}" if many > 1 else "Predict"
            yield Step(Stage.PREDICT, heading, partial(self._predict, place), place)
        yield Step(Stage.RUN, "Run", self._to_run)
        for place in range(many):
            yield Step(Stage.REVEAL, "What happened", partial(self._reveal, place), place)
        for place, variant in enumerate(self._variants):
            yield Step(Stage.TIMELINE, "Run", self._to_run, place)
            yield Step(Stage.FINDINGS, variant.name, partial(self._found, place), place)
        yield from self._section(Stage.POINTS, "Key points")
        yield from self._section(Stage.MORE, _MORE)
        if self._sections.get(_MORE) and self._answer:
            yield Step(Stage.ANSWER, "The answer", self._answers)

    def _section(self, stage: Stage, heading: str) -> Iterator[Step]:
        text = self._sections.get(heading)
        if text:
            yield Step(stage, heading, lambda: [*prose(text), *self._this_time(heading == _QUESTION)])

    def _this_time(self, wanted: bool = True) -> Iterator[Block]:
        """Yield the current values, because the text has the original ones."""
        if self._changed and wanted:
            yield Words(f"This time: {settings_words(self._changed)}.", style=MARKED)

    def _opening(self) -> Iterator[Block]:
        yield Words(f"Lesson {self._lesson.number}")
        yield from self._this_time()

    def _programs(self) -> Iterator[Block]:
        shown = listings(self._variants)
        yield Programs(tuple(Program(one.path.name, _differing(shown[one.name])) for one in self._variants))

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
        unexpected = unexpected_runs(self._variants, self.runs)
        if unexpected:
            # The figures of an incomplete run can't answer questions.
            yield Words(
                f"Not judged, because {join(unexpected)} did not end as the lesson intends.", style=ALARM
            )
            yield from self._votes(place)
            return
        measured = {account.run.name: account.metrics for account in self._accounts}
        was = actual_answer(prediction, measured, self._knobs)
        if prediction.kind is PredictionKind.NUMBER:
            yield Figures((("It was", was),))
        elif prediction.kind is PredictionKind.ORDER:
            yield Row("It was", was, MARKED)
        offers = self._offers(prediction)
        answers = [self._parsed(prediction, said) for said in self.polls[place].answers]
        right = [
            None
            if isinstance(answer, str) and answer not in offers
            else compare(prediction, answer, measured, self._knobs).right
            for answer in answers
        ]
        yield from self._votes(place, right)
        yield Words(fill(prediction.why, self._knobs))

    def _found(self, place: int) -> Iterator[Block]:
        account = self._accounts[place]
        yield Words(self._variants[place].title)
        if account.run.lanes:
            wall, peak = duration(account.metrics.wall_ns), f"{account.metrics.peak:,}"
            yield Figures((("time", wall), ("at work, at most", peak)))
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
        return offered(prediction, self._knobs)


def _differing(shown: Listing) -> tuple[str, ...]:
    """Return the lines that differ from the others; "" where lines are left out."""
    lines: list[str] = []
    left_out = False
    for number, line in enumerate(shown.lines, start=shown.first):
        if number in shown.marked:
            lines += [""] * (left_out and bool(lines)) + [line.rstrip()]
        left_out = number not in shown.marked and (left_out or bool(line.strip()))
    return tuple(lines)


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
