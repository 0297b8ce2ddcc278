"""The state that message handlers share: everything known about the run while it is put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.model import Site, State, Stuck
from asyncdemo.recording.assembly.coarsening import Coarsening
from asyncdemo.recording.assembly.ledger import Ledger
from asyncdemo.recording.assembly.live_feed import Listener, LiveFeed, NoFeed
from asyncdemo.recording.assembly.records import Held
from asyncdemo.recording.assembly.request_matcher import RequestMatcher
from asyncdemo.recording.assembly.spans import StepSum
from asyncdemo.recording.assembly.summing import Summing


class AssemblyState:
    def __init__(
        self, *, named: bool, threshold_ns: int, listener: Listener | None = None, serves: bool = False
    ) -> None:
        """``serves``: the script is a server; its requests are reported here, too, and listeners see them."""
        self.named = named
        self.threshold_ns = threshold_ns
        self.ledger = Ledger()
        self.process = self.ledger.processes[0]
        """The process whose messages are being handled."""
        self.live_feed = NoFeed() if listener is None else LiveFeed(listener, named, serves)
        self.heard = listener is not None
        self.requests = RequestMatcher(self.ledger, self.live_feed, self.close_if_nobody_tells)
        """Receives what the load client reports."""
        self.coarsening = Coarsening(self.ledger)
        self.summing = None if named or serves else Summing(self.ledger, self.live_feed.forget)
        self.events = 0
        """How much has happened: it stays the same while nothing does."""

        self.start_ns = 0
        self.ready = False
        """Whether the script is compiled."""
        self.refused: str | None = None
        """Why the child would not run the script: wrong use."""
        self.invalid: str | None = None
        """Why the script cannot run at all."""
        self.code: dict[str, Any] = {}
        """Where the script's code is, for the processes that it starts."""
        self.stopped: set[int] = set()
        """Processes that are no longer recorded, as a note in the run says."""

        self.waits: dict[int, tuple[int, int]] = {
            wire.WAIT_YIELD: (int(State.READY), 0),
            wire.WAIT_DONE: (int(State.READY), 0),
        }
        """Index of a wait -> (state, cause)."""
        self.completed: dict[tuple[int, int], int] = {}
        """(cause, who ended the wait) -> the cause that includes who did."""
        self.calls: dict[int, tuple[str, Site | None, Site | None]] = {}
        self.held: defaultdict[int, list[Held]] = defaultdict(list)
        """The slots that have not been given back, by resource."""
        self.sums: dict[int, StepSum] = {}
        """By track: sums that are not complete yet."""
        self.answers: dict[int, list[tuple[Stuck, int | None]]] = {}
        """By process: who has not ended, reported ahead of the numbers of that moment."""

    def name_of(self, process: int) -> str:
        """Return its name for use in a sentence."""
        return self.ledger.processes[process].name or f"process {process}"

    def add_note(self, text: str) -> None:
        """Add a note unless it is already there."""
        if text not in self.ledger.notes:
            self.ledger.notes.append(text)

    def stop(self, process: int, why: str) -> None:
        """Ignore further events of a process that continues; ``why`` completes "The recording stops"."""
        self.stopped.add(process)
        whose = f" of {self.name_of(process)}" if process else ""
        self.add_note(f"The recording{whose} stops {why}.")

    def close_if_nobody_tells(self) -> None:
        """Close what has ended if all processes are gone, since then no clock event will do so."""
        ledger = self.ledger
        if ledger.now_ns and all(process.gone for process in ledger.processes.values()):
            self.live_feed.clock(ledger.now_ns)


MessageHandlers = dict[type, Callable[[AssemblyState, Any], None]]
"""By message type."""
NumberHandlers = dict[int, Callable[[AssemblyState, int, int, int, int, int], None]]
"""By the first of the six numbers; called with the others."""
