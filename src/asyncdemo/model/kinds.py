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
    TASK = "task"
    THREAD = "thread"


class Outcome(StrEnum):
    """How a track or lane ended."""

    RETURNED = "returned"
    RAISED = "raised"
    CANCELLED = "cancelled"
    OPEN = "open"
    """Not over when the recording ended."""


class RunOutcome(StrEnum):
    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"


class Clock(StrEnum):
    REAL = "real"
    VIRTUAL = "virtual"


class ResourceKind(StrEnum):
    """What is limited. A queue is limited in its length, the others in how many hold it."""

    SEMAPHORE = "semaphore"
    LOCK = "lock"
    QUEUE = "queue"
    EXECUTOR = "executor"
    POOL = "pool"
