"""What the words of a run may be: states, outcomes, kinds. Their values are part of the run format."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class State(IntEnum):
    """What a lane is doing. The values index columns, so they are part of the run format.

    Attributes:
        RUNNING: 0. Executing.
        READY: 1. Could run, but something else has the event loop.
        WAITING: 2. Waits for time, the outside world or another lane.
        QUEUED: 3. Waits for its turn at something limited.
    """

    RUNNING = 0
    READY = 1
    WAITING = 2
    QUEUED = 3


class TrackKind(StrEnum):
    """What executes. Each value is the name in lower case.

    Attributes:
        TASK: An asyncio task.
        THREAD: A thread, the main one included.
    """

    TASK = "task"
    THREAD = "thread"


class Outcome(StrEnum):
    """How a track or lane ended. Each value is the name in lower case.

    Attributes:
        RETURNED: It came to its end.
        RAISED: An exception ended it.
        CANCELLED: It was cancelled.
        OPEN: It was not over when the recording ended.
    """

    RETURNED = "returned"
    RAISED = "raised"
    CANCELLED = "cancelled"
    OPEN = "open"


class RunOutcome(StrEnum):
    """How a run ended as a whole. Each value is the name in lower case.

    Attributes:
        OK: The program came to its end, with exit code 0.
        FAILED: It ended with an error or another exit code, in a deadlock, or at its limit of memory or
            processes.
        TIMEOUT: It was ended at its time limit.
        INTERRUPTED: It was ended by Ctrl-C.
    """

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"


class Clock(StrEnum):
    """Whose time the times of a run are. Each value is the name in lower case.

    Attributes:
        REAL: The time that passed.
        VIRTUAL: It jumped to the next timer instead of waiting for it.
    """

    REAL = "real"
    VIRTUAL = "virtual"


class ResourceKind(StrEnum):
    """What is limited. Each value is the name in lower case.

    Attributes:
        SEMAPHORE: How many may hold it.
        LOCK: Only one may hold it.
        QUEUE: Its length.
        EXECUTOR: How many of its workers can be busy.
        POOL: How many connections can be in use.
    """

    SEMAPHORE = "semaphore"
    LOCK = "lock"
    QUEUE = "queue"
    EXECUTOR = "executor"
    POOL = "pool"
