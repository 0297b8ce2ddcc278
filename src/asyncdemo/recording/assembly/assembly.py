"""A run under construction, from the events received so far. It can be turned into a ``Run`` at any time.

Indices are those of the traced processes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.model import (
    BlockingCall,
    Clock,
    Connection,
    Delay,
    Holding,
    MemorySample,
    Outcome,
    Run,
    RunOutcome,
    Site,
    SlowStep,
    State,
    Stuck,
    Unawaited,
    Uncaught,
)
from asyncdemo.recording.assembly import standstill
from asyncdemo.recording.assembly.live_feed import Listener, LiveFeed, NoFeed
from asyncdemo.recording.assembly.messages import handle
from asyncdemo.recording.assembly.numbers import take_numbers
from asyncdemo.recording.assembly.records import (
    Causes,
    Held,
    Item,
    LaneRecord,
    ProcessRecord,
    RawWakes,
    ResourceRecord,
    TrackRecord,
)
from asyncdemo.recording.assembly.requests import RequestMatcher
from asyncdemo.recording.assembly.sequences import Pause
from asyncdemo.recording.assembly.snapshot import snapshot
from asyncdemo.recording.assembly.window import Window


class Assembly:
    """The state of the run so far. Processes are identified by numbers; 0 is the script's own.

    ``messages`` and ``numbers`` change it, ``snapshot`` reads it.
    """

    def __init__(
        self, *, named: bool, threshold_ns: int, listener: Listener | None = None, serves: bool = False
    ) -> None:
        """``serves``: the script is a server; its requests are reported here, too, and listeners see them."""
        self.named = named
        self.threshold_ns = threshold_ns
        self.live_feed = NoFeed() if listener is None else LiveFeed(listener, named, serves)
        self.has_listener = listener is not None
        self.requests = RequestMatcher(self.live_feed, self._answered)
        """Receives what the load client reports."""
        self.window = Window(self)
        self.events = 0
        """How much has happened: it stays the same while nothing does."""

        # -- the run and its processes --
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
        self.notes: list[str] = []
        self.processes = {0: ProcessRecord(0)}
        self.process = self.processes[0]
        """The process whose messages are being handled."""
        self.stopped: set[int] = set()
        """Processes that are no longer recorded, as a note in the run says."""
        self.incomplete = ""
        """As in ``Run``."""
        self.accepting: set[int] = set()
        """Those that have accepted a connection."""
        self.memory: list[MemorySample] = []
        self.delays: list[Delay] = []
        self.gaps: dict[tuple[int, int], tuple[int, int]] = {}
        """(process, since when) -> (until when, steps that were not recorded)."""
        self.result: str | None = None

        # -- tracks and lanes --
        self.tracks: dict[int, TrackRecord] = {}
        self.lanes: dict[int, LaneRecord] = {}
        self.sites: dict[int, Site] = {}
        self.causes = Causes()
        self.waits: dict[int, tuple[int, int]] = {
            wire.WAIT_YIELD: (int(State.READY), 0),
            wire.WAIT_DONE: (int(State.READY), 0),
        }
        """Index of a wait -> (state, cause)."""
        self.completed: dict[tuple[int, int], int] = {}
        """(cause, who ended the wait) -> the cause that includes who did."""
        self.wakes = RawWakes()
        self.pauses: list[Pause] = []
        self.unawaited: list[Unawaited] = []
        self.uncaught: list[Uncaught] = []
        self.pending: set[int] = set()
        """Tasks that were not done when their loop's main task was, or when they were collected."""

        # -- resources --
        self.resources: dict[int, ResourceRecord] = {}
        self.connections: dict[int, Connection] = {}
        """Of pools; without their uses."""
        self.slots: defaultdict[int, list[Held]] = defaultdict(list)
        self.held: defaultdict[int, list[Held]] = defaultdict(list)
        """Those of them that have not been given back."""
        self.levels: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self.items: dict[int, Item] = {}
        self.item_waits: dict[int, int] = {}
        """Index of a cause -> the work item waited for."""

        # -- loops that are held up; the first two by process --
        self.slow_steps: defaultdict[int, list[SlowStep]] = defaultdict(list)
        self.blocking_calls: defaultdict[int, list[BlockingCall]] = defaultdict(list)
        self.calls: dict[int, tuple[str, Site | None, Site | None]] = {}
        """Index of a call -> (reason, site, called from)."""
        self.begun: dict[int, SlowStep] = {}
        """The steps that currently block a loop, by their start."""
        self.starved: dict[int, int] = {}
        """Tasks that could otherwise run -> since when."""

        # -- who has not ended, by process --
        self.answers: dict[int, list[tuple[Stuck, int | None]]] = {}
        """Reported ahead of the numbers of that moment."""
        self.stuck: dict[int, list[Stuck]] = {}
        """For those that have answered. With the indices of the process."""
        self.idle: dict[int, bool] = {}
        """Whether nothing was outstanding in its event loops, and it handled no signal."""
        self.alarms: dict[int, bool] = {}
        """Whether a timer was set that may do anything."""
        self.holdings: dict[int, list[Holding]] = {}
        """Who held what when it answered."""

    # -- events ---------------------------------------------------------------------------------

    def feed(self, kind: bytes, payload: bytes, process: int = 0) -> None:
        """Process one frame from a process. Raise ValueError if it is invalid."""
        self.process = self.processes[process]
        try:
            if kind == wire.NUMBERS:
                take_numbers(self, wire.events(payload))
            elif kind == wire.MESSAGES:
                for message in wire.messages(payload):
                    handle(self, message)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"invalid event: {error!r}") from error

    def add_process(self, process: int) -> None:
        """Expect events of a process that the script started."""
        self.processes[process] = ProcessRecord(process)

    def mark_gone(self, process: int) -> None:
        """Expect no more events of a process."""
        self.processes[process].gone = True
        self._close_if_all_gone()

    def add_note(self, text: str) -> None:
        """Add a note unless it is already there."""
        if text not in self.notes:
            self.notes.append(text)

    def add_incomplete(self, text: str) -> None:
        """Add a sentence that says why events are missing."""
        self.add_note(text)
        self.incomplete = self.incomplete or text

    def stop(self, process: int, why: str) -> None:
        """Ignore further events of a process that continues; ``why`` completes "The recording stops"."""
        self.stopped.add(process)
        whose = f" of {self.processes[process].title}" if process else ""
        self.add_incomplete(f"The recording{whose} stops {why}.")

    def advance(self, process: ProcessRecord, at_ns: int) -> None:
        """Note that everything up to this time has been received from the process."""
        process.now_ns = max(process.now_ns, at_ns)
        self.now_ns = max(self.now_ns, at_ns)

    def end(self, track: int, at_ns: int, outcome: Outcome) -> None:
        """Note that the track ended."""
        known = self.tracks[track]
        known.closed_ns, known.outcome = at_ns, outcome
        self.live_feed.track_closed(track, at_ns, outcome)

    def _answered(self, at_ns: int) -> None:
        self.now_ns = max(self.now_ns, at_ns)
        self._close_if_all_gone()

    def _close_if_all_gone(self) -> None:
        """Close ended lanes if all processes are gone, since then no clock event will do so."""
        if self.now_ns and all(process.gone for process in self.processes.values()):
            self.live_feed.clock(self.now_ns)

    # -- the state so far -----------------------------------------------------------------------

    def run(
        self, *, name: str, script: str, argv: Sequence[str], outcome: RunOutcome, exit_code: int | None
    ) -> Run:
        return snapshot(self, name=name, script=script, argv=argv, outcome=outcome, exit_code=exit_code)

    def site(self, index: int | None) -> Site | None:
        return None if index is None else self.sites.get(index)

    @property
    def finished(self) -> bool:
        return self.processes[0].finished

    @property
    def received_until_ns(self) -> int:
        """The time up to which the script's own process has sent its events; 0 if its clock is not ours."""
        return self.processes[0].now_ns if self.clock is Clock.REAL else 0

    # -- who has not ended ----------------------------------------------------------------------

    @property
    def knows_stuck(self) -> bool:
        """Whether all processes have reported who has not ended."""
        return all(process.gone or process.number in self.stuck for process in self.processes.values())

    def clear_stuck(self) -> None:
        """Drop these reports: the processes continued, or are asked again."""
        self.stuck.clear()
        self.holdings.clear()

    def fill_in_stuck(self) -> None:
        """For processes that have not answered, use what was recorded."""
        for number, process in self.processes.items():
            if not process.gone and number not in self.stuck:
                self.stuck[number] = standstill.recorded_stuck(self, process)
                self.holdings[number] = standstill.holdings(self, process)
