"""Completes recordings, as text or with a live picture, and handles Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click
from rich.console import Console

from asyncdemo.cli.signals import NotedSignals, noting_signals, passing_on_others, stopping_together
from asyncdemo.cli.terminal import hiding_keys
from asyncdemo.model import Run
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Recording, Stdout
from asyncdemo.render.terminal.live import LiveView
from asyncdemo.render.terminal.output import Tail
from asyncdemo.render.terminal.panel import LivePanel
from asyncdemo.serving import Batch, Job, Session

_POLL_S = 0.01
"""Shorter than the time between frames, which would be delayed by this much."""
_OUTPUT_LINES = 200
"""How much of a script's output is kept for display below the picture."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The ``runs``, as far as they got. If ``interrupted``, later jobs did not begin.

    ``output`` is what the script of each run wrote, if it was captured.
    """

    runs: tuple[Run, ...]
    interrupted: bool = False
    output: tuple[Tail, ...] = ()


def record_quietly(jobs: Sequence[Job], announce: Callable[[Job], None] = lambda _: None) -> Recorded:
    """Record one after another, without a picture. ``announce`` is called before each.

    A script writes where its options say. For a server, which logs every request, only the last lines are
    kept, unless all of it should go to our standard error.
    """
    runs: list[Run] = []
    output: list[Tail] = []
    with noting_signals() as signals:
        for job in jobs:
            signals.draw(partial(announce, job))
            listener = None
            if job.serves:  # through us, so that its last words are known if it dies
                pass_on = job.options.stdout is Stdout.TO_STDERR
                listener = _ServerOutput(signals if pass_on else None)
                job = replace(job, options=replace(job.options, stdout=Stdout.CAPTURE))
            with Batch([job], [listener], stalled=partial(_print_urgent, signals)) as batch:
                _drive(batch, signals, lambda: None, passes_on=not job.serves)
                runs += batch.runs
            output.append(Tail() if listener is None else listener.tail)
            if signals:
                break
    return Recorded(tuple(runs), bool(signals), tuple(output))


def record_live(job: Job, console: Console) -> Recorded:
    """Record a script with a live picture, which disappears at the end."""
    panel = LivePanel(job.name)
    panel.output_tail = Tail(_OUTPUT_LINES)
    with ExitStack() as stack:
        signals = stack.enter_context(noting_signals())
        batch = stack.enter_context(
            Batch(
                [job],
                [panel],
                ended=lambda _, run: panel.ended(run),
                stalled=lambda _, recording, late: panel.stalled(
                    recording.result() if recording.stands_still else None, late, recording.idle_ns
                ),
            )
        )
        stack.enter_context(hiding_keys())
        view = LiveView([panel], console)
        stack.callback(signals.draw, view.close)
        _drive(batch, signals, view.update, passes_on=not job.serves)
        signals.draw(partial(view.update, now=True))
    return Recorded(tuple(batch.runs), bool(signals), (panel.output_tail,))


def save_run(run: Run, file: Path) -> None:
    from asyncdemo import store

    store.save(run, file)
    click.echo(f"saved {file}", err=True)


class _ServerOutput(OutputBuffer):
    """Keeps a server's last lines of output in ``tail``, or passes them on."""

    def __init__(self, signals: NotedSignals | None) -> None:
        """``signals``: where to pass the output on; if None, it is kept."""
        super().__init__()
        self.tail = Tail(_OUTPUT_LINES)
        self._signals = signals

    def output(self, stream: str, text: str) -> None:
        if self._signals is not None:
            self._signals.draw(partial(click.echo, text, nl=False, err=True))
        else:
            self.tail.add(stream, text)


def _drive(batch: Batch, signals: NotedSignals, tick: Callable[[], None], passes_on: bool) -> None:
    """Run the batch to its end. ``signals`` grows with every Ctrl-C, or other signal that asks us to end.

    If ``passes_on``, the script also gets signals that do not end us: it's not a server that we end by them.
    """
    handled = 0

    def interrupted() -> bool:
        nonlocal handled
        new, handled = len(signals) > handled, len(signals)
        return new

    with stopping_together(batch.send_signal), passing_on_others(batch.pass_on) as pass_on:
        while True:
            for number in signals[handled:]:
                handled += 1
                batch.interrupt(number)
            if not batch.poll(_POLL_S) and not batch.begin(interrupted):
                break
            if passes_on:
                pass_on()
            signals.draw(tick)


def _print_urgent(
    signals: NotedSignals,
    place: int,  # noqa: ARG001
    recording: Recording | Session,
    late: bool,
) -> None:
    """Print only what is urgent, because the script is writing here as well."""
    from asyncdemo.render.facts.moments import explain

    sentences, urgent = explain(recording.result() if recording.stands_still else None, late)
    for sentence in sentences if urgent else ():
        signals.draw(partial(click.echo, sentence, err=True))
