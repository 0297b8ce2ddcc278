"""What the handlers of messages share: everything that is known of the run while it is being put together."""

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
    def __init__(self, named: bool, listener: Listener | None, serves: bool) -> None:
        self.ledger = Ledger()
        self.process = self.ledger.processes[0]
        """Whose messages are being handled."""
        self.feed = NoFeed() if listener is None else LiveFeed(listener, named, serves)
        self.heard = listener is not None
        self.requests = RequestMatcher(self.ledger, self.feed, self.close_if_nobody_tells)
        self.coarsening = Coarsening(self.ledger)
        self.summing = None if named or serves else Summing(self.ledger, self.feed.forget)
        self.events = 0
        """How much has happened: it stays the same while nothing does."""

        self.token = ""
        self.start_ns = 0
        self.ready = False
        self.refused: str | None = None
        """Why the child would not run the script: wrong use."""
        self.invalid: str | None = None
        """Why the script cannot run at all."""
        self.code: dict[str, Any] = {}
        """Where the script's code is, for the processes that it starts."""
        self.stopped: set[int] = set()
        """Processes that are not recorded any more, which the run says."""

        self.waits: dict[int, tuple[int, int]] = {
            wire.WAIT_YIELD: (int(State.READY), 0),
            wire.WAIT_DONE: (int(State.READY), 0),
        }
        """Index of a wait -> (state, cause)."""
        self.completed: dict[tuple[int, int], int] = {}
        """(cause, who ended the wait) -> the cause that says so."""
        self.calls: dict[int, tuple[str, Site | None, Site | None]] = {}
        self.held: defaultdict[int, list[Held]] = defaultdict(list)
        """The slots that have not been given back, by resource."""
        self.sums: dict[int, StepSum] = {}
        """By track: those of which not all is told yet."""
        self.answers: dict[int, list[tuple[Stuck, int | None]]] = {}
        """By process: who has not ended, told ahead of the numbers of that moment."""

    def name_of(self, process: int) -> str:
        """For a sentence."""
        return self.ledger.processes[process].name or f"process {process}"

    def add_note(self, text: str) -> None:
        """Unless it is there already."""
        if text not in self.ledger.notes:
            self.ledger.notes.append(text)

    def stop(self, process: int, why: str) -> None:
        """What it tells from now on is not taken in, though it goes on. why: for the end of a sentence."""
        self.stopped.add(process)
        whose = f" of {self.name_of(process)}" if process else ""
        self.add_note(f"The recording{whose} stops {why}.")

    def close_if_nobody_tells(self) -> None:
        """Then no clock comes either, and what has ended stays as it is."""
        ledger = self.ledger
        if ledger.now_ns and all(process.gone for process in ledger.processes.values()):
            self.feed.clock(ledger.now_ns)


MessageHandlers = dict[type, Callable[[AssemblyState, Any], None]]
"""By the type of the message."""
NumberHandlers = dict[int, Callable[[AssemblyState, int, int, int, int, int], None]]
"""By the first of the six numbers; called with the others."""
