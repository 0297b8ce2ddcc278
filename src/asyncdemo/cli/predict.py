"""Asks for predictions before a lesson runs, and sets them against what happened.

Not for: judging them; that is ``course.content.predictions``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from asyncdemo.analysis.metrics import Metrics
from asyncdemo.cli.terminal import styled, wrapped
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
from asyncdemo.course.workspace.progress import Predicted

__all__ = ["answers_data", "ask", "print_answers"]


def ask(predictions: Sequence[Prediction], variants: Sequence[str], knobs: Knobs) -> dict[int, Answer]:
    """Asks one after the other. Enter skips one, Ctrl-D all that are left; those have no entry.

    Returns place of the prediction -> answer.
    """
    first = "Predict first."
    words = wrapped(f"{first} Enter skips a question, Ctrl-D all of them.")
    click.echo(words.replace(first, click.style(first, bold=True), 1) + "\n")
    answers: dict[int, Answer] = {}
    for place, prediction in enumerate(predictions):
        click.echo(_question(place, prediction, knobs))
        for number, offer in enumerate(_offers(prediction, variants, knobs), start=1):
            click.echo(styled(f"   {number}) {offer}"))
        try:
            answer = _answer(prediction, variants, knobs)
        except EOFError:
            click.echo("\n")
            break
        if answer is not None:
            answers[place] = answer
        click.echo()
    return answers


def print_answers(
    predictions: Sequence[Prediction],
    answers: Mapping[int, Answer],
    measured: Mapping[str, Metrics],
    knobs: Knobs,
    *,
    reasons: bool = True,
) -> tuple[Predicted, ...]:
    """Prints every question with what was said, what happened and why. Returns those that were answered.

    reasons: also of those that were not answered, of which there is else no more than what happened.
    """
    answered: list[Predicted] = []
    if not predictions:
        return ()
    click.echo()
    click.echo(
        click.style("What you predicted, and what happened" if answers else "What happened", bold=True)
    )
    for place, prediction in enumerate(predictions):
        if place not in answers and not reasons:
            was = _told(prediction, "", happened(prediction, measured, knobs))
            click.echo(_question(place, prediction, knobs, was))
            continue
        click.echo(_question(place, prediction, knobs))
        if place in answers:
            comparison = compare(prediction, answers[place], measured, knobs)
            answered.append(
                Predicted(
                    question=prediction.question,
                    place=place + 1,
                    answer=comparison.predicted,
                    happened=comparison.happened,
                    right=comparison.right,
                    asked=1,
                    times_right=int(comparison.right),
                )
            )
            verdict, colour = ("Right.", "green") if comparison.right else ("Not\u00a0so.", "yellow")
            said = f"{_told(prediction, comparison.predicted, comparison.happened)} {verdict}"
            lines = wrapped(said, "   ", "   ").removesuffix(verdict)
            click.echo(styled(lines) + click.style(verdict.replace("\u00a0", " "), fg=colour, bold=True))
        else:
            was = _told(prediction, "", happened(prediction, measured, knobs))
            click.echo(styled(wrapped(was, "   ", "   ")))
        click.echo(styled(wrapped(fill(prediction.why, knobs), "   ", "   ")))
    return tuple(answered)


def answers_data(
    predictions: Sequence[Prediction], measured: Mapping[str, Metrics], knobs: Knobs
) -> list[dict[str, str]]:
    """Each question with what happened and why, for ``--json``."""
    return [
        {
            "question": fill(prediction.question, knobs),
            "happened": happened(prediction, measured, knobs),
            "why": fill(prediction.why, knobs),
        }
        for prediction in predictions
    ]


def _told(prediction: Prediction, said: str, was: str) -> str:
    """An offered answer may be a sentence of its own, a figure is a part of ours."""
    if prediction.kind is PredictionKind.CHOICE:
        return (f"You said: {said.rstrip('.')}. " if said else "") + f"It was: {was.rstrip('.')}."
    return f"You said {said}; it was {was}." if said else f"It was {was}."


def _question(place: int, prediction: Prediction, knobs: Knobs, and_then: str = "") -> str:
    return styled(wrapped(f"{place + 1}. {fill(prediction.question, knobs)} {and_then}", rest="   "))


def _offers(prediction: Prediction, variants: Sequence[str], knobs: Knobs) -> list[str]:
    if prediction.kind is PredictionKind.ORDER:
        return list(variants)
    return [fill(choice.text, knobs) for choice in prediction.choices]


def _answer(prediction: Prediction, variants: Sequence[str], knobs: Knobs) -> Answer | None:
    while True:
        typed = input(f"   {prediction.unit}> " if prediction.unit else "   > ")
        if not typed.strip():
            return None
        try:
            return parse(prediction, typed, variants, knobs)
        except ValueError as error:
            click.echo(wrapped(f"Not understood: {error}. Enter skips.", "   ", "   "))
