"""The recording of one run, as data: what every track and lane did, and when.

No I/O, no clock, no asyncio. All times are integer nanoseconds on the run's clock; only differences mean
anything.
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
    PoolWords,
    Resource,
    Slot,
    SlowStep,
    Stuck,
    Unawaited,
    Uncaught,
)
from asyncdemo.model.run import (
    Answer,
    CountedLanes,
    Evidence,
    Gap,
    Lane,
    MemorySample,
    Request,
    Run,
    Track,
    lineage,
)
from asyncdemo.model.spans import LOOPS, NO_WAIT, Span, Spans, Wait, Wake, Wakes

__all__ = [
    "LOOPS",
    "MOST_STUCK",
    "NO_WAIT",
    "Answer",
    "AwaitSequence",
    "BlockingCall",
    "Clock",
    "Connection",
    "CountedLanes",
    "Delay",
    "Evidence",
    "Gap",
    "Holding",
    "Lane",
    "MemorySample",
    "Outcome",
    "PoolWords",
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
    "Track",
    "TrackKind",
    "Unawaited",
    "Uncaught",
    "Wait",
    "Wake",
    "Wakes",
    "lineage",
]
