"""Drives recordings to their end, in words or with a live picture, and through Ctrl-C.

Not for: what a recording is (``runner``) or how it looks (``render``).
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from types import FrameType

import click
from rich.console import Console

from asyncdemo.cli.signals import ENDING, Signals
from asyncdemo.cli.terminal import keys_not_shown
from asyncdemo.model import Run
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Listener, Options, Recording, Stdout, Target
from asyncdemo.render.terminal.live import LivePanel, LiveView
from asyncdemo.render.terminal.output import Tail
from asyncdemo.serving import RunContext, Session, open_recording

__all__ = ["Job", "Recorded", "record_live", "record_quietly", "signals_noted"]

_POLL_S = 0.01
"""Shorter than the time between frames, which would else come late by it."""
_LATE_S = 0.6
"""A script that is still there so long after Ctrl-C takes its time to end, or never will."""
_OUTPUT_LINES = 200
"""How much of a script's output is kept to be shown below the picture."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to record, how, and with what around it."""

    target: Target
    options: Options
    run_context: RunContext | None = None

    @property
    def name(self) -> str:
        """As the recording will be called."""
        return self.options.name or self.target.name

    @property
    def serves(self) -> bool:
        return self.run_context is not None and self.run_context.plan is not None

    def open(self, listener: Listener | None) -> Recording | Session:
        """What it takes, not started yet."""
        return open_recording(self.target, self.options, listener, run_context=self.run_context)


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
            with closing(job.open(listener)) as recording:
                _drive([recording], signals, lambda: None, lambda _: None, _say_quietly)
                runs.append(recording.result())
            output.append(Tail() if listener is None else listener.tail)
            if signals:
                break
    return Recorded(tuple(runs), bool(signals), tuple(output))


def record_live(
    jobs: Sequence[Job],
    console: Console,
    race: bool,
    show: Callable[[Sequence[LivePanel], Console], LiveView] = LiveView,
) -> Recorded:
    """With a live picture, which is gone at the end. race: all at once, else one after another.

    show: makes the view of the panels.
    """
    panels = [LivePanel(job.name, noun="request" if job.serves else "lane") for job in jobs]
    runs: list[Run] = []
    for panel in panels:
        panel.output_tail = Tail(_OUTPUT_LINES)
    with ExitStack() as stack:
        signals = stack.enter_context(signals_noted())
        recordings = [
            stack.enter_context(closing(job.open(panel))) for job, panel in zip(jobs, panels, strict=True)
        ]
        panel_of = dict(zip(map(id, recordings), panels, strict=True))
        stack.enter_context(keys_not_shown())
        view = stack.enter_context(show(panels, console))
        for heat in [recordings] if race else [[recording] for recording in recordings]:
            _drive(
                heat,
                signals,
                view.update,
                lambda recording: panel_of[id(recording)].ended(recording.result()),
                lambda recording, words, urgent: panel_of[id(recording)].stands_still(
                    words, None if urgent and signals else recording.still_ns
                ),
            )
            runs.extend(recording.result() for recording in heat)
            if signals:
                break
        view.update(now=True)
    return Recorded(tuple(runs), bool(signals), tuple(panel.output_tail for panel in panels[: len(runs)]))


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


def _drive(
    recordings: Sequence[Recording | Session],
    signals: Sequence[int],
    tick: Callable[[], None],
    finished: Callable[[Recording | Session], None],
    say: Callable[[Recording | Session, Sequence[str], bool], None],
) -> None:
    """Lets all go at once and polls them to the end.

    signals: grows with every Ctrl-C. The first asks the scripts to end, as it would without us; the
    second kills them. say(recording, sentences, whether it is urgent): who waits for whom in one that
    stands still, and none when it goes on; of one that has not ended when it was asked to, that too.
    """
    for recording in recordings:
        recording.start()
    for recording in recordings:
        # The child may have got the signal too, and be gone before it could begin.
        recording.interrupt() if signals else recording.go()
    alive, heeded = list(recordings), len(signals)
    asked_s = time.monotonic() if signals else None
    still: dict[int, tuple[bool, bool]] = {}
    while alive:
        for recording in list(alive):
            if not recording.poll(_POLL_S / len(alive)):
                alive.remove(recording)
                finished(recording)
        late = asked_s is not None and time.monotonic() > asked_s + _LATE_S
        for recording in alive:
            now = recording.stands_still, late
            if still.get(id(recording), (False, False)) != now:
                still[id(recording)] = now
                _explain(recording, late, say)
        tick()
        if len(signals) > heeded:
            for recording in alive:
                recording.interrupt()
            heeded, asked_s = len(signals), asked_s or time.monotonic()


def _explain(
    recording: Recording | Session,
    late: bool,
    say: Callable[[Recording | Session, Sequence[str], bool], None],
) -> None:
    from asyncdemo.render.facts.standstill import ENDS, ENDS_NOW, is_deadlocked, standstill_words

    words: list[str] = []
    urgent = late
    if recording.stands_still:
        run = recording.result()
        words += [*standstill_words(run), *([] if late else [ENDS])]
        urgent = late or is_deadlocked(run)
    say(recording, [*words, *([ENDS_NOW] if late else [])], urgent)


def _say_quietly(recording: Recording | Session, sentences: Sequence[str], urgent: bool) -> None:  # noqa: ARG001
    """Beside what the script writes there is room only for what somebody must know."""
    for sentence in sentences if urgent else ():
        click.echo(sentence, err=True)


@contextmanager
def signals_noted() -> Iterator[list[int]]:
    """Signals that would end us are only noted.

    An exception in the middle of a poll would lose events, in the middle of a frame the terminal's state.
    """
    seen: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  (the signature of a handler)
        seen.append(number)
        outer = before.get(number)
        if isinstance(outer, Signals):
            outer.note(number)

    before = {number: signal.signal(number, note) for number in ENDING}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
