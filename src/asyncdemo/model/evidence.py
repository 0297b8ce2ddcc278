"""Which stretch of a run shows that something happened, or did not."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.run import Run

__all__ = ["Evidence"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The stretch of a run that shows a fault; ``render.terminal.evidence`` draws it.

    run: the whole recording. lanes: indices into ``run.lanes``, those that matter. start_ns, end_ns: when.
    requests: indices into ``run.requests``, where these are what matters.
    """

    run: Run
    lanes: tuple[int, ...]
    start_ns: int
    end_ns: int
    requests: tuple[int, ...] = ()
