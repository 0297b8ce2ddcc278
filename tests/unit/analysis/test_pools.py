"""What connection pools were used for, in figures and findings, from runs made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.analysis.metrics import limits, peak
from asyncdemo.analysis.metrics.pools import pool_use
from asyncdemo.model import Outcome, Resource, Run, Site
from tests.support.runs import Story, Teller, at_line

POOL_KINDS = {
    "held-while-acquiring",
    "leaked-connection",
    "pool-per-call",
    "refused-by-pool",
    "reopened-connections",
    "small-pool",
}


def found(run: Run) -> dict[str, str]:
    return {one.kind: one.message for one in diagnose(run) if one.kind in POOL_KINDS}


def advice(run: Run, kind: str) -> str:
    return next(one.advice for one in diagnose(run) if one.kind == kind)


def tasks(story: Story, number: int, function: str = "show") -> list[Teller]:
    return [story.task(f"Task-{n}", function=function) for n in range(number)]


# -- figures ---------------------------------------------------------------------------------------


def test_figures_of_a_pool_that_two_callers_share(story: Story) -> None:
    main = story.thread("MainThread")
    first, second = tasks(story, 2)
    pool = story.pool(1, made=at_line(9), name="redis")
    first.waits(100, "redis").returns()
    second.queues(pool, 100).waits(50, "redis").returns()
    main.sleeps(200)
    story.connection(pool, 0, 10, [(first, 0, 100), (second, 100, 150)], closed=200)
    (use,) = pool_use(story.run())
    assert (use.connections, use.most_open, use.most_held, use.most_waiting) == (1, 1, 1, 1)
    assert (use.queued_ns, use.longest_queue_ns) == (100_000_000, 100_000_000)
    assert (use.refused, use.reopened, use.closed, use.leaked) == (0, 0, 1, 0)
    assert use.idle_share == 0.25


def test_open_connection_lasts_until_its_process_was_last_seen(story: Story) -> None:
    (first,) = tasks(story, 1)
    pool = story.pool(None, name="s3")
    first.waits(100, "s3").sleeps(300).returns()
    story.connection(pool, 0, 10, [(first, 0, 100)])
    (use,) = pool_use(story.run())
    assert use.closed == 0
    assert use.idle_share == 0.75


def test_closed_and_opened_again_is_not_open_at_once(story: Story) -> None:
    (first,) = tasks(story, 1)
    pool = story.pool(5, name="psycopg2")
    for n in range(4):
        story.connection(pool, 20 * n, 20 * n + 5, [(first, 20 * n, 20 * n + 20)], closed=20 * n + 20)
    first.waits(80, "sql").returns()
    (use,) = pool_use(story.run())
    assert (use.connections, use.most_open, use.reopened, use.most_held) == (4, 1, 3, 1)


@pytest.mark.parametrize("queued_for", [True, False])
def test_a_pool_limits_who_is_at_work_only_if_it_was_queued_for(queued_for: bool, story: Story) -> None:
    pool = story.pool(1, name="redis")
    first, second = tasks(story, 2)
    first.waits(100, "redis").returns()
    if queued_for:
        second.queues(pool, 100)
    second.waits(100, "redis").returns()
    story.connection(pool, 0, 1, [(first, 0, 100), (second, second.now_ms - 100, second.now_ms)])
    run = story.run()
    assert [resource.name for resource in limits(run)] == ["redis"] * queued_for
    assert peak(run) == (1 if queued_for else 2)


# -- one for each call -----------------------------------------------------------------------------


def pool_for(story: Story, who: Teller, at: float, name: str = "redis", **more: Any) -> Resource:
    given = {"made": at_line(12, "show"), "at": at, "by": who, **more}
    pool = story.pool(100, name=name, **given)
    story.connection(pool, at, at + 2, [(who, at, at + 10)])
    return pool


def test_a_pool_for_each_call_is_found(story: Story) -> None:
    for n, task in enumerate(tasks(story, 5)):
        pool_for(story, task, at=float(n))
        task.waits(50, "redis").returns()
    run = story.run()
    assert found(run) == {
        "pool-per-call": "5 redis pools were made at app.py:12 in show(), one for each call: 5 "
        "connections opened, up to 5 of them open and 5 in use at the same time."
    }
    assert "Make one pool when the program starts" in advice(run, "pool-per-call")


@pytest.mark.parametrize(
    ("made", "processes"),
    [(Site("/venv/lib/python3.13/site-packages/shop/client.py", 8, "get"), 1), (at_line(12), 5)],
    ids=["an installed package makes them", "one in each process"],
)
def test_what_the_reader_did_not_make_for_each_call_is_not_found(made: Site, processes: int) -> None:
    story = Story()
    for n, task in enumerate(tasks(story, 5)):
        pool_for(story, task, at=float(n), made=made, process=n % processes)
        task.waits(50, "redis").returns()
    assert found(story.run()) == {}


def test_what_making_a_client_computes_is_no_work_for_a_process(story: Story) -> None:
    for n, task in enumerate(tasks(story, 3)):
        pool_for(story, task, at=float(n), name="s3")
        task.blocks(100, "", at_line(13, "show")).returns()
    assert "creates a client for each call" in advice(story.run(), "blocks-the-loop")


def test_pools_made_in_sequence_by_one_caller_are_found_too(story: Story) -> None:
    (task,) = tasks(story, 1)
    for n in range(4):
        pool_for(story, task, at=20.0 * n)
    task.waits(100, "redis").returns()
    assert "pool-per-call" in found(story.run())


def test_children_of_the_maker_may_use_its_pool(story: Story) -> None:
    for n, task in enumerate(tasks(story, 3)):
        child = story.task(f"child-{n}", at=n + 1, parent=task)
        pool = story.pool(100, made=at_line(12), name="redis", at=n, by=task)
        story.connection(pool, n + 1, n + 2, [(child, n + 1, n + 10)])
        child.waits(50, "redis").returns()
        task.waits(80, "gather").returns()
    assert "pool-per-call" in found(story.run())


def test_shards_pools_made_before_use_are_not_one_per_call(story: Story) -> None:
    (task,) = tasks(story, 1)
    shards = [story.pool(100, made=at_line(12), name="redis", at=n, by=task) for n in range(4)]
    for n, pool in enumerate(shards):
        story.connection(pool, 10 + 20 * n, 12 + 20 * n, [(task, 10 + 20 * n, 20 + 20 * n)])
    task.waits(100, "redis").returns()
    assert found(story.run()) == {}


def test_pools_that_others_use_are_shared(story: Story) -> None:
    makers = tasks(story, 3)
    user = story.task("user", function="user")
    for n, task in enumerate(makers):
        pool = story.pool(100, made=at_line(12), name="redis", at=1, by=task)
        story.connection(pool, 20 * n + 2, 20 * n + 4, [(user, 20 * n + 2, 20 * n + 10)])
        task.waits(100, "redis").returns()
    user.waits(100, "redis").returns()
    assert found(story.run()) == {}


def test_one_client_per_worker_thread_is_no_finding(story: Story) -> None:
    for n in range(4):
        worker = story.thread(f"worker-{n}", function="_worker")
        pool = story.pool(None, made=at_line(12), name="s3", at=0, by=worker)
        story.connection(pool, 0, 2, [(worker, 0, 20), (worker, 60, 80)])
        worker.waits(20, "s3").waits(40, "idle").waits(20, "s3")
    assert found(story.run()) == {}


def test_pool_recreated_after_its_server_was_lost_is_a_repair(story: Story) -> None:
    (task,) = tasks(story, 1)
    for n in range(4):
        pool = story.pool(100, made=at_line(12), name="redis", at=20 * n, by=task)
        ready = None if n < 3 else 20 * n + 2
        story.connection(pool, 20 * n, ready, [(task, 20 * n, 20 * n + 10)], closed=20 * n + 10)
    task.waits(100, "redis").returns()
    assert found(story.run()) == {}


# -- too small -------------------------------------------------------------------------------------


def test_a_pool_that_is_queued_for(story: Story) -> None:
    pool = story.pool(1, made=at_line(9, "main"), name="asyncpg")
    first, second, third = tasks(story, 3)
    first.waits(100, "sql").returns()
    second.queues(pool, 100).waits(100, "sql").returns()
    third.queues(pool, 200).waits(100, "sql").returns()
    story.connection(pool, 0, 1, [(first, 0, 100), (second, 100, 200), (third, 200, 300)])
    run = story.run()
    assert found(run) == {
        "small-pool": "The asyncpg pool made at app.py:9 in main() was too small for its "
        "callers: up to 2 queued for 1 connection, for 0.30 s in total and at most 0.20 s each."
    }
    assert "`max_size`" in advice(run, "small-pool")


def test_pool_that_is_still_opening_its_connections_is_not_small(story: Story) -> None:
    pool = story.pool(4, made=at_line(9, "main"), name="psycopg")
    first, second = tasks(story, 2)
    first.waits(100, "sql").returns()
    second.queues(pool, 100).waits(100, "sql").returns()
    story.connection(pool, 0, 1, [(first, 0, 100), (second, 100, 200)])
    run = story.run()
    assert found(run) == {
        "small-pool": "The psycopg pool made at app.py:9 in main() was still opening connections "
        "while up to 1 queued for one: 1 of 4 were ever open. They queued for 0.10 s in total and at most "
        "0.10 s each."
    }
    assert "`min_size`" in advice(run, "small-pool")


def test_pools_of_several_processes_are_one_finding(story: Story) -> None:
    for process, late in enumerate((100, 300, 200)):
        pool = story.pool(1, made=at_line(9), name="redis", at=0, process=process)
        first, second = tasks(story, 2)
        first.waits(late, "redis").returns()
        second.queues(pool, late).returns()
        story.connection(pool, 0, 1, [(first, 0, late)])
    messages = [one.message for one in diagnose(story.run()) if one.kind == "small-pool"]
    (message,) = messages
    assert message.endswith("0.30 s in total and at most 0.30 s each. So were 2 more that were made there.")


@pytest.mark.parametrize(
    ("name", "waited_ms", "words"),
    [
        ("redis", 0, "`BlockingConnectionPool` lets callers wait"),
        ("psycopg2", 0, "put a semaphore of `maxconn` slots"),
        ("psycopg", 300, "raise `max_size`"),
        ("redis", 300, "raise `max_connections`"),
    ],
)
def test_callers_that_were_refused(name: str, waited_ms: float, words: str, story: Story) -> None:
    pool = story.pool(1, made=at_line(9), name=name)
    first, second = tasks(story, 2)
    first.waits(500, "redis").returns()
    second.runs(1).waits(499, "redis").raises("ConnectionError")
    story.connection(pool, 0, 1, [(first, 0, 500)])
    story.refuses(pool, second, 1, 1 + waited_ms)
    run = story.run()
    waiting = ", after waiting for up to 0.30 s" if waited_ms else ""
    assert found(run) == {
        "refused-by-pool": f"The {name} pool made at app.py:9 turned callers away 1 time{waiting}: "
        "up to 1 of 1 connections were in use."
    }
    assert words in advice(run, "refused-by-pool")


def test_pool_that_reached_no_server_is_not_too_small(story: Story) -> None:
    pool = story.pool(1, made=at_line(9), name="psycopg")
    (caller,) = tasks(story, 1)
    caller.queues(pool, 300).raises("PoolTimeout")
    story.connection(pool, 0, None, closed=5)
    story.refuses(pool, caller, 0, 300)
    run = story.run()
    assert found(run) == {
        "refused-by-pool": "The psycopg pool made at app.py:9 turned callers away 1 time, after waiting for "
        "up to 0.30 s: it could not open a connection."
    }
    assert "can be reached" in advice(run, "refused-by-pool")


# -- held too long ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "outcome"),
    [
        (3, "All 3 were held by such callers at the same time: a deadlock, so none could continue."),
        (5, "As soon as all 5 are held by such callers, none can continue: a deadlock."),
    ],
)
def test_each_holds_one_and_waits_for_another(limit: int, outcome: str, story: Story) -> None:
    pool = story.pool(limit, made=at_line(9), name="asyncpg")
    for task in tasks(story, 3, function="invoice"):
        task.waits(20, "sql").queues(pool, 980).is_cancelled()
        story.connection(pool, 0, 1, [(task, 0, 1000)])
    assert found(story.run()) == {
        "held-while-acquiring": "3 tasks in invoice() held a connection of the asyncpg pool made "
        f"at app.py:9 and asked it for a second one. {outcome}"
    }


def test_a_parent_holds_while_its_children_queue(story: Story) -> None:
    pool = story.pool(1, made=at_line(9), name="asyncpg")
    parent = story.task("parent", function="invoice")
    child = story.task("child", at=10, function="line", parent=parent)
    parent.runs(10).waits(500, "gather").is_cancelled()
    child.queues(pool, 500).is_cancelled()
    story.connection(pool, 0, 1, [(parent, 0, 510)])
    message = found(story.run())["held-while-acquiring"]
    assert message.startswith("1 task in line() held a connection")
    assert message.endswith(
        "Its one connection was held by such a caller: a deadlock, so none could continue."
    )


def test_parent_that_is_busy_elsewhere_holds_nobody_up(story: Story) -> None:
    pool = story.pool(2, made=at_line(9), name="redis")
    main = story.task("main", function="main")
    other = story.task("other", at=10, function="show")
    child = story.task("child", at=10, function="show", parent=main)
    main.runs(10).waits(500, "redis").returns()
    other.waits(200, "redis").returns()
    child.queues(pool, 200).waits(100, "redis").returns()
    story.connection(pool, 0, 1, [(main, 0, 510)])
    story.connection(pool, 10, 11, [(other, 10, 210), (child, 210, 310)])
    assert "held-while-acquiring" not in found(story.run())


@pytest.mark.parametrize(("limit", "callers", "is_risk"), [(10, 1, False), (4, 2, True)])
def test_two_that_hold_two_of_few_are_a_risk_and_one_is_none(limit: int, callers: int, is_risk: bool) -> None:
    story = Story()
    pool = story.pool(limit, made=at_line(9), name="redis")
    for task in tasks(story, callers):
        task.waits(500, "redis").returns()
        story.connection(pool, 0, 1, [(task, 0, 490)], closed=495)
        story.connection(pool, 100, 101, [(task, 100, 110), (task, 200, 210)], closed=495)
    assert ("held-while-acquiring" in found(story.run())) == is_risk


def test_a_leak_is_found_once_its_holder_is_over(story: Story) -> None:
    pool = story.pool(3, made=at_line(9), name="psycopg2")
    for task in tasks(story, 2):
        task.waits(100, "sql").returns()
        story.connection(pool, 0, 1, [(task, 0, 600)], kept=True)
    story.thread("MainThread").sleeps(600)
    run = story.run()
    assert found(run) == {
        "leaked-connection": "Of the psycopg2 pool made at app.py:9, 2 of 3 were taken and never "
        "given back; held last in show()."
    }
    assert "pool.putconn(connection)" in advice(run, "leaked-connection")
    assert pool_use(run)[0].leaked == 2


def test_open_task_or_main_thread_has_leaked_nothing(story: Story) -> None:
    pool = story.pool(3, name="redis")
    (task,) = tasks(story, 1)
    task.waits(600, "redis")
    main = story.thread("MainThread").waits(100, "redis").returns()
    story.connection(pool, 0, 1, [(task, 0, 600)], kept=True)
    story.connection(pool, 0, 1, [(main, 0, 100)], kept=True)
    run = story.run()
    assert run.tracks[task.index].outcome is Outcome.OPEN
    assert found(run) == {}


# -- closing too soon ------------------------------------------------------------------------------


def reopening(name: str, times: int) -> Run:
    story = Story()
    pool = story.pool(20, made=at_line(9), name=name)
    task, *_ = tasks(story, 1)
    for n in range(times):
        for _ in range(2):
            story.connection(pool, 20 * n, 20 * n + 1, [], closed=20 * n + 19, by=task)
    task.sleeps(20 * times).returns()
    return story.run()


def test_a_pool_that_closes_what_it_will_need_again() -> None:
    run = reopening("psycopg2", 5)
    assert found(run) == {
        "reopened-connections": "The psycopg2 pool made at app.py:9 opened 10 connections, though "
        "never more than 2 were open at the same time: it closed the others, and opened new ones."
    }
    assert "`minconn`" in advice(run, "reopened-connections")


@pytest.mark.parametrize(("name", "times"), [("psycopg2", 2), ("s3", 20), ("http", 20)])
def test_few_or_server_caused_reopenings_are_no_finding(name: str, times: int) -> None:
    assert found(reopening(name, times)) == {}


def test_failed_attempts_are_no_closed_connections(story: Story) -> None:
    pool = story.pool(20, name="redis")
    (task,) = tasks(story, 1)
    for n in range(20):
        story.connection(pool, 20 * n, None, [], closed=20 * n + 19, by=task)
    task.sleeps(400).returns()
    assert found(story.run()) == {}
