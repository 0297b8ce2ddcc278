"""What the words of a run may be: states, outcomes, kinds. Their values are part of the run format."""

from __future__ import annotations

from enum import IntEnum, StrEnum

__all__ = ["Clock", "Outcome", "ResourceKind", "RunOutcome", "State", "TrackKind"]


class State(IntEnum):
    """What a lane is doing. The values index columns, so they are part of the run format."""

    RUNNING = 0
    """Executing."""
    READY = 1
    """Could run; something else has the event loop."""
    WAITING = 2
    """For time, the outside world or another lane."""
    QUEUED = 3
    """For its turn at something limited."""


class TrackKind(StrEnum):
    """What executes."""

    TASK = "task"
    """An asyncio task."""
    THREAD = "thread"
    """A thread, the main one included."""


class Outcome(StrEnum):
    """How a track or lane ended."""

    RETURNED = "returned"
    RAISED = "raised"
    CANCELLED = "cancelled"
    OPEN = "open"
    """Not over when the recording ended."""


class RunOutcome(StrEnum):
    """How a run ended as a whole."""

    OK = "ok"
    """The program came to its end, with exit code 0."""
    FAILED = "failed"
    """It ended with an error or another exit code, in a deadlock, or at its limit of memory or processes."""
    TIMEOUT = "timeout"
    """It was ended at its limit of time."""
    INTERRUPTED = "interrupted"
    """It was ended by Ctrl-C."""


class Clock(StrEnum):
    """Whose time the times of a run are."""

    REAL = "real"
    """The time that passed."""
    VIRTUAL = "virtual"
    """It jumped to the next timer instead of waiting for it."""


class ResourceKind(StrEnum):
    """What is limited. A queue is limited in its length, the others in how many hold it."""

    SEMAPHORE = "semaphore"
    LOCK = "lock"
    QUEUE = "queue"
    EXECUTOR = "executor"
    POOL = "pool"
