"""Makes recordings to their end, in words or with a live picture, and through Ctrl-C.

Not for: what a recording is (``runner``), several of them (``serving.batch``) or how they look (``render``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import click
from rich.console import Console

from asyncdemo.cli.signals import signals_noted
from asyncdemo.cli.terminal import keys_not_shown
from asyncdemo.model import Run
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Recording, Stdout
from asyncdemo.render.terminal.live import LivePanel, LiveView
from asyncdemo.render.terminal.output import Tail
from asyncdemo.serving import Batch, Job, Session

_POLL_S = 0.01
"""Shorter than the time between frames, which would else come late by it."""
_OUTPUT_LINES = 200
"""How much of a script's output is kept to be shown below the picture."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """runs: as far as they came. interrupted: then later jobs were not begun.

    output: for each run what the script wrote, if it was captured.
    """

    runs: tuple[Run, ...]
    interrupted: bool = False
    output: tuple[Tail, ...] = ()


def record_quietly(jobs: Sequence[Job], announce: Callable[[Job], None] = lambda _: None) -> Recorded:
    """One after another, without a picture. announce: called before each.

    A script writes where its options say; of a server, which logs every request, the last lines are kept
    instead, unless all of it is to go to our standard error.
    """
    runs: list[Run] = []
    output: list[Tail] = []
    with signals_noted() as signals:
        for job in jobs:
            announce(job)
            listener, job = _overheard(job) if job.serves else (None, job)
            with Batch([job], [listener], stalled=_say_quietly) as batch:
                _drive(batch, signals, lambda: None)
                runs += batch.runs
            output.append(Tail() if listener is None else listener.tail)
            if signals:
                break
    return Recorded(tuple(runs), bool(signals), tuple(output))


def record_live(jobs: Sequence[Job], console: Console, race: bool) -> Recorded:
    """With a live picture, which is gone at the end. race: all at the same time, else one after another."""
    panels = [LivePanel(job.name, noun="request" if job.serves else "lane") for job in jobs]
    for panel in panels:
        panel.output_tail = Tail(_OUTPUT_LINES)
    with ExitStack() as stack:
        signals = stack.enter_context(signals_noted())
        batch = stack.enter_context(
            Batch(
                jobs,
                panels,
                race=race,
                ended=lambda place, run: panels[place].ended(run),
                stalled=lambda place, recording, late: panels[place].stalled(
                    recording.result() if recording.stands_still else None, late, recording.still_ns
                ),
            )
        )
        stack.enter_context(keys_not_shown())
        view = stack.enter_context(LiveView(panels, console))
        _drive(batch, signals, view.update)
        view.update(now=True)
    runs = tuple(batch.runs)
    return Recorded(runs, bool(signals), tuple(panel.output_tail for panel in panels[: len(runs)]))


class _Overheard(OutputBuffer):
    """Keeps the last lines that a server writes, or passes them on. tail: what was kept."""

    def __init__(self, pass_on: bool) -> None:
        super().__init__()
        self.tail = Tail(_OUTPUT_LINES)
        self._pass_on = pass_on

    def output(self, stream: str, text: str) -> None:
        if self._pass_on:
            click.echo(text, nl=False, err=True)
        else:
            self.tail.add(stream, text)


def _overheard(job: Job) -> tuple[_Overheard, Job]:
    """What a server writes has to come through us, so that its last words are known if it dies."""
    listener = _Overheard(pass_on=job.options.stdout is Stdout.TO_STDERR)
    return listener, replace(job, options=replace(job.options, stdout=Stdout.CAPTURE))


def _drive(batch: Batch, signals: Sequence[int], tick: Callable[[], None]) -> None:
    """To the end. signals: grows with every Ctrl-C."""
    heeded = 0

    def heed() -> bool:
        nonlocal heeded
        new, heeded = len(signals) > heeded, len(signals)
        return new

    while True:
        if heed():
            batch.interrupt()
        if not batch.poll(_POLL_S) and not batch.begin(heed):
            break
        tick()


def _say_quietly(place: int, recording: Recording | Session, late: bool) -> None:  # noqa: ARG001
    """Beside what the script writes there is room only for what somebody must know."""
    from asyncdemo.render.facts.standstill import explain

    sentences, urgent = explain(recording.result() if recording.stands_still else None, late)
    for sentence in sentences if urgent else ():
        click.echo(sentence, err=True)
