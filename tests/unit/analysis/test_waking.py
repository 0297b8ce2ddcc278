"""Who made a row go on."""

from __future__ import annotations

from asyncdemo.analysis.waking import Waking, row_at, who_woke
from asyncdemo.model import Run, Wake, Wakes
from tests.support.runs import Story, ns


def test_wake_that_ended_the_wait_counts_during_and_after_it() -> None:
    run = _handover()
    woken = run.rows[1]
    for at_ms in (10, 250, 305, 350):
        assert who_woke(run, woken, ns(at_ms)) == Waking(0, ns(300))


def test_wait_without_a_wake_ignores_an_earlier_wake() -> None:
    run = _handover()
    assert who_woke(run, run.rows[1], ns(450)) is None


def test_before_its_first_wait_it_was_started_by_its_parent(story: Story) -> None:
    main = story.task("main").runs(5).sleeps(95).returns()
    story.task("child", at=5, parent=main).runs(5).sleeps(10).returns()
    run = story.run()
    assert who_woke(run, run.rows[1], ns(7)) == Waking(0, ns(5), started=True)
    assert who_woke(run, run.rows[0], ns(2)) is None


def test_a_thread_was_woken_by_what_it_waited_for(story: Story) -> None:
    worker = story.thread("worker").sleeps(100).returns()
    story.thread("main").waits(100, "thread", on=worker).runs(10).returns()
    run = story.run()
    assert who_woke(run, run.rows[1], ns(105)) == Waking(0, ns(100))


def test_row_of_nested_calls_is_the_innermost(story: Story) -> None:
    task = story.task("main").enters("outer()").runs(10).enters("inner()").sleeps(50)
    task.leaves().runs(10).leaves().returns()
    run = story.run()
    names = [run.rows[row_at(run, 0, ns(at_ms)) or 0].name for at_ms in (5, 30, 65)]
    assert names == ["outer()", "inner()", "outer()"]
    assert row_at(run, 7, 0) is None


def test_the_last_wake_of_a_track_up_to_a_time() -> None:
    wakes = Wakes([Wake(10, 0, 1), Wake(20, 2, 1), Wake(15, 0, 3), Wake(30, 0, 1)])
    assert wakes.last(1, 25) == Wake(20, 2, 1)
    assert wakes.last(1, 9) is None
    assert wakes.last(9, 99) is None


def _handover() -> Run:
    story = Story()
    story.task("giver").sleeps(300).runs(10).returns()
    story.task("taker").waits(300, "event").is_ready(10).runs(90).sleeps(100).runs(1).returns()
    return story.run(wakes=Wakes([Wake(ns(300), 0, 1)]))
