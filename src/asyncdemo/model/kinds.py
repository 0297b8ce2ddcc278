"""States, outcomes and kinds, whose values are part of the run format; and places in source code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class State(IntEnum):
    """What a lane is doing. The values index columns, so they are part of the run format.

    Attributes:
        RUNNING: 0. Executing.
        READY: 1. Able to run, but something else has the event loop.
        WAITING: 2. Waiting for time, the outside world or another lane.
        QUEUED: 3. Waiting for its turn at something limited.
        UNKNOWN: 4. Not recorded: see ``Run.gaps`` and ``Run.complete_from_ns``.
    """

    RUNNING = 0
    READY = 1
    WAITING = 2
    QUEUED = 3
    UNKNOWN = 4


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
        RETURNED: It returned.
        RAISED: An exception ended it.
        CANCELLED: It was cancelled.
        OPEN: It had not ended when the recording did.
    """

    RETURNED = "returned"
    RAISED = "raised"
    CANCELLED = "cancelled"
    OPEN = "open"


class RunOutcome(StrEnum):
    """How a run ended as a whole. Each value is the name in lower case.

    Attributes:
        OK: The program finished with exit code 0.
        FAILED: It ended with an error or another exit code, in a deadlock, or at its memory or process
            limit.
        TIMEOUT: It was stopped at its time limit.
        INTERRUPTED: It was stopped with Ctrl-C.
    """

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"


class Clock(StrEnum):
    """The clock that a run's times come from. Each value is the name in lower case.

    Attributes:
        REAL: The time that really passed.
        VIRTUAL: A clock that jumps to the next timer instead of waiting for it.
    """

    REAL = "real"
    VIRTUAL = "virtual"


class ResourceKind(StrEnum):
    """Kinds of resources, with what is limited. Each value is the name in lower case.

    Attributes:
        SEMAPHORE: How many may hold it.
        LOCK: Only one may hold it.
        QUEUE: Its length.
        EXECUTOR: How many of its workers can be busy.
        POOL: How many of its connections can be in use.
    """

    SEMAPHORE = "semaphore"
    LOCK = "lock"
    QUEUE = "queue"
    EXECUTOR = "executor"
    POOL = "pool"


_PACKAGES = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Site:
    """A place in source code.

    Attributes:
        file: The file, as the program names it.
        line: The line number, from 1.
        function: The function that the line is in, if known.
    """

    file: str
    line: int
    function: str = ""

    @property
    def installed(self) -> bool:
        """Whether it is in an installed package, and so not the user's own code."""
        return any(part in _PACKAGES for part in re.split(r"[/\\]", self.file))
