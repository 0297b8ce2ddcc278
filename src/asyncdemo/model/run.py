"""The recording of one variant or script as a whole, and a stretch of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from asyncdemo.model.kinds import Clock, RunOutcome
from asyncdemo.model.observations import (
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
from asyncdemo.model.rows import Lane, Request, SummedTasks, Track
from asyncdemo.model.wakes import Wakes


@dataclass(frozen=True, slots=True)
class MemorySample:
    """The memory and threads of all processes of a run at one moment.

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
        exit_code: The program's own; None if it was stopped before it had one.
        threshold_ns: A step that held a loop longer than this is blocking.
        tracks: Every task and thread that was kept.
        summed: The tasks of which only sums are kept, if there were very many. They have no lanes.
        lanes: The rows: the calls of the named functions if ``named``, else one for each track.
        named: Whether functions were named.
        knobs: Each constant and the value that it ran with.
        resources: Semaphores, locks, queues, executors and pools.
        wakes: Which track made which ready, and when.
        slow_steps: The steps that held a loop longer than the threshold.
        blocking_calls: The blocking calls made inside steps.
        await_sequences: Consecutive awaits.
        unawaited: Coroutines that were dropped.
        uncaught: The error that ended the script, if one did.
        left_pending: Indices into ``tracks`` of the tasks still pending when the main task of their loop
            finished.
        stuck: The tasks and threads that had not ended, and where they were, if the run met its time limit or
            a deadlock, or was interrupted.
        holdings: Who held what at that time.
        idle: Whether the event loops had no timer set and watched no file at that time.
        result: What the function that was run returned, as a Python literal, if it has one.
        requests: Requests to a server, in the order in which they were sent. They are drawn instead of the
            lanes.
        memory: The memory samples, in order of time.
        processes: How many processes were recorded, the script's own included.
        delays: The delays before callbacks that the run's schedule asked for, in order.
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
        """The rows that are drawn: the requests if there are any, else the lanes."""
        return self.requests or self.lanes


@dataclass(frozen=True, slots=True)
class Evidence:
    """The stretch of a run that shows a fault; ``render.terminal.evidence`` draws it.

    Attributes:
        run: The whole recording.
        lanes: Indices into ``run.lanes`` of the lanes that matter.
        start_ns: When the stretch begins.
        end_ns: When it ends.
        requests: Indices into ``run.requests``, if requests are what matters.
    """

    run: Run
    lanes: tuple[int, ...]
    start_ns: int
    end_ns: int
    requests: tuple[int, ...] = ()
