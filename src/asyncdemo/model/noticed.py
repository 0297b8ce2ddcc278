"""What was noticed of the program beside its states: steps that block, waits in sequence, who was stuck."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.kinds import State
from asyncdemo.model.site import Site


@dataclass(frozen=True, slots=True)
class SlowStep:
    """A step (or other callback) that held its event loop longer than ``Run.threshold_ns``.

    Attributes:
        track: Index into ``Run.tracks``; None for a callback that is no step of a task.
        start_ns: When it began to hold the loop.
        end_ns: When it gave the loop back.
        cpu_ns: The CPU time of the thread in it, if known.
        stolen_ns: How much of its length the operating system gave to others, which is not the step's doing.
        site: The innermost line seen.
        called_from: The nearest line of the user's own code that led there.
        reason: The blocking call it was in ("sleep", "net.read", ...); "" if it computed, "gil" if another
            thread kept the interpreter.
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

    Attributes:
        track: Index into ``Run.tracks``; None in a callback that is no step of a task.
        start_ns: When the call began.
        end_ns: When it returned.
        reason: What it was: "sleep", "net.read", ...
        site: The innermost line seen.
        called_from: The nearest line of the user's own code that led there.
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

    Attributes:
        track: Index into ``Run.tracks``.
        start_ns: When the first wait began.
        end_ns: When the last one ended.
        count: How many waits there were.
        waited_ns: How long all of them took together.
        longest_ns: How long the longest one took.
        sites: The lines that awaited, in order of first use.
        independent: Whether no result reached the arguments of a later call, as far as the source shows; None
            if the source could not be read.
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

    Attributes:
        function: The function that it would have run.
        at_ns: When it was dropped.
        site: The line that made it, if known.
    """

    function: str
    at_ns: int
    site: Site | None


@dataclass(frozen=True, slots=True)
class Uncaught:
    """The error that ended the script, as nobody caught it.

    Attributes:
        error: The name of its type.
        text: What it says; "" if that is no text.
        in_group: Whether it came in an ``ExceptionGroup``, of which it is the first.
        own: Whether its type is the script's own.
        raised_in: The innermost function that it came through, by its qualified name.
        site: The innermost line that it came through and that is not the standard library's.
    """

    error: str
    text: str
    in_group: bool
    own: bool
    raised_in: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Stuck:
    """A task or thread that had not ended when the run was stopped.

    Attributes:
        name: The name of the task or thread.
        function: The function that it runs.
        site: The line of the user's code that it was at; None if it had not begun.
        source: The text of that line.
        state: What it was doing.
        track: Its index in ``Run.tracks``, if it is known there.
        reason: What it waited for, as in a ``Wait``. If it was running, it was inside a blocking call for
            that.
        resource: Index into ``Run.resources`` of what it waited at, if it was that.
        on: Indices of the tracks that it waited for.
        unfinished: In ``queue.join``, how many items had no ``task_done``.
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

    Attributes:
        track: Index into ``Run.tracks`` of the one that held it.
        resource: Index into ``Run.resources``.
        site: The line of the user's code that took it, if known.
    """

    track: int
    resource: int
    site: Site | None = None


@dataclass(frozen=True, slots=True)
class Delay:
    """Time that passed before a callback of an event loop, because the schedule of the run says so.

    Attributes:
        callback: The number of the callback, from 0.
        length_ns: How much time.
        at_ns: From when on.
    """

    callback: int
    length_ns: int
    at_ns: int
