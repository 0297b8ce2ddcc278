"""The recording of one run, as data: what every track and lane did, and when.

No I/O, no clock, no asyncio. All times are integer nanoseconds on the run's clock; only differences mean
anything. Not here: measuring (see ``metrics``), judging (``diagnose``), files (``store``) or drawing
(``render``).
"""

from __future__ import annotations

from asyncdemo.model.kinds import Clock, Outcome, ResourceKind, RunOutcome, Site, State, TrackKind
from asyncdemo.model.observations import (
    MOST_STUCK,
    AwaitSequence,
    BlockingCall,
    Connection,
    Delay,
    Holding,
    Resource,
    Slot,
    SlowStep,
    Stuck,
    Unawaited,
    Uncaught,
)
from asyncdemo.model.run import (
    Answer,
    Evidence,
    Lane,
    MemorySample,
    Request,
    Run,
    SummedTasks,
    Track,
    lineage,
)
from asyncdemo.model.spans import LOOPS, NO_WAIT, CoarseSpans, Span, Spans, Wait, Wake, Wakes

__all__ = [
    "LOOPS",
    "MOST_STUCK",
    "NO_WAIT",
    "Answer",
    "AwaitSequence",
    "BlockingCall",
    "Clock",
    "CoarseSpans",
    "Connection",
    "Delay",
    "Evidence",
    "Holding",
    "Lane",
    "MemorySample",
    "Outcome",
    "Request",
    "Resource",
    "ResourceKind",
    "Run",
    "RunOutcome",
    "Site",
    "Slot",
    "SlowStep",
    "Span",
    "Spans",
    "State",
    "Stuck",
    "SummedTasks",
    "Track",
    "TrackKind",
    "Unawaited",
    "Uncaught",
    "Wait",
    "Wake",
    "Wakes",
    "lineage",
]
