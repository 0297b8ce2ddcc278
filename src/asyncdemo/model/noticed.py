"""What was noticed of the program beside its states: steps that block, waits in sequence, who was stuck."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.kinds import State
from asyncdemo.model.site import Site

__all__ = ["AwaitSequence", "BlockingCall", "Holding", "SlowStep", "Stuck", "Unawaited"]


@dataclass(frozen=True, slots=True)
class SlowStep:
    """A step (or other callback) that held its event loop longer than ``Run.threshold_ns``.

    track: index into ``Run.tracks``; None for a callback that is no task's step.
    start_ns, end_ns: when it held the loop. cpu_ns: thread CPU time in it, if known.
    stolen_ns: of its length, what the operating system gave to others: not the step's doing.
    site: the innermost line seen; called_from: the nearest line of the user's own code.
    reason: the blocking call it was in ("sleep", "net.read", ...), "" if it computed,
    "gil" if another thread kept the interpreter.
    """

    track: int | None
    start_ns: int
    end_ns: int
    cpu_ns: int | None
    stolen_ns: int
    site: Site | None
    called_from: Site | None
    reason: str = ""

    @property
    def held_ns(self) -> int:
        """How long the step itself held the loop."""
        return max(self.end_ns - self.start_ns - self.stolen_ns, 0)


@dataclass(frozen=True, slots=True)
class BlockingCall:
    """A sleep or I/O call made inside a step: running, but a wait that could have overlapped.

    track: index into ``Run.tracks``; None in a callback that is no task's step.
    start_ns, end_ns: of the call.
    reason: what it was: "sleep", "net.read", ... site, called_from: as of a ``SlowStep``.
    """

    track: int | None
    start_ns: int
    end_ns: int
    reason: str
    site: Site | None = None
    called_from: Site | None = None


@dataclass(frozen=True, slots=True)
class AwaitSequence:
    """Waits of one coroutine call that came one after another.

    track: index into ``Run.tracks``. start_ns, end_ns: from the first wait to the end of the last.
    count: how many. waited_ns: all of them together. longest_ns: the longest single one.
    sites: the lines that awaited, in order of first use.
    independent: no result reached a later call's arguments, as far as the source shows;
    None if the source could not be read.
    """

    track: int
    start_ns: int
    end_ns: int
    count: int
    waited_ns: int
    longest_ns: int
    sites: tuple[Site, ...]
    independent: bool | None


@dataclass(frozen=True, slots=True)
class Unawaited:
    """A coroutine that was made and dropped without being awaited.

    function: that it would have run. at_ns: when it was dropped. site: the line that made it, if known.
    """

    function: str
    at_ns: int
    site: Site | None


@dataclass(frozen=True, slots=True)
class Stuck:
    """A task or thread that had not ended when the run was stopped.

    name: of the task or thread. function: that it runs. site: the line of the user's code that it was at,
    None if it had not begun. source: that line. state: what it was doing.
    track: its index in ``Run.tracks``, if it is known there. reason: what it waited for, as of a ``Wait``;
    if it was running, it was inside a blocking call for that. resource: index into ``Run.resources``, if it
    waited at one. on: indices of the tracks that it waited for. unfinished: in ``queue.join``, the items
    without a ``task_done``.
    """

    name: str
    function: str
    site: Site | None
    source: str = ""
    state: State = State.WAITING
    track: int | None = None
    reason: str = ""
    resource: int | None = None
    on: tuple[int, ...] = ()
    unfinished: int | None = None


@dataclass(frozen=True, slots=True)
class Holding:
    """One slot of a resource that had not been given back when the run was stopped.

    track: index into ``Run.tracks``: who held it. resource: index into ``Run.resources``.
    site: the line of the user's code that took it, if known.
    """

    track: int
    resource: int
    site: Site | None = None
