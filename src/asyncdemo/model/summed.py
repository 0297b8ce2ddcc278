"""Tasks of which only sums are kept, as a run may have a million of them."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.kinds import Outcome
from asyncdemo.model.site import Site

__all__ = ["SummedTasks"]


@dataclass(frozen=True, slots=True)
class SummedTasks:
    """Tasks that are no tracks and no lanes of the run: those of one function that ended in one way.

    function: that they ran. outcome: how they ended. starts_ns, ends_ns: when each of them was there.
    steps: how often an event loop ran them, all together. running_ns, ready_ns, waiting_ns: in sum; none of
    them queued for anything. longest_step_ns: of any of them. longest_work_ns: the most that one of them
    ran and waited, but for waiting for other lanes. parent: index of the track that made them. thread: index
    of the track of the thread whose loop ran them. site: where the function is defined.
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
