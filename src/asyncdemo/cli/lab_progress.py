"""The progress of a measurement: a few lines that are redrawn, or without a terminal a line now and then.

Not here: what is measured, or the report.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Self

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from asyncdemo.lab.harness.environments import Progress as Making
from asyncdemo.lab.harness.protocol.running import Progress, Stage
from asyncdemo.render.words import clean, fit

_FRAME_S: Final = 0.5
"""Drawing must not become a load itself."""
_LINE_S: Final = 5.0
_BAR: Final = 40
_STEPS: Final = {
    "start": "starting",
    "warm up": "warming up",
    "measure": "measuring",
    "look": "looking at what it does under load",
}


class Shown:
    """A context manager that shows progress."""

    def said(self, words: str) -> None:
        """Show what is set up before anything is measured."""

    def making(self, progress: Making) -> None:
        """Show that a server's environment is being created."""

    def progressed(self, progress: Progress) -> None:
        """Show the progress of the measurement."""

    def tick(self) -> None:
        """Update; called all the time while something is measured."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def told(progress: Progress) -> str:
    """Return what is being measured, without the step."""
    whom = ", ".join(filter(None, (progress.arm, progress.setting)))
    if progress.stage is Stage.MEASURE:
        return f"Round {progress.round} of {progress.rounds}: {whom}"
    if progress.stage is Stage.VERIFY:
        return f"Checking before anything is measured: {whom}"
    return "Calibrating the load client, against a server that does nothing"


def left_words(left_s: float | None) -> str:
    if left_s is None:
        return ""
    return f"about {round(left_s / 60)} min left" if left_s > 60 else "about a minute left"


def _made(progress: Making) -> str:
    return f"An environment for {progress.environment}, made only once: {progress.what}"


class Lines(Shown):
    """Writes to stderr, at most a line every few seconds: long logs help nobody."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage: Stage | None = None
        self._next_s = 0.0

    def said(self, words: str) -> None:
        click.echo(clean(words), err=True)

    def making(self, progress: Making) -> None:
        if self._is_due():
            click.echo(f"{_made(progress)} ({progress.done} of {progress.of})", err=True)

    def progressed(self, progress: Progress) -> None:
        if progress.step != "start" or not (progress.stage is not self._stage or self._is_due()):
            return
        self._stage = progress.stage
        self._next_s = self._clock() + _LINE_S
        count = f"{progress.done} of {progress.of} done" if progress.stage is not Stage.CALIBRATE else ""
        more = ", ".join(filter(None, (count, left_words(progress.left_s))))
        click.echo(clean(told(progress)) + (f" ({more})" if more else ""), err=True)

    def _is_due(self) -> bool:
        if self._clock() < self._next_s:
            return False
        self._next_s = self._clock() + _LINE_S
        return True


class Drawn(Shown):
    """Draws on a terminal; at the end, the lines disappear to make room for the report."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._words = "Setting up"
        self._step, self._done, self._of = "", 0, 0
        self._left_s: float | None = None
        self._begun_s = clock()
        self._next_s = 0.0
        self._live = Live(
            console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )

    def __enter__(self) -> Self:
        self._live.start()
        self._draw()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def said(self, words: str) -> None:
        self._show(words, "", 0, 0)

    def making(self, progress: Making) -> None:
        self._show(_made(progress), "", progress.done, progress.of)

    def progressed(self, progress: Progress) -> None:
        self._left_s = progress.left_s
        step = _STEPS.get(progress.step, progress.step)
        self._show(told(progress), step, progress.done, progress.of)

    def tick(self) -> None:
        if self._clock() >= self._next_s:
            self._draw()

    def _show(self, words: str, step: str, done: int, of: int) -> None:
        self._words, self._step, self._done, self._of = words, step, done, of
        self._begun_s = self._clock()
        self._draw()

    def _draw(self) -> None:
        self._next_s = self._clock() + _FRAME_S
        self._live.update(self._frame(), refresh=True)

    def _frame(self) -> RenderableType:
        width = self._console.width
        passed_s = self._clock() - self._begun_s
        step = f"{self._step}, {passed_s:.0f} s" if self._step else ""
        lines: list[RenderableType] = [Text(self._fitted(self._words, width), "bold")]
        if step:
            lines.append(Text(self._fitted(step, width)))
        if self._of:
            lines.append(self._bar(passed_s, width))
        lines.append(Text(self._fitted("Ctrl-C ends it; what is finished is kept.", width), "dim"))
        return Group(*lines)

    def _bar(self, passed_s: float, width: int) -> RenderableType:
        left_s = None if self._left_s is None else max(self._left_s - passed_s, 0.0)
        words = ", ".join(filter(None, (f"{self._done} of {self._of}", left_words(left_s))))
        room = width - len(words) - 1
        if room < 8:
            return Text(self._fitted(words, width))
        grid = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
        grid.add_row(ProgressBar(total=self._of, completed=self._done, width=min(_BAR, room)), Text(words))
        return grid

    def _fitted(self, words: str, width: int) -> str:
        encoding = self._console.encoding
        words = clean(words).encode(encoding, "backslashreplace").decode(encoding)
        return fit(words, width, "...")
