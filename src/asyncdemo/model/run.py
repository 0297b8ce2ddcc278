"""The recording of one variant or script, all together."""

from __future__ import annotations

from dataclasses import dataclass, field

from asyncdemo.model.kinds import Clock, RunOutcome
from asyncdemo.model.noticed import AwaitSequence, BlockingCall, Holding, SlowStep, Stuck, Unawaited
from asyncdemo.model.resources import Resource
from asyncdemo.model.rows import Lane, Request, Track
from asyncdemo.model.summed import SummedTasks
from asyncdemo.model.wakes import Wakes

__all__ = ["MemorySample", "Run"]


@dataclass(frozen=True, slots=True)
class MemorySample:
    """What the processes of a run together had at one time.

    at_ns: when. resident_bytes: in memory. virtual_bytes: reserved. threads: how many there were.
    """

    at_ns: int
    resident_bytes: int
    virtual_bytes: int
    threads: int


@dataclass(frozen=True, slots=True)
class Run:
    """The recording of one variant or script.

    name: of the variant, or the script. script: the file, or the module. argv: its arguments.
    python: the version that ran it. clock: real or virtual. outcome: how it ended.
    exit_code: the program's own; None if it was ended before it had one.
    threshold_ns: steps that held a loop longer are blocking.
    tracks: every task and thread that is kept. summed: the others, of many tasks that have ended, which have
    no lanes. lanes: the rows: the calls of the named functions if ``named``, else one
    per track. named: functions were named. knobs: constant -> the value that it ran with.
    resources: what is limited: semaphores, locks, queues, executors, pools. wakes: who made whom ready.
    slow_steps: that held a loop longer than the threshold. blocking_calls: inside steps.
    await_sequences: awaits that came one after another. unawaited: coroutines that were dropped.
    left_pending: tracks of tasks that were not done when their loop's main task was.
    stuck: who had not ended, and where, if the run met its time limit or a deadlock, or was interrupted.
    holdings: who held what then. idle: event loops had no timer set and watched no file then.
    result: what the function returned that was run, as a Python literal, if it is one.
    requests: to a server, in the order in which they were sent; they are drawn instead of the lanes.
    memory: in order of time. processes: how many were recorded, the script's own included.
    notes: what a reader must know, in sentences ("the recording is cut off after 2.10 s").
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

    @property
    def rows(self) -> tuple[Lane | Request, ...]:
        """What is drawn, a row each."""
        return self.requests or self.lanes
