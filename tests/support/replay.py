"""A recorded run fed to a live panel, event by event, as the runner feeds one that goes on.

For tests only.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from asyncdemo.analysis.metrics import blocking_steps
from asyncdemo.model import Run, State
from asyncdemo.render.terminal.panel import LivePanel
from asyncdemo.render.timeline.layout import extent_ns, open_ns

_OPEN, _CHANGE, _CLOSE, _BLOCK = range(4)

_Event = tuple[int, int, int, int, int]
"""(at_ns, which row, index within it, what, state); of a block, which one instead of the index."""


def replay(run: Run, panel: LivePanel, now_ns: int) -> None:
    """Bring a fresh panel to what it showed ``now_ns`` after the first lane opened."""
    blocks, now = blocking_steps(run), open_ns(run) + now_ns
    for event in sorted(_events(run), key=itemgetter(0, 1, 2)):
        if event[0] <= now:
            _tell(run, panel, event)
    for step in blocks:
        if step.start_ns + run.threshold_ns <= now < step.end_ns:
            panel.loop_blocked(step.start_ns, now, step.site, step.called_from)
    panel.clock(now)
    if now_ns >= extent_ns(run):
        panel.ended(run)


def _tell(run: Run, panel: LivePanel, event: _Event) -> None:
    at_ns, index, within, what, state = event
    if what == _BLOCK:
        step = blocking_steps(run)[within]
        panel.loop_blocked(step.start_ns, at_ns, step.site, step.called_from)
        return
    row = run.rows[index]
    if what == _CHANGE:
        panel.lane_changed(index, at_ns, State(state), row.spans[within].wait.reason)
    elif what == _OPEN:
        panel.lane_opened(index, row.name, at_ns, State(state))
    else:
        panel.lane_closed(index, at_ns, row.outcome)


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
