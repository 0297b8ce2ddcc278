"""What a cell shows is what happened in it, and nothing that happened is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.model import Resource, Run
from asyncdemo.render.timeline.grid import Grid, Row, Shade
from asyncdemo.render.timeline.layout import extent_ns, lay_out, open_ns, pieces, tick_ns
from tests.support.runs import Story, Teller, ns
from tests.support.screens import cells_of, picture


def laid_out(run: Run, columns: int = 60, rows: int = 20) -> Grid:
    (grid,) = lay_out([run], columns, rows)
    return grid


def only_row(run: Run, columns: int = 60) -> Row:
    (row,) = laid_out(run, columns).rows
    return row


@pytest.mark.parametrize(
    ("tell", "glyphs"),
    [
        (lambda task, lock: task.sleeps(30).is_ready(20).queues(lock, 10), "───▒▒•"),  # the main state
        (lambda task, _: task.sleeps(500).runs(0.001).sleeps(500), "──▏──"),  # running, however short
        (lambda task, _: task.sleeps(5_100).blocks(60).sleeps(5_000), "──────────×─────────"),
        (lambda task, _: task.runs(100).blocks(100).runs(100), "█╳█"),  # a part of a span
        (lambda task, _: task.blocks(60, stolen_ms=55), "███"),  # the system took it
    ],
)
def test_a_cell_shows_what_happened_in_it(tell: Callable[[Teller, Resource], object], glyphs: str) -> None:
    story = Story()
    tell(story.task("a"), story.lock())
    assert picture(only_row(story.run(), len(glyphs))) == glyphs


def test_lane_of_many_small_steps_shows_the_states_between_them() -> None:
    story = Story()
    task = story.task("a")
    for _ in range(100):
        task.is_ready(9).runs(1)
    glyphs = picture(only_row(story.run(), 20))
    assert glyphs.count("▏") == 10
    assert glyphs.count("▒") == 10


@pytest.mark.parametrize("at", [0, 50, 100])
def test_a_lane_without_length_shows(at: int) -> None:
    story = Story()
    story.task("a").sleeps(100).returns()
    story.task("b", at=at).returns()
    row = laid_out(story.run(), 10).rows[1]
    assert len(cells_of(row, Shade.RUNNING)) == 1


class TestFolding:
    def crowd(self, lanes: int) -> Run:
        story = Story()
        for i in range(lanes):
            story.task(f"t{i}").sleeps(100).returns()
        return story.run()

    @pytest.mark.parametrize(
        ("lanes", "rows"), [(21, 1), (21, 20), (50, 2), (50, 7), (333, 1), (333, 7), (333, 20)]
    )
    def test_every_lane_is_in_exactly_one_row(self, lanes: int, rows: int) -> None:
        grid = laid_out(self.crowd(lanes), 5, rows)
        assert len(grid.rows) <= rows
        covered = [lane for row in grid.rows for lane in range(row.first, row.first + row.size)]
        assert covered == list(range(lanes))

    def test_the_first_rows_keep_one_lane_each(self) -> None:
        grid = laid_out(self.crowd(1_000), rows=21)
        assert [row.label for row in grid.rows[:8]] == [f"t{i}" for i in range(7)] + ["t7-77"]
        assert grid.folded == 993

    def test_cells_say_how_many_lanes_are_in_each_state(self) -> None:
        story = Story()
        lock = story.lock()
        for _ in range(30):
            story.task("w").sleeps(100).returns()
        for _ in range(10):
            story.task("q").queues(lock, 100).returns()
        (row,) = laid_out(story.run(), 10, 1).rows
        assert {cell.counts[:5] for cell in row.cells[:-1]} == {(0, 0, 30, 10, 0)}
        assert {cell.shade for cell in row.cells} == {Shade.WAITING}

    def test_one_that_blocks_among_thousands_shows(self) -> None:
        story = Story()
        for i in range(2_000):
            task = story.task(f"t{i}")
            (task.blocks(60).sleeps(40) if i == 1_234 else task.sleeps(100)).returns()
        grid = laid_out(story.run(), 10, 6)
        showing = [row for row in grid.rows if cells_of(row, Shade.BLOCKING)]
        assert [row.first <= 1_234 < row.first + row.size for row in showing] == [True]


_stretches = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5_000)), min_size=1, max_size=12)


@given(st.lists(st.tuples(st.integers(0, 3_000), _stretches), min_size=1, max_size=12), st.integers(1, 90))
def test_no_time_is_lost_or_invented(lanes: list[tuple[int, list[tuple[int, int]]]], columns: int) -> None:
    story = Story()
    lock = story.lock()
    for at, stretches in lanes:
        task = story.task("t", at=at)
        for state, ms in stretches:
            (task.runs, task.is_ready, task.sleeps, lambda ms, to=task: to.queues(lock, ms))[state](ms)
        task.returns()
    run = story.run()
    grid = laid_out(run, columns, 4)
    drawn = sum(cell.open for row in grid.rows for cell in row.cells) * grid.column_ns
    assert drawn == pytest.approx(sum(lane.end_ns - lane.start_ns for lane in run.lanes))
    zero = open_ns(run)
    for row in grid.rows:
        for index in range(row.first, row.first + row.size):
            for piece in pieces(run.lanes[index], {}):
                first = (piece.start_ns - zero) // grid.column_ns
                assert row.cells[first].counts[piece.shade] > 0
    assert columns * grid.column_ns >= extent_ns(run)


@pytest.mark.parametrize(("scale_ms", "room", "step_ms"), [(3_000, 6, 500), (300, 6, 50), (302, 3, 200)])
def test_ticks_are_round(scale_ms: int, room: int, step_ms: int) -> None:
    assert tick_ns(ns(scale_ms), room) == ns(step_ms)
