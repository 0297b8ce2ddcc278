"""The progress of a measurement: a few lines that are redrawn, or without a terminal a line now and then."""

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
from asyncdemo.render.words import fit
from asyncdemo.safe_text import clean

_FRAME_S: Final = 0.5
"""Drawing must not become a load itself."""
_LINE_S: Final = 5.0
_BAR: Final = 40
_STEPS: Final = {
    "start": "starting",
    "warm up": "warming up",
    "measure": "measuring",
    "look": "observing it under load",
}


def _describe(progress: Progress) -> str:
    whom = ", ".join(filter(None, (progress.arm, progress.setting)))
    if progress.stage is Stage.MEASURE:
        return f"Round {progress.round} of {progress.rounds}: {whom}"
    if progress.stage is Stage.VERIFY:
        return f"Checking before anything is measured: {whom}"
    return "Calibrating the load client, against a server that does nothing"


def _left_words(left_s: float | None) -> str:
    if left_s is None:
        return ""
    return f"about {round(left_s / 60)} min left" if left_s > 60 else "about a minute left"


def _environment_words(progress: Making) -> str:
    return f"Creating an environment for {progress.environment}, only once: {progress.what}"


class Lines:
    """Writes to stderr, at most a line every few seconds: long logs help nobody."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage: Stage | None = None
        self._next_s = 0.0

    def said(self, words: str) -> None:
        """Show what is set up before anything is measured."""
        click.echo(clean(words), err=True)

    def making(self, progress: Making) -> None:
        """Show that a server's environment is being created."""
        if self._clock() >= self._next_s:
            self._line(f"{_environment_words(progress)} ({progress.done} of {progress.of})")

    def progressed(self, progress: Progress) -> None:
        is_due = progress.stage is not self._stage or self._clock() >= self._next_s
        if progress.step == "start" and is_due:
            self._stage = progress.stage
            count = f"{progress.done} of {progress.of} done" if progress.stage is not Stage.CALIBRATE else ""
            more = ", ".join(filter(None, (count, _left_words(progress.left_s))))
            self._line(clean(_describe(progress)) + (f" ({more})" if more else ""))

    def tick(self) -> None:
        """Update; called all the time while something is measured."""

    def _line(self, words: str) -> None:
        self._next_s = self._clock() + _LINE_S
        click.echo(words, err=True)


class Drawn:
    """The same, drawn on a terminal; at the end, the lines disappear to make room for the report."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console, self._clock = console, clock
        self._left_s: float | None = None
        self._live = Live(
            console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )

    def __enter__(self) -> Self:
        self._live.start()
        self.said("Setting up")
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def said(self, words: str) -> None:
        self._show(words, "", 0, 0)

    def making(self, progress: Making) -> None:
        self._show(_environment_words(progress), "", progress.done, progress.of)

    def progressed(self, progress: Progress) -> None:
        self._left_s = progress.left_s
        step = _STEPS.get(progress.step, progress.step)
        self._show(_describe(progress), step, progress.done, progress.of)

    def tick(self) -> None:
        if self._clock() >= self._next_s:
            self._draw()

    def _show(self, words: str, step: str, done: int, of: int) -> None:
        self._words, self._step, self._done, self._of = words, step, done, of
        self._begun_s = self._clock()
        self._draw()

    def _draw(self) -> None:
        now_s = self._clock()
        self._next_s = now_s + _FRAME_S
        passed_s = now_s - self._begun_s
        lines: list[RenderableType] = [self._text(self._words, "bold")]
        if self._step:
            lines.append(self._text(f"{self._step}, {passed_s:.0f} s"))
        if self._of:
            left_s = None if self._left_s is None else max(self._left_s - passed_s, 0.0)
            count = f"{self._done} of {self._of}"
            lines.append(self._bar(", ".join(filter(None, (count, _left_words(left_s))))))
        lines.append(self._text("To stop, press Ctrl-C: finished trials are kept.", "dim"))
        self._live.update(Group(*lines), refresh=True)

    def _bar(self, words: str) -> RenderableType:
        room = self._console.width - len(words) - 1
        if room < 8:
            return self._text(words)
        grid = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
        grid.add_row(ProgressBar(total=self._of, completed=self._done, width=min(_BAR, room)), Text(words))
        return grid

    def _text(self, words: str, style: str = "") -> Text:
        encoding = self._console.encoding
        words = clean(words).encode(encoding, "backslashreplace").decode(encoding)
        return Text(fit(words, self._console.width, "..."), style)
