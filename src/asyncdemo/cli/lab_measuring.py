"""Drives one measurement: setup, prediction, run or resumption, and saving.

Not here: the arguments (see ``lab``), the display (see ``lab_progress``), or the report.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click
import psutil
from rich.console import Console

from asyncdemo.cli import lab_results
from asyncdemo.cli.lab_predict import Guess, ask_ratio
from asyncdemo.cli.lab_progress import Drawn, Lines, Shown
from asyncdemo.cli.signals import Ending
from asyncdemo.cli.terminal import keys_not_shown, wrapped_for
from asyncdemo.errors import AsyncdemoError, LabFileError, MissingError, UsageError
from asyncdemo.lab.experiments import Entry, Surroundings
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.harness.protocol.journal import describe, identity
from asyncdemo.lab.harness.protocol.running import Progress, run
from asyncdemo.lab.results.flags import RULES, FlagKind
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Extent
from asyncdemo.load.needed import check_installed
from asyncdemo.packages import install_command, missing_packages

_POLLED: Final = {"warm up", "measure", "look"}
"""Steps in which the protocol keeps polling for an interruption."""


@dataclass(frozen=True, slots=True)
class Order:
    """``save_to``: None for asyncdemo's default folder. ``console``: None for plain text.

    ``course``: as typed. ``asks``: someone is there to predict.
    """

    entry: Entry
    extent: Extent
    apps: Path
    course: Path | None
    seed: int | None
    save_to: Path | None
    console: Console | None
    asks: bool

    @property
    def typed(self) -> str:
        """The command for the record, without folders."""
        extent = "" if self.extent is Extent.DEFAULT else f" --{self.extent.value}"
        seed = "" if self.seed is None else f" --seed {self.seed}"
        return f"asyncdemo lab {self.entry.name}{extent}{seed}"

    def again(self, *, saving: bool = True) -> str:
        """Return the command that resumes it; without ``saving``, with asyncdemo's default folder."""
        words = self.typed.split()
        if saving and self.save_to is not None:
            words += ["--save", str(self.save_to)]
        if self.course is not None:
            words += ["--course", str(self.course)]
        return shlex.join(words)

    @property
    def journals(self) -> lab_results.Journals:
        return lab_results.Journals(self.entry.name, self.extent, self.apps)


@dataclass(frozen=True, slots=True)
class Measured:
    """The result. ``page`` is None if nothing was saved; then ``problem`` says why, if that is an error.

    ``note``: why it was saved elsewhere than requested. ``left``: errors while stopping what was started for
    it, in words. ``died``: a service that it needs died, rather than someone ending it early.
    """

    record: Record
    guess: Guess | None = None
    page: Path | None = None
    problem: str = ""
    note: str = ""
    left: str = ""
    died: bool = False


def measure(order: Order, *, fresh: bool) -> Measured:
    """Raises MissingError, ServiceError, UsageError, and KeyboardInterrupt before anything is measured."""
    check_installed()
    if fresh:
        order.journals.remove()
    _introduce(order)
    measured: Measured | None = None
    try:
        with Ending() as ending, contextlib.ExitStack() as prepared:
            with _shown(order) as shown:
                surroundings = Surroundings(order.apps, shown.making, shown.said)
                experiment = prepared.enter_context(order.entry.prepared(surroundings))
            _need_packages(experiment)
            bench = Bench()
            journal, goes_on = _journal(order, experiment, bench)
            guess = ask_ratio(experiment, order.extent) if order.asks and not goes_on else None
            with _shown(order) as shown:
                record = _run(order, experiment, bench, journal, shown, ending)
            died = record.interrupted and not ending.asked
            ending.polled = True  # what was measured is saved, whatever happens now
            measured = replace(_kept(order, record, guess), died=died)
    except AsyncdemoError as error:
        if measured is None:
            raise
        return replace(measured, left=str(error))
    return measured


def _introduce(order: Order) -> None:
    entry = order.entry
    _say(f"{entry.title}: about {entry.minutes[order.extent]:g} min.")
    if noise := noise_words():
        _say(noise)


def _journal(order: Order, experiment: Experiment, bench: Bench) -> tuple[Path, bool]:
    """Also return whether an earlier run is resumed. Needs the complete stack, because its versions count."""
    which = identity(experiment, order.extent, bench, describe(experiment, bench))
    path = order.journals.path(which)
    if trials := lab_results.trials_in(path):
        _say(f"It continues the run that was ended: {_trials(trials)} there. --fresh starts over.")
    elif earlier := order.journals.latest():
        differing = ", ".join(order.journals.differing(earlier, which))
        _say(
            f"It starts over: the run that was ended cannot continue, because these differ: {differing}. "
            f"Until the new one is complete, {_trials(lab_results.trials_in(earlier))} kept."
        )
    return path, trials > 0


def _trials(number: int) -> str:
    return "1 trial is" if number == 1 else f"{number} trials are"


def _need_packages(experiment: Experiment) -> None:
    missing = missing_packages(experiment.packages)
    if missing:
        raise MissingError(
            f"{experiment.name} needs {', '.join(missing)}. Install what the lab measures: "
            f"{install_command('lab')}"
        )


def _run(
    order: Order, experiment: Experiment, bench: Bench, journal: Path, shown: Shown, ending: Ending
) -> Record:
    def progressed(progress: Progress) -> None:
        ending.polled = progress.step in _POLLED
        if ending.asked and not ending.polled:  # it arrived while a server was being stopped
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
            journal=journal,
            seed=order.seed,
            command=order.typed,
            bench=bench,
        )
    except LabFileError as error:
        again = order.again()
        raise UsageError(
            f"The earlier run cannot continue: {error}\nTo start over: {again} --fresh"
        ) from None


def _kept(order: Order, record: Record, guess: Guess | None) -> Measured:
    """Save the record, and remove the journal if the record is complete."""
    if not record.trials:
        return Measured(record, guess)
    folder, note = order.save_to or lab_results.kept_folder(record), ""
    if order.save_to is not None and lab_results.would_lose(record, order.save_to):
        folder = lab_results.kept_folder(record)
        note = f"Not kept in {order.save_to}: the record there is complete, and this one was ended early."
    try:
        _, page = lab_results.save(record, folder)
    except OSError as error:
        again = f"Its trials are kept; to report them again: {order.again(saving=False)}"
        return Measured(record, guess, problem=f"The result could not be saved: {error}. {again}", note=note)
    if not record.interrupted:
        order.journals.remove()
    return Measured(record, guess, page, note=note)


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


_LOOK_S: Final = 1.0


def noise_words() -> str:
    """Return what to do if the machine is not quiet; "" if it is."""
    most = RULES[FlagKind.FOREIGN_CPU].limit
    used = psutil.cpu_percent(_LOOK_S) / 100
    load = os.getloadavg()[0]
    if used <= most:
        return ""
    return (
        f"The machine is not quiet: other programs use {used:.0%} of the CPU (load average {load:.1f}). "
        f"A trial during which they use more than {most:.0%} does not count. Close what you can, or end "
        "this with Ctrl-C and come back later. `top` shows what it is."
    )
