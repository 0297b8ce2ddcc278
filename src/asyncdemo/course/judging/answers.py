"""The answers to a lesson's questions, compared with what happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from asyncdemo.analysis.metrics import Metrics
from asyncdemo.course.content.lesson import Lesson, Variant
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import (
    Answer,
    Prediction,
    PredictionKind,
    actual_answer,
    compare,
    fill,
    variants_needed,
    without_cpu_ns,
)
from asyncdemo.course.workspace.progress import Predicted
from asyncdemo.render.words import duration


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A question that a run has answered.

    Attributes:
        place: The question's number in the lesson, from 1.
        prediction: The question.
        said: The learner's answer in words; "" if there was none.
        was: What happened, in words.
        right: Whether these agree; None if there was no answer, or if ``without_cpu_ns``.
        why: The explanation.
        without_cpu_ns: How long the program had no CPU, if that may be why they don't agree; else 0.
    """

    place: int
    prediction: Prediction
    said: str
    was: str
    right: bool | None
    why: str
    without_cpu_ns: int = 0

    @property
    def sentence(self) -> str:
        """ "You said 3 s; it was 3.00 s." An offered answer may be a sentence already."""
        if self.without_cpu_ns:
            no_cpu = f"it had no CPU for {duration(self.without_cpu_ns)}, probably because other programs did"
            return f"You said {self.said}; it was {self.was}. Not judged: {no_cpu}."
        if self.prediction.kind is PredictionKind.CHOICE:
            said, was = self.said.rstrip("."), self.was.rstrip(".")
            if not said:
                return f"Answer: {was}."
            return f"You said: {said}." if self.right else f"You said: {said}. It was: {was}."
        return f"You said {self.said}; it was {self.was}." if self.said else f"Answer: {self.was}."


def to_predicted(judged: Iterable[JudgedAnswer]) -> list[Predicted]:
    """Return the given answers, for the progress."""
    return [
        Predicted(
            question=answer.prediction.question,
            place=answer.place,
            answer=answer.said,
            happened=answer.was,
            right=answer.right,
            times_right=int(answer.right),
        )
        for answer in judged
        if answer.right is not None
    ]


def answerable(lesson: Lesson, chosen: Sequence[Variant]) -> tuple[Prediction, ...]:
    """Return the predictions that runs of the chosen variants can answer."""
    every = [variant.name for variant in lesson.variants]
    names = {variant.name for variant in chosen}
    return tuple(item for item in lesson.predictions if names.issuperset(variants_needed(item, every)))


def judge_answers(
    predictions: Sequence[Prediction],
    answers: Mapping[int, Answer],
    measured: Mapping[str, Metrics],
    knobs: Knobs,
) -> tuple[JudgedAnswer, ...]:
    """Judge the answer to every question.

    Args:
        predictions: The questions.
        answers: Maps a question's index, from 0, to the answer.
        measured: Maps each variant to its metrics.
        knobs: The values that the runs had.
    """
    judged = []
    for place, prediction in enumerate(predictions):
        said, right, no_cpu_ns = "", None, 0
        if place in answers:
            compared = compare(prediction, answers[place], measured, knobs)
            no_cpu_ns = 0 if compared.right else without_cpu_ns(prediction, answers[place], measured)
            said, right = compared.predicted, None if no_cpu_ns else compared.right
        was, why = actual_answer(prediction, measured, knobs), fill(prediction.why, knobs)
        judged.append(JudgedAnswer(place + 1, prediction, said, was, right, why, no_cpu_ns))
    return tuple(judged)
