"""Recordings that belong together: all at the same time or one after another, with handling of Ctrl-C."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from asyncdemo.model import Run
from asyncdemo.recording.runner import Listener, Options, Recording, Target
from asyncdemo.serving.run_context import RunContext
from asyncdemo.serving.session import Session, open_recording

_LATE_S: Final = 0.6
"""A script that still runs this long after Ctrl-C is slow to end, or never will."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to record, how, and in which context."""

    target: Target
    options: Options
    run_context: RunContext | None = None

    @property
    def name(self) -> str:
        """The name of the recording."""
        return self.options.name or self.target.name

    @property
    def serves(self) -> bool:
        return self.run_context is not None and self.run_context.plan is not None


class Batch:
    """A context manager. ``begin`` starts what comes next, ``poll`` follows it to its end.

    ``runs`` are the finished ones, in the order of the jobs. After ``interrupt``, nothing more starts.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        listeners: Sequence[Listener | None],
        *,
        race: bool = False,
        ended: Callable[[int, Run], None] | None = None,
        stalled: Callable[[int, Recording | Session, bool], None] | None = None,
    ) -> None:
        """Open all recordings, without starting any.

        Args:
            jobs: What to record.
            listeners: One for each job; it gets the job's events during ``poll``.
            race: Run all jobs at the same time, rather than one after another.
            ended: Called with the index of a job and its run when it has ended.
            stalled: Called with the index of a job, its recording, and whether it is late in ending after it
                was asked to: when nothing happens in it any more, when it continues, and when it is late.
        """
        self.runs: list[Run] = []
        self.interrupted = self._begun = False
        self._recordings = [
            open_recording(job.target, job.options, listener, run_context=job.run_context)
            for job, listener in zip(jobs, listeners, strict=True)
        ]
        places = list(range(len(jobs)))
        self._heats = [places] if race else [[place] for place in places]
        self._alive: list[int] = []
        self._ended_runs: dict[int, Run] = {}
        self._ended, self._stalled = ended, stalled
        self._asked_s: float | None = None
        self._stalls: dict[int, tuple[bool, bool]] = {}

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop everything that was started."""
        for recording in self._recordings:
            recording.close()

    def begin(self, is_unwanted: Callable[[], object] = lambda: False) -> bool:
        """Start what comes next and let it go, which takes a moment. Return False if nothing is left.

        If the batch was interrupted before, start the first recordings anyway, so that there are runs that
        say so.

        Args:
            is_unwanted: Called to find out whether Ctrl-C was pressed meanwhile.
        """
        if not self._heats or (self.interrupted and self._begun):
            return False
        heat = self._heats.pop(0)
        self._begun = True
        for place in heat:
            self._recordings[place].start()
        if is_unwanted():
            self.interrupt()
        for place in heat:
            # The child may have got the signal, too, and be gone before it could start.
            self._recordings[place].interrupt() if self.interrupted else self._recordings[place].go()
        self._alive = heat
        return True

    def poll(self, timeout_s: float) -> bool:
        """Handle what has arrived, waiting at most this long. Return False once all that started is over."""
        for place in list(self._alive):
            if not self._recordings[place].poll(timeout_s / len(self._alive)):
                self._alive.remove(place)
                run = self._ended_runs[place] = self._recordings[place].result()
                self.runs = [self._ended_runs[at] for at in sorted(self._ended_runs)]
                if self._ended is not None:
                    self._ended(place, run)
        late = self._asked_s is not None and time.monotonic() > self._asked_s + _LATE_S
        for place in self._alive:
            now = self._recordings[place].stands_still, late
            if self._stalled is not None and self._stalls.get(place, (False, False)) != now:
                self._stalls[place] = now
                self._stalled(place, self._recordings[place], late)
        return bool(self._alive)

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Handle Ctrl-C or another signal: ask the scripts to end, as they would without us.

        When they are killed is up to ``Recording.interrupt``.
        """
        self.interrupted = True
        self._asked_s = self._asked_s or time.monotonic()
        for place in self._alive:
            self._recordings[place].interrupt(number)

    def send_signal(self, number: int) -> None:
        """Send a signal to the processes of all scripts that run."""
        for place in self._alive:
            self._recordings[place].send_signal(number)

    def pass_on(self, number: int) -> None:
        """Send a signal that we got to the processes that would have got it without us."""
        for place in self._alive:
            self._recordings[place].pass_on(number)
