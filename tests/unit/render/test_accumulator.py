"""Growing pictures: merging bins and rows changes the resolution and nothing else."""

from __future__ import annotations

import random

import pytest

from asyncdemo.render.timeline.accumulator import Accumulator
from asyncdemo.render.timeline.grid import Grid, Shade

STATES = (Shade.RUNNING, Shade.READY, Shade.WAITING, Shade.QUEUED)


def live_through(cells: Accumulator, lanes: int, changes: int) -> int:
    """Lanes that open one after another and change at random; returns when the last one closed."""
    chance = random.Random(1)
    events = []
    for lane in range(lanes):
        at = lane * 1_000
        events.append((at, lane, "open"))
        for _ in range(changes):
            at += chance.randrange(1, 1_000_000)
            events.append((at, lane, "change"))
        events.append((at + 1, lane, "close"))
    for at, lane, what in sorted(events):
        if what == "open":
            cells.lane_opened(lane, at, chance.choice(STATES))
        elif what == "change":
            cells.lane_changed(lane, at, chance.choice(STATES))
        else:
            cells.lane_closed(lane, at)
    return max(events)[0]


def drawn(cells: Accumulator, until_ns: int, rows: int = 12, columns: int = 30) -> Grid:
    return cells.grid(columns, rows, cells.column_ns(columns, until_ns), until_ns)


def totals(grid: Grid) -> list[float]:
    return [sum(counts[shade] for counts in grid.totals) * grid.column_ns for shade in STATES]


@pytest.mark.parametrize("lanes", [1, 40, 200])
def test_bins_and_rows_that_merged_hold_the_same_time(lanes: int) -> None:
    coarse = Accumulator(bins=32, bin_ns=10, rows=12)
    fine = Accumulator(bins=4_096, bin_ns=100_000, rows=lanes)
    end = live_through(coarse, lanes, 10)
    assert end == live_through(fine, lanes, 10)
    assert totals(drawn(coarse, end)) == pytest.approx(totals(drawn(fine, end, rows=lanes)))


def test_merged_bins_give_the_same_picture_as_bins_of_that_width() -> None:
    grown = Accumulator(bins=64, bin_ns=10, rows=10)
    end = live_through(grown, 10, 20)
    fixed = Accumulator(bins=64, bin_ns=grown.bin_ns, rows=10)
    live_through(fixed, 10, 20)
    assert grown.bin_ns > 10
    assert drawn(grown, end) == drawn(fixed, end)


def test_what_is_open_is_drawn_up_to_now_and_no_further() -> None:
    cells = Accumulator(bin_ns=10)
    cells.lane_opened(0, 0, Shade.WAITING)
    (row,) = cells.grid(20, 5, 10, 55).rows
    assert [cell.open for cell in row.cells] == [1, 1, 1, 1, 1, 0.5]


def test_a_lane_cannot_go_back_in_time() -> None:
    cells = Accumulator(bin_ns=10)
    cells.lane_opened(0, 100, Shade.WAITING)
    cells.lane_changed(0, 40, Shade.RUNNING)
    cells.lane_closed(0, 30)
    assert cells.last_ns == 100
    assert cells.open == 0


def test_a_clock_that_jumps_far_costs_a_few_merges() -> None:
    cells = Accumulator(bins=8, bin_ns=1)
    cells.lane_opened(0, 0, Shade.WAITING)
    cells.lane_changed(0, 10**15, Shade.RUNNING)
    assert cells.bin_ns * 8 > 10**15


def test_as_many_rows_as_asked_for_keep_one_lane_each() -> None:
    cells = Accumulator(rows=16, head=12)
    until = live_through(cells, lanes=40, changes=3)
    grid = cells.grid(30, 8, cells.column_ns(30, until), until, head=7)
    assert [row.size for row in grid.rows] == [1] * 7 + [33]
    grid = cells.grid(30, 14, cells.column_ns(30, until), until, head=13)
    assert [row.size for row in grid.rows][:12] == [1] * 12
    assert sum(row.size for row in grid.rows) == 40
