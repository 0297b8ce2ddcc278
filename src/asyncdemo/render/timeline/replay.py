"""A recorded run told again to a live panel, event by event, as the runner told it.

Not for: the pace of it (the caller says how far), reading files (``store``).
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from asyncdemo.analysis.metrics import blocking_steps
from asyncdemo.model import Run, State
from asyncdemo.render.terminal.panel import LivePanel
from asyncdemo.render.timeline.layout import extent_ns, open_ns

__all__ = ["Replay", "replay"]

_OPEN, _CHANGE, _CLOSE, _BLOCK = range(4)

_Event = tuple[int, int, int, int, int]
"""(at_ns, which row, index within it, what, state); of a block, which one instead of the index."""


class Replay:
    """Tells ``run`` to ``panel``, up to a time that only grows; zero is the first row's open."""

    def __init__(self, run: Run, panel: LivePanel) -> None:
        self.length_ns = extent_ns(run)
        self.done = False
        self._run = run
        self._panel = panel
        self._zero_ns = open_ns(run)
        self._blocks = blocking_steps(run)
        self._events = sorted(_events(run), key=itemgetter(0, 1, 2))
        self._next = 0

    def advance(self, now_ns: int) -> None:
        now = self._zero_ns + max(now_ns, 0)
        events, at = self._events, self._next
        while at < len(events) and events[at][0] <= now:
            self._tell(events[at])
            at += 1
        self._next = at
        for step in self._blocks:
            if step.start_ns + self._run.threshold_ns <= now < step.end_ns:
                self._panel.loop_blocked(step.start_ns, now, step.site, step.called_from)
        self._panel.clock(now)
        if now_ns >= self.length_ns and not self.done:
            self.done = True
            self._panel.ended(self._run)

    def _tell(self, event: _Event) -> None:
        at_ns, index, within, what, state = event
        if what == _BLOCK:
            step = self._blocks[within]
            self._panel.loop_blocked(step.start_ns, at_ns, step.site, step.called_from)
            return
        row = self._run.rows[index]
        if what == _CHANGE:
            self._panel.lane_changed(index, at_ns, State(state), row.spans[within].wait.reason)
        elif what == _OPEN:
            self._panel.lane_opened(index, row.name, at_ns, State(state))
        else:
            self._panel.lane_closed(index, at_ns, row.outcome)


def replay(run: Run, panel: LivePanel, now_ns: int) -> None:
    """Bring a fresh panel to what it showed ``now_ns`` after the first lane opened."""
    Replay(run, panel).advance(now_ns)


def _events(run: Run) -> Iterator[_Event]:
    for which, step in enumerate(blocking_steps(run)):
        # It is known to block once it has done so for as long as is tolerated.
        yield min(step.start_ns + run.threshold_ns, step.end_ns), -1, which, _BLOCK, 0
    for index, row in enumerate(run.rows):
        starts, states, _, _ = row.spans.columns
        yield row.start_ns, index, -1, _OPEN, states[0] if states else State.READY
        for at, (start_ns, state) in enumerate(zip(starts, states, strict=True)):
            yield start_ns, index, at, _CHANGE, state
        yield row.end_ns, index, len(starts), _CLOSE, State.RUNNING
