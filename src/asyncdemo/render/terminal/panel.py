"""One run while it happens: takes the runner's events, and can be drawn at any time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from asyncdemo.model import Outcome, Run, Site, State
from asyncdemo.render.facts.moments import explain
from asyncdemo.render.terminal.draw import Line, text_line, timeline_lines, title_line
from asyncdemo.render.terminal.output import Tail
from asyncdemo.render.terminal.theme import DIM, WARNING, Theme
from asyncdemo.render.timeline.accumulator import Accumulator
from asyncdemo.render.timeline.grid import STATE_OF, Grid, Shade, shade_of
from asyncdemo.render.timeline.layout import extent_ns
from asyncdemo.render.timeline.legend import SHADE_WORDS
from asyncdemo.render.words import count, duration, fit, place, status
from asyncdemo.render.wrapping import wrap

_NEAR_NS = 1_000_000
"""The maximum difference between two time stamps of the start of the same step."""

_STALE_NS = 500_000_000
"""A block without news for this long is over."""

_WIDTH = 80
"""The width of a panel that has not been drawn yet."""

_STATES = (Shade.RUNNING, Shade.READY, Shade.WAITING, Shade.QUEUED, Shade.UNKNOWN)


class LivePanel:
    """A listener to a recording's lanes or requests. Times count from the first one's open.

    The listener learns that a loop is blocked, but not by which lane. It draws as blocking all lanes that
    have been running since the start of the step, and those that open, running, during it (calls of a
    function within the step). The final report has the exact track.
    """

    def __init__(self, name: str, noun: str = "lane", head: int | None = None) -> None:
        """``noun``: what the rows are. ``head``: how many never fold."""
        self.name = name
        self.noun = noun
        self.output_tail = Tail()
        self.now_ns = 0
        self.ended_how: set[str] = set()
        self.cells = Accumulator(head=head)
        self.names: list[str] = []
        self._ends: list[str] = []
        self._opened: dict[int, int] = {}
        self._first_wait = "accept" if noun == "request" else ""
        """What a row that opens as queued is waiting for."""
        self._zero_ns: int | None = None
        self.started = False
        self._status = ""
        self._blocked: tuple[int, int, str] | None = None
        self._longest: tuple[int, str] | None = None
        self._blocking: set[int] = set()
        self._still: tuple[str, ...] = ()
        self._still_since_ns: int | None = None
        self._width = _WIDTH

    # events from the runner

    def lane_opened(self, lane: int, name: str, at_ns: int, state: State) -> None:
        if self._zero_ns is None:
            self._zero_ns = at_ns
            self.started = True
        at = self._at(at_ns)
        missing = lane + 1 - len(self.names)
        self.names += [""] * missing
        self._ends += [""] * missing
        self.names[lane] = name
        self._opened[lane] = at
        self.cells.lane_opened(lane, at, self._shade(lane, state, at, self._first_wait))

    def lane_changed(self, lane: int, at_ns: int, state: State, reason: str) -> None:
        at = self._at(at_ns)
        if self._blocked is None:
            self.cells.lane_changed(lane, at, shade_of(state, reason))
        else:
            self._is_over(lane, at)
            self.cells.lane_changed(lane, at, self._shade(lane, state, at, reason))

    def lane_closed(self, lane: int, at_ns: int, outcome: Outcome) -> None:
        at = self._at(at_ns)
        self._is_over(lane, at)
        if lane in self._opened:
            self._ends[lane] = outcome
            self.ended_how.add(outcome)
            self.cells.lane_closed(lane, at, self._opened.pop(lane))

    def loop_blocked(self, since_ns: int, now_ns: int, site: Site | None, called_from: Site | None) -> None:
        since, now = self._at(since_ns), self._at(now_ns)
        where = place(site, called_from)
        new = self._blocked is None or self._blocked[0] != since
        self._blocked = since, now, where
        if self._longest is None or now - since > self._longest[0]:
            self._longest = now - since, where
        if new:
            self._blocking.clear()
            for lane, running_since in self.cells.running_since().items():
                if self._is_of_the_step(running_since, since, self._opened.get(lane)):
                    self.cells.lane_changed(lane, running_since, Shade.BLOCKING)
                    self._blocking.add(lane)

    def clock(self, now_ns: int) -> None:
        self.started = True
        if self._zero_ns is not None and not self._status:
            self.now_ns = self._at(now_ns)

    def output(self, stream: str, text: str) -> None:
        self.started = True
        self.output_tail.add(stream, text)

    def stalled(self, still: Run | None, late: bool, for_ns: int) -> None:
        """Note that nothing is happening in the run, or that it continues.

        Args:
            still: The run so far if nothing is happening in it; None if it is making progress.
            late: It was asked to end, and has not.
            for_ns: How long nothing has happened, in nanoseconds.
        """
        sentences, _ = explain(still, late)
        self.stands_still(sentences, None if late else for_ns)

    def stands_still(self, sentences: Sequence[str], for_ns: int | None) -> None:
        """Show why nothing is happening; without sentences, the run continues.

        ``for_ns`` is how long nothing has happened. If None, something may have, but the sentences hold.
        """
        self._still = tuple(sentences)
        self._still_since_ns = None if for_ns is None else self.now_ns - for_ns

    # queries from the view

    def ended(self, run: Run) -> None:
        """Stop the clock and show how the run ended."""
        self.started = True
        self._status = f"{duration(extent_ns(run))}, {status(run)}"
        self._blocked = None
        self._still = ()
        self.now_ns = max(extent_ns(run), self.cells.last_ns)

    def column_ns(self, columns: int, bin_ns: int) -> int:
        """Return the column width for this run, in bins as wide as those of the widest panel."""
        self.cells.widen(bin_ns)
        return self.cells.column_ns(columns, max(self.now_ns, self.cells.last_ns))

    def grid(self, columns: int, rows: int, column_ns: int, head: int | None = None) -> Grid:
        """Return the current picture. If lanes are folded, ``head`` rows keep one lane each."""
        grid = self.cells.grid(columns, rows, column_ns, self.now_ns, self.names, self._ends, head)
        return replace(grid, noun=self.noun)

    @property
    def active(self) -> bool:
        return self.started and not self._status

    @property
    def wanted_height(self) -> int:
        """Lines for a picture without folded lanes."""
        still = len(self._still_lines(self._width))
        if not self.cells.opened:
            return 2 + still
        return 2 + self.cells.opened + (self._blocked is not None or self._longest is not None) + still

    def lines(
        self, theme: Theme, width: int, height: int, gutter: int, column_ns: int, *, counted: bool = True
    ) -> list[Line]:
        """Return at most ``height`` lines (never fewer than four): title, axis, lanes, what blocks.

        ``counted``: if rows are folded, a line for each state shows how many lanes were in it.
        """
        self._width = width
        lines = [title_line(self.name, self.headline, theme, width)]
        still = self._still_lines(width)[: max(height - 3, 1)]
        height -= len(still)
        columns = max(width - gutter, 1)
        if not self.cells.opened:
            words = f"no {self.noun} has opened yet" if self.started else "not started yet"
            return [*lines, text_line(fit(words, width, theme.ellipsis), DIM), *still]
        blocking = self._blocking_lines(theme, width)
        rows = max(height - 2 - len(blocking), 1)
        counts = 0
        if counted and self.cells.opened > rows:
            # If rows are folded, a line says so, and each state has a line of counts if there is room.
            counts = min(len(self.cells.seen), max(rows // 3, 0))
            rows = max(rows - 1 - counts, 1)
        grid = self.grid(columns, rows, column_ns)
        drawn = list(timeline_lines(grid, theme, gutter, counts))
        if not counted and grid.folded:
            drawn = drawn[: 1 + len(grid.rows)]
            now, _, rest = self.headline.partition(", ")
            lines = [title_line(self.name, f"{now}, up to {grid.fold:,} to a row, {rest}", theme, width)]
        return [*lines, *drawn, *blocking, *still]

    def warning_lines(self, theme: Theme, width: int) -> list[Line]:
        """Return what blocks, and why nothing is happening, if so."""
        return [*self._blocking_lines(theme, width), *self._still_lines(width)]

    def _still_lines(self, width: int) -> list[Line]:
        if not self._still:
            return []
        sentences = list(self._still)
        if self._still_since_ns is not None:
            since = duration(max(self.now_ns - self._still_since_ns, 0))
            sentences.insert(0, f"Nothing has happened for {since}.")
        return [
            text_line(part, WARNING) for sentence in sentences for part in wrap(sentence, width, rest="  ")
        ]

    def output_lines(self, theme: Theme, width: int, height: int) -> list[Line]:
        """Return the script's output, marked as not ours; empty if it wrote nothing."""
        lines = self.output_tail.last(height - 1)
        if not lines or height < 2:
            return []
        words = f"output: {count(self.output_tail.total, 'line')}"
        drawn = [text_line(fit(f"{theme.rule * 2} {words}", width, theme.ellipsis), DIM)]
        for stream, text in lines:
            mark = "! " if stream == "stderr" else "  "
            drawn.append(text_line(theme.side + mark + fit(text, width - 3, theme.ellipsis)))
        return drawn

    @property
    def headline(self) -> str:
        """The time so far, and what the lanes are doing; at the end, how it ended."""
        if not self.started and not self.cells.opened:
            return "not started"
        if self._status:
            return self._status
        counts = list(self.cells.counts)
        counts[Shade.RUNNING] += counts[Shade.BLOCKING]
        for shade, state in STATE_OF.items():
            counts[state] += counts[shade]
        at_it = ", ".join(f"{counts[shade]:,} {SHADE_WORDS[shade]}" for shade in _STATES if counts[shade])
        now = duration(max(self.now_ns, self.cells.last_ns))
        return f"{now}, {self.cells.open:,} of {self.cells.opened:,} open" + (f": {at_it}" if at_it else "")

    def _blocking_lines(self, theme: Theme, width: int) -> list[Line]:
        if self._blocked is not None:
            since, now, where = self._blocked
            words = f"blocking: {where or 'somewhere'} for {duration(now - since)}"
            return [text_line(fit(words, width, theme.ellipsis), WARNING)]
        if self._longest is not None:
            length, where = self._longest
            words = f"the loop was blocked: {where or 'somewhere'} for {duration(length)}"
            return [text_line(fit(words, width, theme.ellipsis), DIM)]
        return []

    def _at(self, at_ns: int) -> int:
        """Convert to our axis. Events may be slightly out of order, so the first may not be the earliest."""
        at = at_ns - (self._zero_ns or 0)
        if at > self.now_ns:
            if not self._status:
                self.now_ns = at
        elif at < 0:
            return 0
        if self._blocked is not None and at - self._blocked[1] > _STALE_NS:
            self._blocked = None
        return at

    def _shade(self, lane: int, state: State, at: int, reason: str = "") -> Shade:
        block = self._blocked
        if state is State.RUNNING and block and self._is_of_the_step(at, block[0], self._opened.get(lane)):
            self._blocking.add(lane)
            return Shade.BLOCKING
        return shade_of(state, reason)

    @staticmethod
    def _is_of_the_step(running_since: int, step_start: int, opened: int | None) -> bool:
        """Lanes in the step start with it, or open in it; a thread may start to run at any time."""
        if abs(running_since - step_start) <= _NEAR_NS:
            return True
        return running_since == opened and opened > step_start

    def _is_over(self, lane: int, at: int) -> None:
        """End the block if a lane that blocked changes its state: the loop continues."""
        if lane in self._blocking and self._blocked is not None and at > self._blocked[0]:
            since, _, where = self._blocked
            if self._longest is None or at - since > self._longest[0]:
                self._longest = at - since, where
            self._blocking.clear()
            self._blocked = None
