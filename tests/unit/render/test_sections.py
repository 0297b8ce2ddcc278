"""Requests, pools and memory on a terminal: every width, every set of glyphs, one axis for all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from asyncdemo.model import Run
from asyncdemo.render.terminal.report import report_lines
from asyncdemo.render.terminal.sections import count_lines, counted
from asyncdemo.render.terminal.slides import timeline
from asyncdemo.render.terminal.theme import ASCII, UNICODE, Theme
from asyncdemo.render.timeline.curves import column_values, memory_curves, most_of
from asyncdemo.render.timeline.window import Window
from tests.support.runs import Story, at_line, ns
from tests.support.screens import text_of
from tests.support.server_runs import one_at_a_time, pooled, threaded


def report(*runs: Run, width: int = 100, theme: Theme = UNICODE, rows: int = 60) -> list[str]:
    return text_of(list(report_lines(runs, theme, width, rows)))


def row(lines: list[str], name: str) -> str:
    return next(line for line in lines if line.startswith(f"{name} "))


class TestRequests:
    def test_are_the_rows_in_the_order_in_which_they_were_sent(self) -> None:
        rows = [line[:14] for line in report(one_at_a_time(5)) if line.startswith("POST ")]
        assert rows == [f"POST /upload {number}" for number in range(1, 6)]

    def test_show_what_they_wait_for(self) -> None:
        lines = report(one_at_a_time(5))
        first, last = row(lines, "POST /upload 1"), row(lines, "POST /upload 5")
        assert "·" not in first
        assert last.count("·") == pytest.approx(4 * last.count("─"), rel=0.15)
        assert [word in report(pooled(8))[2] for word in "≈≡═"] == [True] * 3

    def test_are_explained_where_they_occur_and_nowhere_else(self) -> None:
        legend = " ".join(report(threaded(10), width=200))
        for words in (
            "··· not accepted by the server yet",
            "┊┊┊ waiting for a worker thread",
            "››› handled, the response is under way",
            "‹‹‹ not sent by the client yet",
            "✗ failed",
        ):
            assert words in legend
        story = Story()
        story.task("brew(0)").sleeps(10).returns()
        assert "accepted" not in " ".join(report(story.run(), width=200))

    def test_many_requests_share_rows_and_are_counted_by_state(self) -> None:
        lines = report(threaded(200, limit=20), rows=24)
        assert any("requests folded" in line and "of all 201, on average:" in line for line in lines)
        labels = [line.split()[0] for line in lines if "█" in line[:22]]
        assert {"waiting", "queued", "accept", "thread", "response"} <= set(labels)


class TestPools:
    def test_stand_below_the_rows_with_a_line_for_each_connection(self) -> None:
        lines = report(pooled(20, connections=3))
        at = lines.index("redis pool  limit 3: 3 connections opened, up to 17 queued, made at app.py:9")
        assert at > lines.index(row(lines, "GET /films/7/ 20"))
        assert [line.split("  ")[0] for line in lines[at + 1 : at + 5]] == [
            "redis 1",
            "redis 2",
            "redis 3",
            " queued",
        ]

    def test_name_who_holds_a_connection_as_far_as_there_is_room(self) -> None:
        wide, narrow = (row(report(pooled(10, connections=2), width=width), "redis 1") for width in (200, 60))
        assert "▄GET /films/7/ 3▄" in wide
        assert "GET" not in narrow and "▄3▄" in narrow

    def test_say_how_many_queued(self) -> None:
        lines = report(pooled(50, connections=5))
        queued = next(line for line in lines if line.startswith(" queued") and "█45 " in line)
        heights = [" ▁▂▃▄▅▆▇█".index(glyph) for glyph in queued.split("█45 ")[1].rstrip()]
        assert heights[2:] == sorted(heights[2:], reverse=True)

    def test_of_many_connections_are_folded_and_explained(self) -> None:
        lines = report(pooled(100, connections=40))
        assert any("connections folded, up to" in line for line in lines)
        assert any("connection opening" in line for line in lines)

    def test_more_than_a_few_are_not_all_drawn_and_that_is_said(self) -> None:
        story = Story()
        for name in ("a", "b", "c", "d", "e", "f"):
            task = story.task(name).sleeps(10).returns()
            story.connection(story.pool(1, name=name), 0, 1, uses=[(task, 1, 9)])
        lines = report(story.run())
        assert sum(" pool  limit 1" in line for line in lines) == 4
        assert "and 2 more pools: --json has them all" in lines


class TestMemory:
    def test_has_a_curve_with_the_ends_of_its_axis(self) -> None:
        lines = report(pooled(20))
        at = next(at for at, line in enumerate(lines) if line.startswith("resident memory"))
        assert lines[at] == "resident memory  41.0 MB at first, 47.0 MB at most"
        assert lines[at + 1].split("│")[0].strip() == "47.0 MB"
        assert lines[at + 3].split("│")[0].strip() == "0"
        assert set(lines[at + 3].split("│ ")[1].rstrip()) == {"█"}

    def test_of_two_runs_has_one_scale(self) -> None:
        small, large = pooled(5), pooled(45)
        tops = [line.split("│")[0].strip() for line in report(small, large, width=60) if "MB│" in line]
        assert len(tops) == 4
        assert tops[0] == tops[2] and tops[1] == tops[3]


SERVERS = (pooled(50), one_at_a_time(50), threaded(200))


@pytest.mark.parametrize("width", [20, 60, 100, 200])
@pytest.mark.parametrize("theme", [UNICODE, ASCII])
def test_no_line_is_wider_than_the_terminal(width: int, theme: Theme) -> None:
    lines = report(*SERVERS, width=width, theme=theme, rows=24)
    assert max(map(cell_len, lines)) <= width
    assert theme is UNICODE or all(line.isascii() for line in lines)


class TestSlides:
    def test_have_pools_and_memory_where_there_is_room(self) -> None:
        tall = text_of(timeline(pooled(12), [pooled(12)], UNICODE, 120, 45))
        assert len(tall) <= 45
        assert any(line.startswith("redis pool") for line in tall)
        assert any(line.startswith("virtual memory") for line in tall)
        assert sum(line.startswith("GET ") for line in tall) == 12

    def test_have_the_rows_alone_where_there_is_none(self) -> None:
        small = text_of(timeline(pooled(50), [pooled(50)], UNICODE, 80, 24))
        assert len(small) <= 24
        assert not any("memory" in line or line.startswith("redis pool") for line in small)
        assert any("requests folded" in line for line in small)


LIBRARY = "/venv/lib/python3.13/site-packages/lib/map.py"


def used() -> Run:
    story = Story()
    gate = story.semaphore(limit=2, made=at_line(5))
    inner = story.lock(made=at_line(9, file=LIBRARY))
    for i in range(4):
        teller = story.task(f"t{i}").takes(inner).runs(1).gives_back(inner)
        if i > 1:
            teller.queues(gate, 99)
        teller.takes(gate).sleeps(99 if i < 2 else 100).gives_back(gate).returns()
    return story.run()


def bars(window: Window) -> list[str]:
    return [line[12:] for line in text_of(list(count_lines(counted(used()), window, UNICODE, 12)))]


def test_each_resource_of_the_program_has_its_bars() -> None:
    drawn = text_of(list(count_lines(counted(used()), Window(0, ns(50), 4), UNICODE, 12)))
    assert drawn == [
        " open █4    ██▄▄",
        "semaphore: limi…",
        " held █2    ████",
        " queued █2  ██  ",
    ]


def test_a_window_has_the_levels_of_its_time() -> None:
    assert bars(Window(ns(120), ns(10), 3))[0] == "▄▄▄"
    assert bars(Window(ns(20), ns(10), 3))[0] == "███"
    assert bars(Window(ns(500), ns(10), 3))[0].strip() == ""


# memory over time


def sampled(*samples: tuple[float, float], until: float = 100) -> Run:
    story = Story()
    story.task("a").sleeps(until).returns()
    for at, resident_mb in samples:
        story.has_memory(at, resident_mb, 10 * resident_mb)
    return story.run()


def test_resident_and_virtual_memory_have_a_curve_each() -> None:
    resident, virtual = memory_curves(sampled((-10, 40), (10, 50), (20, 45)))
    assert (resident.label, resident.words) == ("resident", "40.0 MB at first, 50.0 MB at most")
    assert resident.points == ((0, 40_000_000), (ns(10), 50_000_000), (ns(20), 45_000_000))
    assert (virtual.label, virtual.most) == ("virtual", 500_000_000)


def test_time_before_the_rows_keeps_only_its_last_value() -> None:
    resident, _ = memory_curves(sampled((-30, 10), (-20, 20), (-10, 30), (200, 99)))
    assert resident.points == ((0, 30_000_000),)
    assert resident.words == "10.0 MB at first, 99.0 MB at most"


def test_there_is_no_curve_without_samples_while_rows_are_open() -> None:
    assert memory_curves(sampled()) == ()
    assert memory_curves(sampled((150, 40))) == ()
    assert memory_curves(Story().run()) == ()


def test_all_runs_have_the_same_scale() -> None:
    curves = [memory_curves(run) for run in (sampled((0, 40)), sampled((0, 70)))]
    assert most_of(curves) == {"resident": 70_000_000, "virtual": 700_000_000}


def test_value_holds_until_the_next_and_a_column_has_its_maximum() -> None:
    points = [(20, 5), (21, 9), (22, 4), (60, 7)]
    assert list(column_values(points, 8, 10, until_ns=70)) == [0, 0, 9, 4, 4, 4, 7, 0]


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 9)), max_size=10).map(sorted),
    st.integers(1, 30),
    st.integers(1, 20),
)
def test_overall_maximum_is_in_some_column(
    points: list[tuple[int, int]], columns: int, column_ns: int
) -> None:
    values = list(column_values(points, columns, column_ns, columns * column_ns))
    assert len(values) == columns
    assert max(values) == max((value for at, value in points if at < columns * column_ns), default=0)
