"""One measurement: setup, prediction, run or resumption, saving, and the report."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import psutil
from rich.console import Console

from asyncdemo.cli.signals import Ending
from asyncdemo.cli.terminal import hiding_keys, wrap, wrap_for
from asyncdemo.course.workspace.context import shown_path
from asyncdemo.errors import (
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    EXIT_OK,
    AsyncdemoError,
    LabFileError,
    MissingError,
    ServiceError,
    UsageError,
)
from asyncdemo.lab.cli import result_files
from asyncdemo.lab.cli.prediction import Guess, ask_ratio
from asyncdemo.lab.cli.progress import Drawn, Lines
from asyncdemo.lab.experiments import Entry, ExperimentContext
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.harness.protocol.journal import describe, identity
from asyncdemo.lab.harness.protocol.running import Progress, run
from asyncdemo.lab.results.flags import RULES, FlagKind
from asyncdemo.lab.results.record import Record, dump_record
from asyncdemo.lab.results.setup import Extent
from asyncdemo.load.needed import check_installed
from asyncdemo.packages import install_command, missing_packages

_POLLED: Final = {"warm up", "measure", "look"}
"""Steps in which the protocol keeps polling for an interruption."""
_LOOK_S: Final = 1.0


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
    as_json: bool
    asks: bool

    @property
    def typed(self) -> str:
        extent = "" if self.extent is Extent.DEFAULT else f" --{self.extent.value}"
        seed = "" if self.seed is None else f" --seed {self.seed}"
        return f"asyncdemo lab {shlex.join(self.entry.arguments)}{extent}{seed}"

    def again(self, *, saving: bool = True) -> str:
        """Return the command that resumes it; without ``saving``, with asyncdemo's default folder."""
        words = shlex.split(self.typed)
        if saving and self.save_to is not None:
            words += ["--save", str(self.save_to)]
        if self.course is not None:
            words += ["--course", str(self.course)]
        return shlex.join(words)

    @property
    def journals(self) -> result_files.Journals:
        return result_files.Journals(self.entry.name, self.extent, self.apps)


def measure(order: Order, *, fresh: bool) -> int:
    """Return the exit code, after the report. Raises MissingError, ServiceError and UsageError."""
    check_installed()
    if fresh:
        order.journals.remove()
    _say(f"{order.entry.title}: about {order.entry.minutes[order.extent]:g} min.")
    record, guess, page, died = None, None, None, False
    remarks: list[str] = []
    for line in _listed(order.entry.bounds()):
        click.echo(line, err=True)
    try:
        if noise := noise_words():
            _say(noise)
        with Ending() as ending, contextlib.ExitStack() as prepared:
            with _shown(order) as shown:
                context = ExperimentContext(order.apps, shown.making, shown.said)
                experiment = prepared.enter_context(order.entry.prepared(context))
            _need_packages(experiment)
            bench = Bench()
            journal, resumed = _journal(order, experiment, bench)
            if order.asks and not resumed:
                guess = ask_ratio(experiment, order.extent)
            with _shown(order) as shown:
                record = _run(order, experiment, bench, journal, shown, ending)
            died = record.interrupted and not ending.asked
            ending.polled = True  # what was measured is saved, whatever happens now
            page, remarks = _save(order, record)
    except AsyncdemoError as error:
        if record is None:
            raise
        remarks.append(str(error))  # of what was started for it
    except KeyboardInterrupt:
        _say(_nothing_measured(order))
        return EXIT_INTERRUPTED
    _report(order, record, guess)
    _conclude(order, record, page, remarks, died)
    if died:
        return ServiceError.exit_code
    if record.interrupted:  # it resumes from its journal, even if its report was not saved
        return EXIT_INTERRUPTED
    return EXIT_MISSING if record.trials and page is None else EXIT_OK


def _journal(order: Order, experiment: Experiment, bench: Bench) -> tuple[Path, bool]:
    """Also return whether an earlier run is resumed. Needs the complete stack, because its versions count."""
    which = identity(experiment, order.extent, bench, describe(experiment, bench))
    path = order.journals.path(which)
    resumed = result_files.trials_in(path) > 0
    if resumed:
        trials = result_files.trials_words(path)
        _say(f"Continuing the run that ended early: {trials} already done. To start over, use --fresh.")
    elif earlier := order.journals.latest():
        differing = ", ".join(order.journals.differing(earlier, which))
        _say(
            f"Starting over: the earlier run cannot continue, because these differ: {differing}. "
            f"Until the new one is complete, {result_files.trials_words(earlier)} kept."
        )
    return path, resumed


def _nothing_measured(order: Order) -> str:
    """Return the message. An earlier run may have measured something, whether or not it can be resumed."""
    earlier = order.journals.latest()
    if earlier is None:
        return "Interrupted before anything was measured."
    kept = result_files.trials_words(earlier, " of an earlier run")
    return f"Interrupted before anything more was measured. {kept} kept."


def _need_packages(experiment: Experiment) -> None:
    missing = missing_packages(experiment.packages)
    if missing:
        raise MissingError(
            f"{experiment.name} needs {', '.join(missing)}. To install what the lab measures: "
            f"{install_command('lab')}"
        )


def _run(
    order: Order, experiment: Experiment, bench: Bench, journal: Path, shown: Lines | Drawn, ending: Ending
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


def _save(order: Order, record: Record) -> tuple[Path | None, list[str]]:
    """Save the record, and remove the journal if the record is complete.

    Return the page, if it was saved, and remarks: why not, or why elsewhere than requested.
    """
    if not record.trials:
        return None, []
    remarks: list[str] = []
    folder = order.save_to or result_files.kept_folder(record)
    if result_files.would_lose(record, folder):
        remarks.append(f"Not saved in {folder}: the record there is complete, and this one ended early.")
        folder = result_files.kept_folder(record)
    try:
        page = result_files.save(record, folder)
    except OSError as error:
        again = f"Its trials are kept; to report them again: {order.again(saving=False)}"
        return None, [f"The result could not be saved: {error}. {again}", *remarks]
    if not record.interrupted:
        order.journals.remove()
    return page, remarks


def _report(order: Order, record: Record, guess: Guess | None) -> None:
    if order.as_json:
        click.echo(dump_record(record), nl=False)
        return
    if not record.trials:
        return
    if order.console is None:
        from asyncdemo.lab.render.plain import render_plain

        click.echo(render_plain(record, sys.stdout.encoding or "utf-8"), nl=False)
    else:
        from asyncdemo.lab.render.terminal import print_report

        print_report(record, order.console)
    if costs := _listed(order.entry.costs(record)):
        click.echo("\n" + "\n".join(costs))
    if guess is not None:
        click.echo("\n" + wrap(guess.against(record)))


def _listed(lines: Sequence[str]) -> list[str]:
    """Return a heading and what is below it, indented."""
    return [wrap(line, "  " * (place > 0), "    " * (place > 0)) for place, line in enumerate(lines)]


def _conclude(order: Order, record: Record, page: Path | None, remarks: list[str], died: bool) -> None:
    """Say the rest on stderr: stdout has the report, which programs may read."""
    lines = [*remarks]
    if page is not None:
        lines += ["", f"saved {shown_path(page)}, and beside it the record ({page.stem}.json)"]
    if record.interrupted:
        (ended,) = (flag for flag in record.flags if flag.kind is FlagKind.INTERRUPTED)
        how = "Ended early" if died else "Interrupted"
        lines += [f"{how}: {ended.words} The finished trials are kept.", f"To continue: {order.again()}"]
    for line in lines:
        _say(line)


@contextlib.contextmanager
def _shown(order: Order) -> Iterator[Lines | Drawn]:
    if order.console is None:
        yield Lines()
    else:
        with hiding_keys(), Drawn(order.console) as drawn:
            yield drawn


def _say(words: str) -> None:
    click.echo(wrap_for(sys.stderr, words), err=True)


def noise_words() -> str:
    """Return what to do if the machine is not quiet; "" if it is."""
    most = RULES[FlagKind.FOREIGN_CPU].limit
    used = psutil.cpu_percent(_LOOK_S) / 100
    load = os.getloadavg()[0]
    if used <= most:
        return ""
    return (
        f"The machine is not quiet: other programs use {used:.0%} of the CPU (load average {load:.1f}). "
        f"A trial during which they use more than {most:.0%} does not count. Close what you can, or stop "
        "this with Ctrl-C and try again later. To see what is running: top"
    )
