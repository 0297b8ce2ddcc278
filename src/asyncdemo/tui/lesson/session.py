"""A learner's session in a lesson: answers, runs, other settings; and the sentences about its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from asyncdemo.analysis.metrics import Metrics, measure
from asyncdemo.course.content.lesson import Lesson, Variant, load_lesson
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import Answer, fill, parse
from asyncdemo.course.judging.answers import JudgedAnswer, answerable, judge_answers, to_predicted
from asyncdemo.course.judging.lesson_jobs import LessonJobs, unexpected_runs
from asyncdemo.course.workspace.context import CourseContext
from asyncdemo.course.workspace.progress import Record
from asyncdemo.errors import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    EXIT_OK,
    MissingError,
)
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.runner import Stdout
from asyncdemo.render.facts.runs import at_work, empty_words
from asyncdemo.render.terminal.output import Tail
from asyncdemo.render.words import count, duration, join, settings_words, status, title
from asyncdemo.serving import Job

TIMEOUT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class LessonRun:
    """One run of a lesson, of all of its variants or of some.

    Attributes:
        settings: The settings as typed.
        runs: The recordings of the variants; after Ctrl-C there may be fewer.
        output: The output of each.
        measured: Variant -> its metrics.
        interrupted: Ctrl-C ended it.
        unexpected: The variants that did not end as the lesson intends.
    """

    settings: Mapping[str, str]
    runs: tuple[Run, ...]
    output: tuple[Tail, ...]
    measured: Mapping[str, Metrics]
    interrupted: bool
    unexpected: tuple[str, ...]

    @property
    def expected(self) -> tuple[str, ...]:
        """The variants that ended as the lesson intends, which may be a failure."""
        return tuple(run.name for run in self.runs if run.name not in self.unexpected)

    @property
    def whole(self) -> bool:
        """Whether its figures can answer questions."""
        return not (self.interrupted or self.unexpected)

    @property
    def figures(self) -> list[str]:
        return [figures(run, self.measured[run.name]) for run in self.runs]

    @property
    def no_verdict(self) -> str:
        """Why the answers are not judged by it; "" if they are."""
        if self.interrupted:
            some = any(run.rows for run in self.runs)
            return f"Interrupted{': this is what was recorded until then' if some else ''}."
        return (
            f"Predictions are not judged, because {join(self.unexpected)} did not end as the lesson intends."
            if self.unexpected
            else ""
        )


class LessonSession:
    """A lesson in use. ``close`` stops the services of its scripts.

    Attributes:
        lesson: The lesson.
        variants: The variants that are run.
        settings: Knob -> the text typed for it, of the first run.
        values: The values of all knobs in the first run.
        predictions: The questions that a run of the variants answers.
        missing: What is not installed, and the command that installs it; "" if nothing is.
        note: What could not be stored in the progress; "" if nothing.
        first: The latest run with the first settings, which the answers are compared with.
        changed: The latest run with others.
        latest: The later of these.
        following: The session of the lesson that was opened after this one, if any.
    """

    def __init__(
        self,
        context: CourseContext,
        folder: Path,
        *,
        settings: Mapping[str, str] | None = None,
        variants: Sequence[str] = (),
        timeout_s: float = TIMEOUT_S,
        predict: bool = True,
    ) -> None:
        """Read the lesson in a folder. ``variants`` names those to run; all if empty.

        Raises AsyncdemoError if the lesson can't be read, or not be run like this.
        """
        self.lesson: Lesson = load_lesson(folder)
        self.variants = self.lesson.chosen(variants)
        self.settings = dict(settings or {})
        self._jobs = LessonJobs(self.lesson, timeout_s)
        self.values = self._jobs.values(self.settings)
        self.predictions = answerable(self.lesson, self.variants) if predict else ()
        self.first: LessonRun | None = None
        self.changed: LessonRun | None = None
        self.latest: LessonRun | None = None
        self.following: LessonSession | None = None
        self._first_runs = False
        self.missing = self.note = ""
        self._context = context
        self._record = Record()
        self._typed = self._kept_answers()
        try:
            self._jobs.begin()
        except MissingError as error:
            self.missing = str(error)

    def close(self) -> None:
        self._jobs.close()

    @property
    def names(self) -> list[str]:
        return [variant.name for variant in self.variants]

    @property
    def was_run(self) -> bool:
        """Whether the lesson was ever run, so its explanation gives nothing away."""
        return self.first is not None or self._record.runs > 0

    @property
    def left_at(self) -> str:
        """The step to continue with, according to the record; the first if the lesson is new or done."""
        if self._record.passed:
            return "question"
        if self._record.checks or self._record.hints:
            return "exercise"
        if self._typed:
            return "run" if len(self._typed) == len(self.predictions) else "predict"
        # A run in a pipe (`make tour`) is nothing to continue with: the questions come first.
        predicted = self._record.asked or not self.predictions
        return "run" if self._record.runs and predicted else "question"

    # answers

    @property
    def answers_are_final(self) -> bool:
        """Whether a run was, or is being, compared with the answers, which are then final."""
        return self._first_runs or (self.first is not None and self.first.whole)

    def question(self, place: int) -> str:
        return fill(self.predictions[place].question, self.values)

    def typed(self, place: int) -> str:
        """Return the answer to a question as typed, "" if there is none."""
        return self._typed.get(self.question(place), "")

    def answers(self) -> dict[int, Answer]:
        """Return the answers by index of the question, from 0."""
        return {
            place: parse(prediction, self.typed(place), self.names, self.values)
            for place, prediction in enumerate(self.predictions)
            if self.typed(place)
        }

    def answer(self, place: int, typed: str) -> None:
        """Store an answer, which survives a kill; "" removes it. Raises ValueError that says what to type."""
        if typed:
            parse(self.predictions[place], typed, self.names, self.values)
        if typed == self.typed(place) or self.answers_are_final:
            return
        self._typed[self.question(place)] = typed
        kept = tuple((question, text) for question, text in self._typed.items() if text)
        self._remember(lambda record: replace(record, open_answers=kept))

    def _kept_answers(self) -> dict[str, str]:
        """Return those of a session that ended before its run, unless other knobs change the questions."""
        self._record = self._context.record(self.lesson.id)
        kept, typed = dict(self._record.open_answers), {}
        for place, prediction in enumerate(self.predictions):
            with suppress(KeyError, ValueError):
                text = kept[self.question(place)]
                parse(prediction, text, self.names, self.values)
                typed[self.question(place)] = text
        return typed

    # runs

    def values_of(self, settings: Mapping[str, str]) -> Knobs:
        """Return the values of all knobs with these settings. Raises UsageError."""
        return self._jobs.values(settings)

    def jobs(
        self, settings: Mapping[str, str], variants: Sequence[Variant], wanted: Callable[[], bool]
    ) -> list[Job]:
        """Return what to record; waits for services while it is ``wanted``. Raises AsyncdemoError."""
        self._first_runs = self._is_first(settings, variants)
        return self._jobs.make(variants, settings, Stdout.CAPTURE, wanted)

    def failed(self) -> None:
        """Note that a run could not start."""
        self._first_runs = False

    def ended(
        self,
        settings: Mapping[str, str],
        variants: Sequence[Variant],
        runs: Sequence[Run],
        output: Sequence[Tail],
        interrupted: bool,
    ) -> LessonRun:
        """Handle the end of a run: judge the answers, and store the progress."""
        run = LessonRun(
            dict(settings),
            tuple(runs),
            tuple(output),
            {run.name: measure(run) for run in runs},
            interrupted,
            tuple(unexpected_runs(variants, runs)),
        )
        self._first_runs = False
        was_answered, self.latest = self.answers_are_final, run
        if self._is_first(settings, variants):
            self.first = run if self.first is None or run.whole else self.first
        else:
            self.changed = run
        if run.whole:
            predicted = to_predicted(self.judged()) if run is self.first and not was_answered else ()
            self._remember(lambda record: record.after_run(predicted))
        return run

    def _remember(self, change: Callable[[Record], Record]) -> None:
        self.note = self._context.remember(self.lesson.id, change) or self.note

    def _is_first(self, settings: Mapping[str, str], variants: Sequence[Variant]) -> bool:
        return dict(settings) == self.settings and tuple(variants) == self.variants

    def judged(self) -> tuple[JudgedAnswer, ...]:
        """Every question with its answer and what happened; empty if no run answers them."""
        if self.first is None or not self.first.whole:
            return ()
        return judge_answers(self.predictions, self.answers(), self.first.measured, self.values)

    def exit_code(self) -> int:
        """The command's exit code, after the latest run."""
        if self.latest is None:
            return EXIT_MISSING if self.missing else EXIT_OK
        if self.latest.interrupted:
            return EXIT_INTERRUPTED
        return EXIT_FAILED if self.latest.unexpected else EXIT_OK


def figures(run: Run, metrics: Metrics, *, brief: bool = False) -> str:
    """ "3.00 s, at most 1 at the same time". What went wrong comes before what each run has.

    ``brief``: next to others of the same kind, so the words need no repetition.
    """
    parts = []
    requests = metrics.requests
    if run.rows:
        parts.append(duration(requests.wall_ns if requests.count else metrics.wall_ns))
    if metrics.blocked_ns:
        parts.append(f"event loop held for {duration(metrics.blocked_ns)}")
    if run.outcome is not RunOutcome.OK:
        parts.append(status(run))
    if run.lanes:
        parts.append(f"at most {metrics.peak:,}{'' if brief else f' {at_work(metrics)}'}")
    if requests.count:
        parts.append(f"slowest request {duration(requests.slowest_ns)}")
    return ", ".join(parts) or empty_words(run)


def last_run(session: LessonSession) -> LessonSession:
    """Return the last session with a run, of this one and those that followed; this one if none has."""
    later = session.following
    while later is not None:
        session, later = (later if later.latest else session), later.following
    return session


def summary(session: LessonSession) -> Iterator[str]:
    """Yield what a lesson leaves in the terminal after its screen: a few lines without marks.

    Nothing if there was no run and nothing is missing.
    """
    lesson = session.lesson
    if session.latest or session.missing:
        yield f"Lesson {lesson.number}: {lesson.title}"
    if session.latest is None:
        yield from filter(None, (session.missing,))
        return
    for run in filter(None, (session.first, session.changed)):
        if run.settings:
            yield f"With {settings_words(run.settings)}:"
        width = max((len(title(recorded)) for recorded in run.runs), default=0)
        for recorded, words in zip(run.runs, run.figures, strict=True):
            yield f"  {title(recorded):<{width}}  {words}"
        if run.no_verdict:
            yield f"  {run.no_verdict}"
    asked = [answer for answer in session.judged() if answer.right is not None]
    if asked:
        right = sum(bool(answer.right) for answer in asked)
        yield f"  {right} of {count(len(asked), 'prediction')} right"
    if session.note:
        yield session.note
