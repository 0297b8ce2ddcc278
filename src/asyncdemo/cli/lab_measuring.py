"""Drives one measurement: set up, predicted, run or gone on with, and kept.

Not for: what was typed (``lab``), how it is shown (``lab_progress``), or the report.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from asyncdemo.cli import lab_results
from asyncdemo.cli.extras import missing_packages
from asyncdemo.cli.lab_ending import Ending
from asyncdemo.cli.lab_predict import Guess, ask_ratio
from asyncdemo.cli.lab_progress import Drawn, Lines, Shown
from asyncdemo.cli.lab_quiet import noise_words
from asyncdemo.cli.terminal import keys_not_shown, wrapped_for
from asyncdemo.errors import AsyncdemoError, LabFileError, MissingError, UsageError
from asyncdemo.lab.experiment import Extent
from asyncdemo.lab.experiments import Entry, Surroundings
from asyncdemo.lab.protocol import Experiment, Progress, run
from asyncdemo.lab.record import Record
from asyncdemo.load.needed import check_installed
from asyncdemo.packages import install_command

__all__ = ["Measured", "Order", "measure"]

_POLLED: Final = {"warm up", "measure", "look"}
"""Steps in which the protocol asks all the time whether it shall end."""


@dataclass(frozen=True, slots=True)
class Order:
    """save_to: None keeps it where asyncdemo keeps such things. console: None is words only.

    asks: somebody sits there who may predict.
    """

    entry: Entry
    extent: Extent
    apps: Path
    seed: int | None
    save_to: Path | None
    console: Console | None
    asks: bool

    @property
    def typed(self) -> str:
        """For the record, and to go on: without folders."""
        extent = "" if self.extent is Extent.DEFAULT else f" --{self.extent.value}"
        seed = "" if self.seed is None else f" --seed {self.seed}"
        return f"asyncdemo lab {self.entry.name}{extent}{seed}"

    @property
    def journals(self) -> lab_results.Journals:
        return lab_results.Journals(self.entry.name, self.extent, self.apps)


@dataclass(frozen=True, slots=True)
class Measured:
    """page: None if there was nothing to keep, or it could not be kept: problem says why.

    left: what went wrong when all that was started for it was stopped, in words.
    """

    record: Record
    guess: Guess | None = None
    page: Path | None = None
    problem: str = ""
    left: str = ""


def measure(order: Order, *, fresh: bool) -> Measured:
    """Raises MissingError, ServiceError, UsageError, and KeyboardInterrupt before anything is measured."""
    check_installed()
    if fresh:
        order.journals.remove()
    goes_on = _introduce(order)
    measured: Measured | None = None
    try:
        with Ending() as ending, contextlib.ExitStack() as prepared:
            with _shown(order) as shown:
                surroundings = Surroundings(order.apps, shown.making, shown.said)
                experiment = prepared.enter_context(order.entry.prepared(surroundings))
            _need_packages(experiment)
            guess = ask_ratio(experiment, order.extent) if order.asks and not goes_on else None
            with _shown(order) as shown:
                record = _run(order, experiment, shown, ending)
            ending.polled = True  # what was measured is kept, whatever comes now
            measured = _kept(order, record, guess)
    except AsyncdemoError as error:
        if measured is None:
            raise
        return replace(measured, left=str(error))
    return measured


def _introduce(order: Order) -> bool:
    """Returns whether an earlier run goes on."""
    entry = order.entry
    _say(f"{entry.title}: about {entry.minutes[order.extent]:g} min.")
    measured = order.journals.measured
    if measured:
        trials = "trial" if measured == 1 else "trials"
        _say(f"It goes on with the run that was ended: {measured} {trials} are there. --fresh begins anew.")
    if noise := noise_words():
        _say(noise)
    return measured > 0


def _need_packages(experiment: Experiment) -> None:
    missing = missing_packages(experiment.packages)
    if missing:
        raise MissingError(
            f"{experiment.name} needs {', '.join(missing)}. Install what the lab measures: "
            f"{install_command('asyncdemo[lab]')}\nIn a checkout: make lab"
        )


def _run(order: Order, experiment: Experiment, shown: Shown, ending: Ending) -> Record:
    def progressed(progress: Progress) -> None:
        ending.polled = progress.step in _POLLED
        if ending.asked and not ending.polled:  # it came while a server was being stopped
            raise KeyboardInterrupt
        shown.progressed(progress)

    def interrupted() -> bool:
        shown.tick()
        return ending.asked

    try:
        return run(
            experiment,
            order.extent,
            progressed,
            interrupted,
            journal=order.journals.path,
            seed=order.seed,
            command=order.typed,
        )
    except LabFileError as error:
        again = f"asyncdemo lab {order.entry.name} --fresh"
        raise UsageError(f"The earlier run cannot go on: {error}\nTo begin anew: {again}") from None


def _kept(order: Order, record: Record, guess: Guess | None) -> Measured:
    """The journal has no more use once the record is whole and in its place."""
    if not record.trials:
        return Measured(record, guess)
    try:
        _, page = lab_results.save(record, order.save_to or lab_results.kept_folder(record))
    except OSError as error:
        again = f"Its trials are kept; to report them again: {order.typed}"
        return Measured(record, guess, problem=f"The result could not be saved: {error}. {again}")
    if not record.interrupted:
        order.journals.remove()
    return Measured(record, guess, page)


@contextlib.contextmanager
def _shown(order: Order) -> Iterator[Shown]:
    if order.console is None:
        with Lines() as lines:
            yield lines
    else:
        with keys_not_shown(), Drawn(order.console) as drawn:
            yield drawn


def _say(words: str) -> None:
    click.echo(wrapped_for(sys.stderr, words), err=True)
