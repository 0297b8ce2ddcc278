"""The answers to a lesson's questions, held against what happened.

Not for: asking, or what a question is (``course.content.predictions``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from asyncdemo.analysis.metrics import Metrics
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import (
    Answer,
    Prediction,
    PredictionKind,
    compare,
    fill,
    happened,
    variants_needed,
)
from asyncdemo.course.workspace.progress import Predicted


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A question that a run has answered.

    Attributes:
        place: Of the question among those of the lesson, from 1.
        prediction: The question.
        said: The learner's answer in words; "" if there was none.
        was: What happened, in words.
        right: Whether these agree; None if there was no answer.
        why: Why it is so.
    """

    place: int
    prediction: Prediction
    said: str
    was: str
    right: bool | None
    why: str

    @property
    def sentence(self) -> str:
        """ "You said 3 s; it was 3.00 s." An offered answer may be a sentence of its own."""
        if self.prediction.kind is PredictionKind.CHOICE:
            was = self.was.rstrip(".")
            return f"You said: {self.said.rstrip('.')}. It was: {was}." if self.said else f"Answer: {was}."
        return f"You said {self.said}; it was {self.was}." if self.said else f"Answer: {self.was}."

    def predicted(self) -> Predicted | None:
        """For the progress; None if there was no answer."""
        if self.right is None:
            return None
        return Predicted(
            question=self.prediction.question,
            place=self.place,
            answer=self.said,
            happened=self.was,
            right=self.right,
            times_right=int(self.right),
        )


def answerable(
    predictions: Sequence[Prediction], all_variants: Sequence[str], chosen: Sequence[str]
) -> list[Prediction]:
    """The predictions that runs of the chosen variants can answer."""
    return [item for item in predictions if set(variants_needed(item, all_variants)) <= set(chosen)]


def judge_answers(
    predictions: Sequence[Prediction],
    answers: Mapping[int, Answer],
    measured: Mapping[str, Metrics],
    knobs: Knobs,
) -> tuple[JudgedAnswer, ...]:
    """Every question.

    Args:
        predictions: The questions.
        answers: Place of a question, from 0, -> the answer to it.
        measured: Variant -> its metrics.
        knobs: The values that the runs had.
    """
    judged = []
    for place, prediction in enumerate(predictions):
        why = fill(prediction.why, knobs)
        if place in answers:
            found = compare(prediction, answers[place], measured, knobs)
            said, was, right = found.predicted, found.happened, found.right
            judged.append(JudgedAnswer(place + 1, prediction, said, was, right, why))
        else:
            was = happened(prediction, measured, knobs)
            judged.append(JudgedAnswer(place + 1, prediction, "", was, None, why))
    return tuple(judged)
