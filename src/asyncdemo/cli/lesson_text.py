"""A lesson where no screen shows it: its text, its programs, its questions and their answers."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console
from rich.syntax import Syntax

from asyncdemo.cli.console import print_markdown
from asyncdemo.cli.exercises import program
from asyncdemo.cli.rooms import ROOMS, find_room
from asyncdemo.cli.terminal import can_ask, wrap
from asyncdemo.course.content.lesson import Lesson, Variant
from asyncdemo.course.content.listing import listings
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.content.predictions import Answer, Prediction, PredictionKind, fill, offered, parse
from asyncdemo.course.content.text import sections
from asyncdemo.course.judging.answers import JudgedAnswer
from asyncdemo.course.workspace.context import CourseContext
from asyncdemo.render.words import join, settings_words
from asyncdemo.services import NOUNS, choose


def introduce(context: CourseContext, lesson: Lesson, changed: Knobs) -> None:
    click.echo(f"Lesson {lesson.number}: {lesson.title}\n")
    print_section(lesson, "The question", None)
    if can_ask():
        click.echo(wrap(f"To read the programs first: {program(context)} run {lesson.id} --code") + "\n")
    if lesson.services:
        names = join([f"{NOUNS[name]} ({choose(name).words()})" for name in lesson.services])
        click.echo(wrap(f"The programs use {names}.") + "\n")
    if changed:
        click.echo(wrap(f"This time: {settings_words(changed)}.") + "\n")


def print_section(lesson: Lesson, heading: str, console: Console | None) -> None:
    print_markdown(sections(lesson.readme).get(heading, ""), console)


def say_how_to_measure(context: CourseContext, lesson: Lesson) -> None:
    for command in ROOMS:
        if find_room(command).measures(lesson.id):
            click.echo(f"To measure it: {program(context)} {command} {lesson.id}")


def print_code(lesson: Lesson, variants: Sequence[Variant], console: Console | None) -> None:
    """Print the code of some variants; as plain text if ``console`` is None."""
    listed = listings(lesson.variants)
    for variant in variants:
        click.echo(f"{click.style(variant.name, bold=True)}: {variant.title}\n{variant.path}\n")
        shown = listed[variant.name]
        if console is None:
            for number, line in enumerate(shown.lines, start=shown.first):
                click.echo(f"{'>' if number in shown.marked else ' '} {number:3} {line}".rstrip())
        else:
            console.print(
                Syntax(
                    shown.source,
                    "python",
                    theme="ansi_dark",  # the terminal's own colours
                    background_color="default",
                    line_numbers=True,
                    line_range=(shown.first, None),
                    highlight_lines=set(shown.marked),
                )
            )
        click.echo()


def ask(predictions: Sequence[Prediction], variants: Sequence[str], knobs: Knobs) -> dict[int, Answer]:
    """Ask the questions one by one, and return the answers by index.

    Enter skips one, Ctrl-D all the rest; those have no entry.
    """
    click.echo(wrap("Predict first. To skip a question, press Enter; to skip all, press Ctrl-D.") + "\n")
    answers: dict[int, Answer] = {}
    for place, prediction in enumerate(predictions):
        click.echo(_question(place, prediction, knobs))
        is_order = prediction.kind is PredictionKind.ORDER
        offers = variants if is_order else offered(prediction, knobs)
        for number, offer in enumerate(offers, start=1):
            click.echo(f"   {number}) {offer}")
        try:
            answer = _answer(prediction, variants, knobs)
        except EOFError:
            click.echo("\n")
            break
        if answer is not None:
            answers[place] = answer
        click.echo()
    return answers


def print_answers(judged: Sequence[JudgedAnswer], knobs: Knobs, *, reasons: bool) -> None:
    """Print every question with the answer, what happened and why.

    Without ``reasons``, questions without an answer only show what happened.
    """
    if not judged:
        return
    answered = any(answer.said for answer in judged)
    click.echo("\nWhat you predicted, and what happened" if answered else "\nWhat happened")
    for place, answer in enumerate(judged):
        if answer.right is None and not reasons:
            click.echo(_question(place, answer.prediction, knobs, answer.sentence))
            continue
        click.echo(_question(place, answer.prediction, knobs))
        verdict = {True: " Right.", False: " No.", None: ""}[answer.right]
        click.echo(wrap(f"{answer.sentence}{verdict}", "   ", "   "))
        click.echo(wrap(answer.why, "   ", "   "))


def _question(place: int, prediction: Prediction, knobs: Knobs, and_then: str = "") -> str:
    return wrap(f"{place + 1}. {fill(prediction.question, knobs)} {and_then}", rest="   ")


def _answer(prediction: Prediction, variants: Sequence[str], knobs: Knobs) -> Answer | None:
    while True:
        typed = input(f"   {prediction.unit}> " if prediction.unit else "   > ")
        if not typed.strip():
            return None
        try:
            return parse(prediction, typed, variants, knobs)
        except ValueError as error:
            click.echo(wrap(f"Not understood: {error}. To skip, press Enter.", "   ", "   "))
