"""Takes in what the traced processes of one run tell, as it arrives, and makes a ``Run`` of it at any time.

Not for: what each message means (``handlers``), processes or sockets (``recording.runner``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.model import Clock, MemorySample, Run, RunOutcome
from asyncdemo.recording.assembly import standstill
from asyncdemo.recording.assembly.handlers import MESSAGES
from asyncdemo.recording.assembly.handlers.steps import take_numbers
from asyncdemo.recording.assembly.live_feed import Listener
from asyncdemo.recording.assembly.records import ProcessRecord
from asyncdemo.recording.assembly.request_matcher import RequestMatcher
from asyncdemo.recording.assembly.snapshot import snapshot
from asyncdemo.recording.assembly.state import AssemblyState


class Assembly:
    """Processes are known by their numbers; 0 is the script's own."""

    def __init__(
        self, *, named: bool, threshold_ns: int, listener: Listener | None = None, serves: bool = False
    ) -> None:
        """serves: the script is a server, whose requests are told here too and are what listeners see."""
        self._named = named
        self._threshold_ns = threshold_ns
        self._state = AssemblyState(named, listener, serves)
        self._ledger = self._state.ledger

    # -- what comes in --------------------------------------------------------------------------

    def feed(self, kind: bytes, payload: bytes, process: int = 0) -> None:
        """One frame. process: that it comes from. Raises ValueError if it makes no sense."""
        state = self._state
        state.process = self._ledger.processes[process]
        try:
            if kind == wire.NUMBERS:
                take_numbers(state, wire.events(payload))
            elif kind == wire.MESSAGES:
                for message in wire.messages(payload):
                    MESSAGES[type(message)](state, message)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"an event makes no sense: {error!r}") from error

    def joins(self, process: int) -> None:
        """A process that the script started will tell of itself too."""
        self._ledger.processes[process] = ProcessRecord(process)

    def leaves(self, process: int) -> None:
        """It will tell no more."""
        self._ledger.processes[process].gone = True
        self._state.close_if_nobody_tells()

    def stops(self, process: int, why: str) -> None:
        """What it tells from now on is not taken in, though it goes on. why: for the end of a sentence."""
        self._state.stop(process, why)

    @property
    def requests(self) -> RequestMatcher:
        """Takes what the load client tells."""
        return self._state.requests

    def memory_sampled(self, sample: MemorySample) -> None:
        self._ledger.memory.append(sample)

    def add_note(self, text: str) -> None:
        """A sentence for whoever reads the run, unless it is there already."""
        self._state.add_note(text)

    # -- what is known --------------------------------------------------------------------------

    def run(
        self, *, name: str, script: str, argv: Sequence[str], outcome: RunOutcome, exit_code: int | None
    ) -> Run:
        """What has been recorded so far."""
        return snapshot(
            self._ledger,
            self._state.summing,
            self._state.coarsening,
            named=self._named,
            threshold_ns=self._threshold_ns,
            name=name,
            script=script,
            argv=argv,
            outcome=outcome,
            exit_code=exit_code,
        )

    @property
    def events(self) -> int:
        """How much has happened: it stays the same while nothing does."""
        return self._state.events

    @property
    def ready(self) -> bool:
        """The script is compiled."""
        return self._state.ready

    @property
    def refused(self) -> str | None:
        """Why the child would not run the script: wrong use."""
        return self._state.refused

    @property
    def invalid(self) -> str | None:
        """Why the script cannot run at all."""
        return self._state.invalid

    @property
    def token(self) -> str:
        """What the first process said to know."""
        return self._state.token

    @property
    def code(self) -> dict[str, Any]:
        """Where the script's code is, for the processes that it starts."""
        return self._state.code

    @property
    def knobs(self) -> dict[str, Any]:
        """The constants of the script, once it is compiled."""
        return self._ledger.knobs

    @property
    def accepting(self) -> frozenset[int]:
        """The processes that have accepted a connection."""
        return frozenset(self._ledger.accepting)

    @property
    def finished(self) -> bool:
        """The script's interpreter came to its own end."""
        return self.ended_by_itself(0)

    def ended_by_itself(self, process: int) -> bool:
        """Its interpreter came to its own end, so it has told everything."""
        return self._ledger.processes[process].finished

    def said_why_it_stops(self, process: int) -> bool:
        return process in self._state.stopped

    def name_of(self, process: int) -> str:
        """For a sentence."""
        return self._state.name_of(process)

    @property
    def told_until_ns(self) -> int:
        """Up to when the script's own process has told everything; 0 where its clock is not ours."""
        ledger = self._ledger
        return ledger.processes[0].now_ns if ledger.clock is Clock.REAL else 0

    # -- who has not ended ----------------------------------------------------------------------

    @property
    def told_stuck(self) -> bool:
        """All processes have said who has not ended."""
        ledger = self._ledger
        return all(process.gone or process.number in ledger.stuck for process in ledger.processes.values())

    def forget_stuck(self) -> None:
        """They went on, or are asked again."""
        self._ledger.stuck.clear()
        self._ledger.holdings.clear()

    def complete_stuck(self) -> None:
        """For the processes that have not answered, by what is recorded of them."""
        ledger = self._ledger
        for number, process in ledger.processes.items():
            if not process.gone and number not in ledger.stuck:
                ledger.stuck[number] = standstill.own_record(ledger, process)
                ledger.holdings[number] = standstill.holdings(ledger, process, self._state.held)
