"""The learner's prediction before a measurement: the main ratio, with the bounds shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import click

from asyncdemo.cli.terminal import wrap
from asyncdemo.lab.harness.protocol.description import Experiment, PlannedRow
from asyncdemo.lab.render.report_text import interval, times
from asyncdemo.lab.results.ratio import Reproduction, verdict
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Extent

_MOST_BOUNDS: Final = 5
_JUDGED: Final = {
    Reproduction.REPRODUCED: "That was close.",
    Reproduction.DIRECTION_ONLY: "The direction was right, but not the size.",
    Reproduction.UNDECIDED: "The rounds differ too much to decide.",
    Reproduction.NOT_REPRODUCED: "Your prediction was wrong.",
}


@dataclass(frozen=True, slots=True)
class Guess:
    row: PlannedRow
    ratio: float

    def against(self, record: Record) -> str:
        said = f"You predicted {times(self.ratio)} for {self.row.name}."
        key = (self.row.name, self.row.figure.key, self.row.setting)
        rows = {(row.name, row.figure, row.setting): row.measured for row in record.comparisons}
        measured = rows.get(key)
        if measured is None:
            return f"{said} There is no figure to compare that with."
        return f"{said} It was {interval(measured)}. {_JUDGED[verdict(self.ratio, measured)]}"


def ask_ratio(experiment: Experiment, extent: Extent) -> Guess | None:
    """Return None if the question was skipped, or there is no ratio."""
    rows = experiment.of(extent).rows
    if not rows:
        return None
    row = next((row for row in rows if row.published is not None and row.published.ratio), rows[0])
    first = "Predict first."
    click.echo(wrap(f"{first} To skip, press Enter.").replace(first, click.style(first, bold=True), 1))
    _print_bounds(rows)
    ratio = _typed(_question(experiment, row))
    click.echo()
    return None if ratio is None else Guess(row, ratio)


def _print_bounds(rows: Sequence[PlannedRow]) -> None:
    bounds = {f"{row.bound.words}: {times(row.bound.ratio)}": row for row in rows if row.bound is not None}
    if not bounds:
        return
    click.echo(wrap("What the waiting alone would allow, by arithmetic:"))
    for words, row in [*bounds.items()][:_MOST_BOUNDS]:
        click.echo(wrap(f"{row.name}: {words}", "   ", "     "))
    if len(bounds) > _MOST_BOUNDS:
        click.echo(f"   and {len(bounds) - _MOST_BOUNDS} more, in the report")


def _question(experiment: Experiment, row: PlannedRow) -> str:
    arms = {contestant.arm.name: contestant.arm.title for contestant in experiment.contestants}
    settings = {item.setting.name: item.setting.title for item in experiment.conditions}
    return (
        f"{row.name}, {settings[row.setting]}: how many times as much will it be for {arms[row.arm]} as for "
        f"{arms[row.base]}? ({row.figure.title}; 1 is no difference)"
    )


def _typed(question: str) -> float | None:
    click.echo(wrap(question))
    while True:
        try:
            typed = input("   times> ").strip().rstrip("xX×").strip().replace(",", ".")
        except EOFError:
            click.echo()
            return None
        if not typed:
            return None
        try:
            ratio = float(typed)
        except ValueError:
            ratio = 0.0
        if ratio > 0 and math.isfinite(ratio):
            return ratio
        click.echo(wrap("Type a number above 0, such as 2.5. To skip, press Enter.", "   ", "   "))
