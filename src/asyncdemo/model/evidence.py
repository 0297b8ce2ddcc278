"""Which stretch of a run shows that something happened, or did not."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model.run import Run


@dataclass(frozen=True, slots=True)
class Evidence:
    """The stretch of a run that shows a fault; ``render.terminal.evidence`` draws it.

    Attributes:
        run: The whole recording.
        lanes: Indices into ``run.lanes`` of those that matter.
        start_ns: When the stretch begins.
        end_ns: When it ends.
        requests: Indices into ``run.requests``, if these are what matters.
    """

    run: Run
    lanes: tuple[int, ...]
    start_ns: int
    end_ns: int
    requests: tuple[int, ...] = ()
