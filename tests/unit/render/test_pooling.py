"""Pools as rows of connections: which, when, held by whom, and how many queued."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from asyncdemo.model import Run
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.timeline.layout import extent_ns
from asyncdemo.render.timeline.pools import PoolSection, holder_names, lay_out_pool, pool_sections
from tests.support.runs import Story, Teller, at_line, ns
from tests.support.screens import picture
from tests.support.server_runs import pooled
from tests.support.strategies import runs


def stretches(section: PoolSection, row: int = 0) -> list[tuple[str, int, int, str]]:
    return [
        (stretch.shade.name.lower(), stretch.start_ns, stretch.end_ns, stretch.why)
        for stretch in section.rows[row].bars
    ]


def only(run: Run) -> PoolSection:
    (section,) = pool_sections(run)
    return section


def test_a_connection_is_opened_held_idle_and_closed() -> None:
    story = Story()
    pool = story.pool(2, name="redis")
    first = story.task("first").sleeps(100).returns()
    second = story.task("second").sleeps(100).returns()
    story.connection(pool, 0, 5, uses=[(first, 0, 20), (second, 30, 40)], closed=90, by=first)
    assert stretches(only(story.run())) == [
        ("opening", 0, ns(5), "first"),
        ("held", ns(5), ns(20), "first"),
        ("idle", ns(20), ns(30), ""),
        ("held", ns(30), ns(40), "second"),
        ("idle", ns(40), ns(90), ""),
    ]


def test_time_outside_the_rows_is_cut_off() -> None:
    story = Story()
    pool = story.pool(2)
    task = story.task("a", at=100).sleeps(100).returns()
    story.connection(pool, 0, 50, uses=[(task, 120, 150)], closed=900)
    story.connection(pool, 10, 20, closed=60)
    section = only(story.run())
    assert stretches(section) == [
        ("idle", 0, ns(20), ""),
        ("held", ns(20), ns(50), "a"),
        ("idle", ns(50), ns(100), ""),
    ]
    assert section.rows[1].bars == ()


class TestHolders:
    def held_by(self, who: Teller, story: Story) -> str:
        pool = story.pool(1)
        story.connection(pool, 0, 0, uses=[(who, 10, 20)])
        return next(stretch.why for stretch in only(story.run()).rows[0].bars if stretch.why)

    def test_are_named_by_their_request(self) -> None:
        story = Story()
        task = story.task("Task-7").sleeps(100).returns()
        story.request("GET /films/1/ 3").is_handled_by(task).answered(200)
        assert self.held_by(task, story) == "GET /films/1/ 3"

    def test_are_the_requests_of_one_connection_at_each_time(self) -> None:
        story = Story()
        task = story.task("Task-7").sleeps(15).sleeps(85).returns()
        story.request("GET / 1").is_handled_by(task, to_ms=15).answered(200)
        story.request("GET / 2").queues_for("accept", 15).is_handled_by(task, 15).answered(200)
        pool = story.pool(1)
        story.connection(pool, 0, 0, uses=[(task, 1, 10), (task, 20, 30)])
        assert [name for _, _, _, name in stretches(only(story.run())) if name] == ["GET / 1", "GET / 2"]

    def test_are_named_by_the_request_whose_task_made_theirs(self) -> None:
        story = Story()
        task = story.task("Task-7").sleeps(100).returns()
        child = story.task("Task-8", parent=story.task("Task-9", parent=task).sleeps(100).returns())
        child.sleeps(100).returns()
        story.request("GET / 3").is_handled_by(task).answered(200)
        assert self.held_by(child, story) == "GET / 3"

    def test_that_handle_none_are_named_as_they_are(self) -> None:
        story = Story()
        story.request("GET / 1").queues_for("accept", 100).fails("timeout")
        assert self.held_by(story.task("warm up").sleeps(100).returns(), story) == "warm up"

    @pytest.mark.parametrize(
        ("who", "names"),
        [
            ("GET /films/7/ 12", ["GET /films/7/ 12", "12"]),
            ("brew(3)", ["brew(3)", "3"]),
            ("main", ["main"]),
            ("", []),
        ],
    )
    def test_have_a_shorter_name_where_room_is_short(self, who: str, names: list[str]) -> None:
        assert list(holder_names(who)) == names


class TestSections:
    def pools(self, many: int, line: int = 9) -> Run:
        story = Story()
        for number in range(many):
            task = story.task(f"t{number}").sleeps(10).returns()
            pool = story.pool(5, made=at_line(line), name="redis")
            story.connection(pool, 0, 1, uses=[(task, 1, 9)], closed=10, by=task)
        return story.run()

    def test_of_a_few_pools_of_one_line_are_counted(self) -> None:
        titles = [section.title for section in pool_sections(self.pools(3))]
        assert titles == ["redis pool 1 of 3", "redis pool 2 of 3", "redis pool 3 of 3"]

    def test_name_their_worker_process(self) -> None:
        run = self.pools(2)
        workers = [replace(pool, process=number) for number, pool in enumerate(run.resources, start=1)]
        titles = [section.title for section in pool_sections(replace(run, resources=tuple(workers)))]
        assert titles == ["redis pool of process 1", "redis pool of process 2"]
        many = tuple(replace(pool, process=1) for pool in self.pools(40).resources)
        assert only(replace(self.pools(40), resources=many)).title == "40 redis pools of process 1"

    def test_a_pool_for_each_request_is_one_section(self) -> None:
        section = only(self.pools(50))
        assert (section.title, section.about) == ("50 redis pools", "limit 5 each, made at app.py:9")
        assert [row.label for row in section.rows] == [f"redis {number}" for number in range(1, 51)]

    def test_pools_that_nobody_used_have_none(self) -> None:
        story = Story()
        story.pool(5)
        story.semaphore(5)
        story.task("a").sleeps(10).returns()
        assert pool_sections(story.run()) == ()

    def test_count_who_queued_and_who_was_refused(self) -> None:
        story = Story()
        pool = story.pool(1)
        for wait in (10, 30):
            story.task("a").queues(pool, wait).sleeps(100 - wait).returns()
        story.refuses(pool, story.task("b").sleeps(100).returns(), 0, 50)
        section = only(story.run())
        assert section.queued == ((0, 2), (ns(10), 1), (ns(30), 0))
        assert section.refused == 1


class TestLayout:
    def test_has_a_row_per_connection_on_the_axis_of_the_rows_above(self) -> None:
        story = Story()
        pool = story.pool(1)
        task = story.task("a").sleeps(100).returns()
        story.connection(pool, 20, 30, uses=[(task, 30, 60)], closed=90)
        (row,) = lay_out_pool(only(story.run()), 10, ns(10), ns(100), 8).rows
        assert picture(row) == "  ◇▄▄▄╌╌╌ "

    def test_a_brief_use_shows(self) -> None:
        story = Story()
        pool = story.pool(1)
        task = story.task("a").sleeps(100).returns()
        story.connection(pool, 0, 0, uses=[(task, 55, 56)])
        (row,) = lay_out_pool(only(story.run()), 10, ns(10), ns(100), 8).rows
        assert picture(row) == "╌╌╌╌╌▖╌╌╌╌"

    def test_many_connections_are_folded_and_none_is_lost(self) -> None:
        run = pooled(requests=200, connections=100)
        grid = lay_out_pool(only(run), 50, -(-extent_ns(run) // 50), extent_ns(run), 8)
        assert len(grid.rows) <= 8
        assert sum(row.size for row in grid.rows) == 100
        assert grid.noun == "connection"
        assert grid.shades == {Shade.OPENING, Shade.HELD, Shade.IDLE}


@given(runs())
def test_any_run_has_connections_without_gaps_on_the_axis(run: Run) -> None:
    extent = extent_ns(run)
    for section in pool_sections(run):
        for row in section.rows:
            for stretch, following in zip(row.bars, row.bars[1:], strict=False):
                assert stretch.end_ns == following.start_ns
            for stretch in row.bars:
                assert stretch.shade in (Shade.OPENING, Shade.IDLE, Shade.HELD)
                assert 0 <= stretch.start_ns <= stretch.end_ns <= extent
        lay_out_pool(section, 10, max(-(-extent // 10), 1), extent, 3)
