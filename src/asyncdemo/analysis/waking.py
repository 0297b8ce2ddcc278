"""What made a row continue: the wake that ended its last wait, or the track that started it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from asyncdemo.model import Lane, Request, Run, State

_GOES_ON = (State.RUNNING, State.READY)


@dataclass(frozen=True, slots=True)
class Waking:
    """Which track it was, and when. If ``started``, it created the task or thread that had not waited yet."""

    track: int
    at_ns: int
    started: bool = False


def who_woke(run: Run, row: Lane | Request, at_ns: int) -> Waking | None:
    """Return what ended the wait that the row is in at that time or, if it is in none, the wait before.

    None if no track did: a timer or the outside world ended it, or it is unknown.
    """
    starts, states, _, _ = row.spans.columns
    place = bisect_right(starts, at_ns) - 1
    while place >= 0 and states[place] in _GOES_ON:
        place -= 1
    if place < 0:
        return _starter(run, row)
    span = row.spans[place]
    woken = row.track if span.wait.via is None else span.wait.via
    wake = None if woken is None else run.wakes.last(woken, span.end_ns)
    if wake is not None and wake.at_ns >= span.start_ns:
        return Waking(wake.waker, wake.at_ns)
    return None if span.wait.on is None else Waking(span.wait.on, span.end_ns)


def row_at(run: Run, track: int, at_ns: int) -> int | None:
    """Return the row that shows what a track did at that time; for nested calls, the innermost."""
    rows = ((row.start_ns, index) for index, row in enumerate(run.rows) if row.track == track)
    known = sorted(rows)
    opened = [index for start_ns, index in known if start_ns <= at_ns <= run.rows[index].end_ns]
    return opened[-1] if opened else known[0][1] if known else None


def _starter(run: Run, row: Lane | Request) -> Waking | None:
    track = None if row.track is None else run.tracks[row.track]
    if track is None or track.parent is None or row.start_ns > track.start_ns:
        return None
    return Waking(track.parent, track.start_ns, started=True)
