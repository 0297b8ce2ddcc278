"""Tasks of which only sums are kept, as a run may have a million of them."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.kinds import Outcome
from asyncdemo.model.site import Site


@dataclass(frozen=True, slots=True)
class SummedTasks:
    """Tasks that are no tracks and no lanes of the run: those of one function that ended in one way.

    Attributes:
        function: The function that they ran.
        outcome: How they ended.
        starts_ns: When each of them began.
        ends_ns: When each of them ended.
        steps: How often an event loop ran them, all together.
        running_ns: How long they ran, all together.
        ready_ns: How long they were ready, all together.
        waiting_ns: How long they waited, all together. None of them queued for anything.
        longest_step_ns: The longest step of any of them.
        longest_work_ns: The most that one of them ran and waited, without its waits for other lanes.
        parent: Index into ``Run.tracks`` of the one that made them.
        thread: Index into ``Run.tracks`` of the thread whose loop ran them.
        site: Where the function is defined.
    """

    function: str
    outcome: Outcome
    starts_ns: tuple[int, ...]
    ends_ns: tuple[int, ...]
    steps: int
    running_ns: int
    ready_ns: int
    waiting_ns: int
    longest_step_ns: int
    longest_work_ns: int
    parent: int | None = None
    thread: int | None = None
    site: Site | None = None
