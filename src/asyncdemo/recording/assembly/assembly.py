"""Process the events of one run's traced processes as they arrive, and make a ``Run`` of them at any time.

Not here: what each message means (see ``handlers``), processes and sockets (``recording.runner``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.model import Clock, MemorySample, Run, RunOutcome
from asyncdemo.recording.assembly import standstill
from asyncdemo.recording.assembly.handlers import HANDLERS
from asyncdemo.recording.assembly.handlers.steps import take_numbers
from asyncdemo.recording.assembly.records import ProcessRecord
from asyncdemo.recording.assembly.snapshot import snapshot
from asyncdemo.recording.assembly.state import AssemblyState


class Assembly(AssemblyState):
    """A run being put together. Processes are identified by numbers; 0 is the script's own."""

    # -- what comes in --------------------------------------------------------------------------

    def feed(self, kind: bytes, payload: bytes, process: int = 0) -> None:
        """Process one frame from a process. Raise ValueError if it makes no sense."""
        self.process = self.ledger.processes[process]
        try:
            if kind == wire.NUMBERS:
                take_numbers(self, wire.events(payload))
            elif kind == wire.MESSAGES:
                for message in wire.messages(payload):
                    HANDLERS[type(message)](self, message)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"an event makes no sense: {error!r}") from error

    def joins(self, process: int) -> None:
        """Expect events of a process that the script started."""
        self.ledger.processes[process] = ProcessRecord(process)

    def leaves(self, process: int) -> None:
        """Expect no more events of a process."""
        self.ledger.processes[process].gone = True
        self.close_if_nobody_tells()

    def memory_sampled(self, sample: MemorySample) -> None:
        self.ledger.memory.append(sample)

    # -- what is known --------------------------------------------------------------------------

    def run(
        self, *, name: str, script: str, argv: Sequence[str], outcome: RunOutcome, exit_code: int | None
    ) -> Run:
        """Return what has been recorded so far."""
        return snapshot(self, name=name, script=script, argv=argv, outcome=outcome, exit_code=exit_code)

    @property
    def knobs(self) -> dict[str, Any]:
        """The constants of the script, once it is compiled."""
        return self.ledger.knobs

    @property
    def accepting(self) -> frozenset[int]:
        """The processes that have accepted a connection."""
        return frozenset(self.ledger.accepting)

    @property
    def finished(self) -> bool:
        """Whether the script's interpreter finished by itself."""
        return self.ended_by_itself(0)

    def ended_by_itself(self, process: int) -> bool:
        """Return whether its interpreter finished by itself, and so has sent everything."""
        return self.ledger.processes[process].finished

    @property
    def told_until_ns(self) -> int:
        """The time up to which the script's own process has sent everything; 0 if its clock is not ours."""
        return self.ledger.processes[0].now_ns if self.ledger.clock is Clock.REAL else 0

    # -- who has not ended ----------------------------------------------------------------------

    @property
    def told_stuck(self) -> bool:
        """Whether all processes have reported who has not ended."""
        ledger = self.ledger
        return all(process.gone or process.number in ledger.stuck for process in ledger.processes.values())

    def forget_stuck(self) -> None:
        """Forget these reports: the processes continued, or are asked again."""
        self.ledger.stuck.clear()
        self.ledger.holdings.clear()

    def complete_stuck(self) -> None:
        """Add the processes that have not answered, from what was recorded of them."""
        ledger = self.ledger
        for number, process in ledger.processes.items():
            if not process.gone and number not in ledger.stuck:
                ledger.stuck[number] = standstill.own_record(ledger, process)
                ledger.holdings[number] = standstill.holdings(ledger, process, self.held)
