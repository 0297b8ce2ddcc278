"""Add the waits of a thread that ``capture.blocking.off_cpu`` saw from outside to its spans."""

from __future__ import annotations

from collections.abc import Sequence

from asyncdemo.model import Spans, State
from asyncdemo.recording.assembly.spans import SpansBuilder

Piece = tuple[int, int, int]
"""(start_ns, end_ns, index of the cause)"""


def with_waits(spans: Spans, pieces: Sequence[Piece]) -> Spans:
    """Add waits where the thread shows as running; elsewhere, what it reported itself is more reliable.

    Pieces must be in order of time.
    """
    starts, states, waits, end_ns = spans.columns
    builder = SpansBuilder()
    first = 0
    for position, start_ns in enumerate(starts):
        builder.add(start_ns, State(states[position]), waits[position])
        stop_ns = starts[position + 1] if position + 1 < len(starts) else end_ns
        while first < len(pieces) and pieces[first][1] <= start_ns:
            first += 1
        if states[position] != State.RUNNING:
            continue
        seen_until_ns = start_ns
        for number in range(first, len(pieces)):
            piece_start_ns, piece_end_ns, cause = pieces[number]
            if piece_start_ns >= stop_ns:
                break
            builder.add(max(piece_start_ns, start_ns), State.WAITING, cause)
            seen_until_ns = max(seen_until_ns, piece_end_ns)
            goes_on = number + 1 < len(pieces) and pieces[number + 1][0] <= seen_until_ns
            if seen_until_ns < stop_ns and not goes_on:
                builder.add(seen_until_ns, State.RUNNING, waits[position])
    return builder.build(end_ns, spans.causes)
