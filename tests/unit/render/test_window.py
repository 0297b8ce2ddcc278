"""Single rows in a window of time: the same cells as the picture of the whole run has."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from asyncdemo.model import Run, Span, Spans, State, Wait
from asyncdemo.render.timeline.grid import Cell, Grid, Shade
from asyncdemo.render.timeline.layout import cut, lay_out_part, lay_out_run, open_ns
from asyncdemo.render.timeline.window import RowWindows, Window
from tests.support.crowds import crowd
from tests.support.runs import Story, ns
from tests.support.server_runs import pooled, threaded


def drawn(cells: tuple[Cell, ...]) -> list[tuple[Shade, int]]:
    return [(cell.shade, cell.fill) for cell in cells]


def cells_of_rows(grid: Grid) -> list[list[tuple[Shade, int]]]:
    return [drawn(row.cells) for row in grid.rows]


@pytest.mark.parametrize("run", [crowd(1, 40, 30), crowd(2, 30, 200), pooled(20), threaded(20)])
def test_the_whole_run_looks_like_the_picture_of_it(run: Run) -> None:
    windows = RowWindows(run)
    columns, rows = 90, len(windows.run.rows)
    column_ns = -(-windows.length_ns // columns)
    grid = windows.grid(0, rows, Window(0, column_ns, columns))
    assert cells_of_rows(grid) == cells_of_rows(lay_out_run(windows.run, columns, rows, column_ns))
    assert [row.ended for row in grid.rows] == [row.outcome for row in windows.run.rows]


def test_a_stretch_of_it_looks_like_the_picture_of_the_stretch() -> None:
    run = crowd(3, 20, 80)
    windows, zero = RowWindows(run), open_ns(run)
    column_ns, columns = ns(5), 60
    window = Window(ns(400), column_ns, columns)
    part = cut(run, zero + window.start_ns, zero + window.end_ns)
    picture = lay_out_part(part, zero + window.start_ns, zero + window.end_ns, zero, columns, len(part.rows))
    places = [run.rows.index(next(row for row in run.rows if row.name == one.name)) for one in part.rows]
    inside = [cells_of_rows(windows.grid(place, place + 1, window))[0] for place in places]
    assert inside == cells_of_rows(picture)


def test_a_row_of_very_many_spans_is_added_up_exactly() -> None:
    chance, at, spans = Random(7), 0, []
    for _ in range(10_000):
        until = at + chance.randint(1, 5_000)
        spans.append(Span(at, until, State(chance.randrange(2)), Wait()))
        at = until
    story = Story()
    story.task("a").runs(1).returns()
    (lane,) = story.run().lanes
    run = replace(story.run(), lanes=(replace(lane, start_ns=0, end_ns=at, spans=Spans.of(spans)),))
    (row,) = RowWindows(run).grid(0, 1, Window(12_345, at // 50, 30)).rows
    for column, cell in enumerate(row.cells):
        left = 12_345 + column * (at // 50)
        right = left + at // 50
        ran = sum(
            max(min(span.end_ns, right) - max(span.start_ns, left), 0)
            for span in spans
            if span.state is State.RUNNING
        )
        assert cell.counts[Shade.RUNNING] == pytest.approx(ran / (at // 50))


def test_what_was_not_to_be_seen_yet_is_left_out() -> None:
    story = Story()
    story.task("a").sleeps(100).raises("ValueError")
    windows = RowWindows(story.run())
    window = Window(0, ns(10), 10)
    (early,) = windows.grid(0, 1, window, until_ns=ns(35)).rows
    assert [cell.shade is Shade.WAITING for cell in early.cells] == [True] * 4 + [False] * 6
    assert not early.ended
    (late,) = windows.grid(0, 1, window).rows
    assert late.ended == "raised"
