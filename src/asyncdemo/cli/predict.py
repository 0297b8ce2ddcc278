"""Asks for predictions before a lesson runs, and shows them next to what happened.

Not here: judging them (see ``course.judging.answers``).
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from asyncdemo.cli.terminal import styled, wrapped
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import (
    Answer,
    Prediction,
    PredictionKind,
    fill,
    parse,
)
from asyncdemo.course.judging.answers import JudgedAnswer


def ask(predictions: Sequence[Prediction], variants: Sequence[str], knobs: Knobs) -> dict[int, Answer]:
    """Ask the questions one by one, and return the answers by index.

    Enter skips one, Ctrl-D all the rest; those have no entry.
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


def print_answers(judged: Sequence[JudgedAnswer], knobs: Knobs, *, reasons: bool = True) -> None:
    """Print every question with the answer, what happened and why.

    Without ``reasons``, questions without an answer only show what happened.
    """
    if not judged:
        return
    answered = any(answer.said for answer in judged)
    click.echo()
    click.echo(
        click.style("What you predicted, and what happened" if answered else "What happened", bold=True)
    )
    for place, answer in enumerate(judged):
        if answer.right is None and not reasons:
            click.echo(_question(place, answer.prediction, knobs, answer.sentence))
            continue
        click.echo(_question(place, answer.prediction, knobs))
        if answer.right is None:
            click.echo(styled(wrapped(answer.sentence, "   ", "   ")))
        else:
            verdict, colour = ("Right.", "green") if answer.right else ("No.", "yellow")
            lines = wrapped(f"{answer.sentence} {verdict}", "   ", "   ").removesuffix(verdict)
            click.echo(styled(lines) + click.style(verdict.replace("\u00a0", " "), fg=colour, bold=True))
        click.echo(styled(wrapped(answer.why, "   ", "   ")))


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
