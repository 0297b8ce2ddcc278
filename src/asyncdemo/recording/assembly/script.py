"""The script as a whole, and the processes that it consists of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

from asyncdemo.capture import wire
from asyncdemo.model import Clock, Delay, MemorySample
from asyncdemo.recording.assembly.live_feed import LiveFeed
from asyncdemo.recording.assembly.records import ProcessRecord

_LATE_NS = 1_000_000_000
"""A process that has sent nothing for this long is not waited for."""


class Script:
    """Processes are identified by numbers; 0 is the script's own."""

    def __init__(self, live_feed: LiveFeed) -> None:
        self._live_feed = live_feed
        self.python = ""
        self.clock = Clock.REAL
        self.knobs: dict[str, Any] = {}
        """The constants of the script, once it is compiled."""
        self.code: dict[str, Any] = {}
        """Where the script's code is, for the processes that it starts."""
        self.ready = False
        """Whether the script is compiled."""
        self.refused: str | None = None
        """Why the child would not run the script: wrong use."""
        self.invalid: str | None = None
        """Why the script cannot run at all."""
        self.start_ns = self.now_ns = 0
        self.processes = {0: ProcessRecord(0)}
        self.process = self.processes[0]
        """The process whose events are being handled."""
        self.stopped: set[int] = set()
        """Processes that are no longer recorded, as a note in the run says."""
        self._notes: list[str] = []
        self.incomplete = ""
        """As in ``Run``."""
        self.memory: list[MemorySample] = []
        self.delays: list[Delay] = []
        self.result: str | None = None

    @property
    def finished(self) -> bool:
        return self.processes[0].finished

    @property
    def received_until_ns(self) -> int:
        """The time up to which the script's own process has sent its events; 0 if its clock is not ours."""
        return self.processes[0].now_ns if self.clock is Clock.REAL else 0

    def add_process(self, number: int) -> None:
        """Expect events of a process that the script started."""
        self.processes[number] = ProcessRecord(number)

    def mark_gone(self, number: int) -> None:
        """Expect no more events of a process."""
        self.processes[number].gone = True
        self._close_if_all_gone()

    def advance(self, process: ProcessRecord, at_ns: int) -> None:
        """Note that everything up to this time has been received from the process."""
        process.now_ns = max(process.now_ns, at_ns)
        self.now_ns = max(self.now_ns, at_ns)

    def note_answer(self, at_ns: int) -> None:
        """Note that a load client received a response."""
        self.now_ns = max(self.now_ns, at_ns)
        self._close_if_all_gone()

    def _close_if_all_gone(self) -> None:
        """Close ended lanes if all processes are gone, since then no clock event will do so."""
        if self.now_ns and all(process.gone for process in self.processes.values()):
            self._live_feed.clock(self.now_ns)

    # -- notes ----------------------------------------------------------------------------------

    def add_note(self, text: str) -> None:
        """Add a note unless it is already there."""
        if text not in self._notes:
            self._notes.append(text)

    def add_incomplete(self, text: str) -> None:
        """Add a sentence that says why events are missing."""
        self.add_note(text)
        self.incomplete = self.incomplete or text

    def stop(self, process: int, why: str) -> None:
        """Ignore further events of a process that continues; ``why`` completes "The recording stops"."""
        self.stopped.add(process)
        whose = f" of {self.processes[process].title}" if process else ""
        self.add_incomplete(f"The recording{whose} stops {why}.")

    # -- messages and numbers -------------------------------------------------------------------

    def handle(self, message: wire.ScriptMessage) -> None:
        match message:
            case wire.Hello():
                pass  # its token was checked when the process connected
            case wire.Refused(text):
                self.refused = text
            case wire.Invalid(text):
                self.invalid = text
            case wire.Ready(python, knobs, kind):
                self.python, self.knobs, self.clock = python, knobs, Clock(kind)
                self.ready = True
            case wire.Process(_, _, name):
                self.process.name = name
            case wire.Code():
                self.code = message._asdict()
            case wire.Start(at_ns):
                self.start_ns = self.now_ns = self._live_feed.origin_ns = at_ns
            case wire.Finish(at_ns):
                self.process.finished = True
                self.advance(self.process, at_ns)
            case wire.Forked():
                self.process.forks += 1
            case wire.Cut(at_ns):
                # It stopped sending because we read too slowly. Everything until then has arrived.
                self.advance(self.process, at_ns)
                since_s = (at_ns - self.start_ns) / 1e9
                self.stop(self.process.number, f"after {since_s:.2f} s: asyncdemo stopped reading the events")
            case wire.Note(text):
                self._note(text)
            case wire.HookFailed(hook, why, at_ns, switched_off):
                what = f"`{hook}` was not recorded" if switched_off else f"`{hook}` was recorded only in part"
                since_s = max(at_ns - self.start_ns, 0) / 1e9
                self._note(
                    f"From {since_s:.2f} s on, {what}, because the tracer's hook there failed ({why}). "
                    "The script was not affected, and everything else was recorded."
                )
                self.incomplete = self.incomplete or self._notes[-1]
            case wire.Clock(kind, why):
                if self.clock is not Clock(kind):
                    self._notes.append(f"Time is real, not virtual, because {why}.")
                self.clock = Clock(kind)
            case wire.Delay():
                self.delays.append(Delay(*message))
            case wire.Result(literal):
                self.result = literal
            case _:
                assert_never(message)

    def _note(self, text: str) -> None:
        self._notes.append(f"{self.process.title}: {text}" if self.process.number else text)

    def on_now(self, at_ns: int, *_: int) -> None:
        self.advance(self.process, at_ns)
        self.process.numbers_ns = at_ns
        received = [process.now_ns for process in self.processes.values() if not process.gone]
        self._live_feed.clock(min((ns for ns in received if ns > at_ns - _LATE_NS), default=at_ns))

    # -- what a run has of it -------------------------------------------------------------------

    def notes(self) -> Iterator[str]:
        yield from self._notes
        for process in self.processes.values():
            if process.forks:
                times = "once" if process.forks == 1 else f"{process.forks:,} times"
                yield f"{process.title} was forked {times}: forks are not recorded."

    def memory_while_it_ran(self) -> Iterator[MemorySample]:
        """Yield the samples without those of an interpreter that is shutting down."""
        end_ns = self.processes[0].now_ns
        return (sample for sample in self.memory if not self.finished or sample.at_ns <= end_ns)
