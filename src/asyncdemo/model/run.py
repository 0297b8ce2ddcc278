"""The recording of one variant or script, all together."""

from __future__ import annotations

from dataclasses import dataclass, field

from asyncdemo.model.kinds import Clock, RunOutcome
from asyncdemo.model.noticed import (
    AwaitSequence,
    BlockingCall,
    Delay,
    Holding,
    SlowStep,
    Stuck,
    Unawaited,
    Uncaught,
)
from asyncdemo.model.resources import Resource
from asyncdemo.model.rows import Lane, Request, Track
from asyncdemo.model.summed import SummedTasks
from asyncdemo.model.wakes import Wakes


@dataclass(frozen=True, slots=True)
class MemorySample:
    """What the processes of a run together had at one time.

    Attributes:
        at_ns: When the sample was taken.
        resident_bytes: How much they had in memory.
        virtual_bytes: How much they had reserved.
        threads: How many threads they had.
    """

    at_ns: int
    resident_bytes: int
    virtual_bytes: int
    threads: int


@dataclass(frozen=True, slots=True)
class Run:
    """The recording of one variant or script.

    Attributes:
        name: The variant, or the script.
        script: The file, or the module.
        argv: The arguments of the script.
        python: The version of Python that ran it.
        clock: Whether time was real or virtual.
        outcome: How it ended.
        exit_code: The program's own; None if it was ended before it had one.
        threshold_ns: A step that held a loop longer than this is blocking.
        tracks: Every task and thread that is kept.
        summed: The tasks of which only sums are kept, if there were very many. They have no lanes.
        lanes: The rows: the calls of the named functions if ``named``, else one for each track.
        named: Whether functions were named.
        knobs: Each constant and the value that it ran with.
        resources: What is limited: semaphores, locks, queues, executors, pools.
        wakes: Who made whom ready.
        slow_steps: The steps that held a loop longer than the threshold.
        blocking_calls: The blocking calls made inside steps.
        await_sequences: Awaits that came one after another.
        unawaited: Coroutines that were dropped.
        uncaught: The error that ended the script, if one did.
        left_pending: Indices into ``tracks`` of tasks that were not done when the main task of their loop
            was.
        stuck: Who had not ended, and where, if the run met its time limit or a deadlock, or was interrupted.
        holdings: Who held what at that time.
        idle: Whether the event loops had no timer set and watched no file at that time.
        result: What the function that was run returned, as a Python literal, if it is one.
        requests: Those to a server, in the order in which they were sent. They are drawn instead of the
            lanes.
        memory: The samples of memory, in order of time.
        processes: How many processes were recorded, the script's own included.
        delays: The time that passed before callbacks because the run's schedule says so, in order.
        notes: What a reader must know, in sentences ("the recording is cut off after 2.10 s").
    """

    name: str
    script: str
    argv: tuple[str, ...]
    python: str
    clock: Clock
    outcome: RunOutcome
    exit_code: int | None
    threshold_ns: int
    tracks: tuple[Track, ...]
    lanes: tuple[Lane, ...]
    named: bool = False
    knobs: dict[str, int | float | str | bool] = field(default_factory=dict)
    resources: tuple[Resource, ...] = ()
    wakes: Wakes = field(default_factory=Wakes)
    slow_steps: tuple[SlowStep, ...] = ()
    blocking_calls: tuple[BlockingCall, ...] = ()
    await_sequences: tuple[AwaitSequence, ...] = ()
    unawaited: tuple[Unawaited, ...] = ()
    uncaught: tuple[Uncaught, ...] = ()
    left_pending: tuple[int, ...] = ()
    stuck: tuple[Stuck, ...] = ()
    holdings: tuple[Holding, ...] = ()
    idle: bool = False
    result: str | None = None
    notes: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    memory: tuple[MemorySample, ...] = ()
    processes: int = 1
    summed: tuple[SummedTasks, ...] = ()
    delays: tuple[Delay, ...] = ()

    @property
    def rows(self) -> tuple[Lane | Request, ...]:
        """What is drawn, a row each: the requests if there are any, else the lanes."""
        return self.requests or self.lanes
