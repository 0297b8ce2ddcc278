"""The sentences about connection pools: each holds where it should, and says what was wrong where not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from asyncdemo.model import Run
from asyncdemo.testing.checks import CheckFailed, Seen
from asyncdemo.testing.checks.pools import Pools
from tests.support.runs import Story, at_line
from tests.unit.testing.test_checks import fails

Sentence = Callable[[Pools], Pools]

SENTENCES: dict[str, Sentence] = {
    "made_once_per_process": lambda pools: pools.made_once_per_process(),
    "opened_and_closed_once_per_process": lambda pools: pools.opened_and_closed_once_per_process(),
    "opened_at_most": lambda pools: pools.opened_at_most(2),
    "held_exactly": lambda pools: pools.held_exactly(2),
    "no_task_holds_two": lambda pools: pools.no_task_holds_two(),
    "held_in_each": lambda pools: pools.held_in_each(Seen(shared()).calls("show")),
    "none_leaked": lambda pools: pools.none_leaked(),
}


def shared(name: str = "redis", callers: int = 4, connections: int = 2) -> Run:
    """One pool that all callers share, closed at the end."""
    story = Story()
    main = story.task("main", function="main").waits(400, "gather").returns()
    pool = story.pool(connections, made=at_line(9), name=name, at=0, by=main, closed=385)
    uses: list[list[tuple[object, float, float]]] = [[] for _ in range(connections)]
    for n in range(callers):
        turn = n // connections * 100.0
        task = story.task(f"Task-{n}", parent=main).enters(f"show({n})")
        if turn:
            task.queues(pool, turn)
        task.waits(100, "redis").leaves().returns()
        uses[n % connections].append((task, turn, turn + 100))
    for of_one in uses:
        story.connection(pool, of_one[0][1], 1, of_one, closed=390)  # type: ignore[arg-type]
    return story.run()


@pytest.mark.parametrize("sentence", SENTENCES.values(), ids=SENTENCES.keys())
def test_the_right_shape_holds(sentence: Sentence) -> None:
    seen = Seen(shared())
    sentence(seen.pool("redis"))
    assert len(seen.held) == 1
    sentence(seen.pools)


@pytest.mark.parametrize("sentence", SENTENCES.values(), ids=SENTENCES.keys())
def test_where_no_pool_was_made_nothing_holds(sentence: Sentence) -> None:
    seen = Seen(shared())
    fails("There should be an asyncpg pool; none was made", sentence, seen.pool("asyncpg"))
    assert seen.held == []
    fails("There should be a pool; none was made", sentence, Seen(Story().run()).pools)


@pytest.mark.parametrize("name", sorted(SENTENCES.keys() - {"made_once_per_process"}))
def test_where_no_connection_was_used_nothing_is_said_of_them(name: str) -> None:
    story = Story()
    story.task("main").runs(10).returns()
    story.pool(2, made=at_line(9), name="redis")
    seen = Seen(story.run())
    fails("Redis connections should be used; none ever was", SENTENCES[name], seen.pool("redis"))
    assert seen.held == []


def test_the_sentences_that_held() -> None:
    seen = Seen(shared())
    pools = seen.pool("redis").opened_and_closed_once_per_process().opened_at_most(2).held_exactly(2)
    pools.no_task_holds_two().none_leaked()
    assert seen.held == [
        "One redis pool was made, shared, and closed at the end.",
        "Never more than 2 redis connections were opened.",
        "2 redis connections were held at the same time, and never more.",
        "Nobody held two redis connections at the same time.",
        "Every redis connection was given back.",
    ]
    assert len(pools) == 1
    assert len(pools.connections) == 2


def one_for_each() -> Run:
    story = Story()
    for n in range(4):
        task = story.task(f"Task-{n}").enters(f"show({n})").waits(100, "redis").leaves().returns()
        pool = story.pool(2, made=at_line(12), name="redis", at=0, by=task)
        story.connection(pool, 0, 1, [(task, 0, 100)], closed=100)
    return story.run()


def test_a_pool_for_each_call_keeps_no_limit() -> None:
    pools = Seen(one_for_each()).pool("redis")
    words = "One redis pool should be made, and shared; 4 were, at app.py:12."
    fails(words, pools.opened_and_closed_once_per_process)
    fails("At most 2 redis connections should be opened; 4 were", pools.opened_at_most, 2)
    words = "At most 2 redis connections may be held at the same time; 4 were, from"
    fails(words, pools.held_exactly, 2)


def test_one_after_another_does_not_reach_the_limit() -> None:
    words = "2 redis connections should be held at the same time; there was never more than 1"
    fails(words, Seen(shared(connections=1)).pool("redis").held_exactly, 2)


def test_each_process_has_a_pool_of_its_own() -> None:
    story = Story()
    for process in range(3):
        task = story.task(f"Task-{process}").enters("show()").waits(100, "redis").leaves().returns()
        pool = story.pool(1, made=at_line(9), name="redis", at=0, by=task, process=process, closed=105)
        story.connection(pool, 0, 1, [(task, 0, 100)], closed=110)
    seen = Seen(story.run())
    seen.pool("redis").opened_and_closed_once_per_process().held_exactly(1).opened_at_most(1)
    assert seen.held[0] == "One redis pool in each process was made, shared, and closed at the end."


@pytest.mark.parametrize("how", ["open", "dropped"])
def test_what_the_end_of_the_program_closes_was_not_closed(how: str) -> None:
    story = Story()
    task = story.task("Task").enters("show()").waits(100, "redis").leaves().returns()
    pool = story.pool(2, made=at_line(9), name="redis", at=0, by=task, closed=100)
    closed = 110 if how == "dropped" else None
    story.connection(pool, 0, 1, [(task, 0, 50)], closed=closed, dropped=how == "dropped")
    words = "Every redis connection should be closed at the end; 1 of 1 was not"
    fails(words, Seen(story.run()).pool("redis").opened_and_closed_once_per_process)


@pytest.mark.parametrize("closed", [None, 20])
def test_pool_whose_connections_the_server_closed_was_not_closed(closed: float | None) -> None:
    story = Story()
    task = story.task("Task").enters("show()").waits(100, "s3").leaves().returns()
    pool = story.pool(2, made=at_line(9), name="s3", at=0, by=task, closed=closed)
    story.connection(pool, 0, 1, [(task, 0, 10)], closed=10)
    story.connection(pool, 50, 51, [(task, 50, 60)], closed=60)
    words = "One s3 pool should be closed at the end; it was not."
    fails(words, Seen(story.run()).pool("s3").opened_and_closed_once_per_process)


def test_a_second_connection_while_holding_one() -> None:
    story = Story()
    task = story.task("Task").enters("invoice(7)").waits(200, "sql").leaves().returns()
    pool = story.pool(4, made=at_line(9), name="asyncpg", at=0, by=task)
    story.connection(pool, 0, 1, [(task, 0, 150)], closed=200)
    story.connection(pool, 50, 51, [(task, 50, 100)], closed=200)
    with pytest.raises(CheckFailed) as caught:
        Seen(story.run()).pool("asyncpg").no_task_holds_two()
    assert caught.value.message == (
        "Nobody should hold two asyncpg connections at the same time; invoice(7) took a second one at 0.05 s."
    )
    assert caught.value.evidence is not None
    assert caught.value.evidence.lanes == (0,)


def test_a_leak_names_the_call() -> None:
    story = Story()
    task = story.task("Task").enters("show(1)").waits(100, "sql").leaves().returns()
    pool = story.pool(4, made=at_line(9), name="psycopg2", at=0, by=task)
    story.connection(pool, 0, 1, [(task, 0, 100)], closed=200, kept=True)
    words = "Every psycopg2 connection should be given back; 1 was not, held by show(1)."
    fails(words, Seen(story.run()).pool("psycopg2").none_leaked)


def test_who_used_no_connection_is_named() -> None:
    story = Story()
    first = story.task("first").enters("show(1)").waits(100, "redis").leaves()
    first.enters("show(2)").runs(20).leaves().returns()
    story.task("second").enters("show(3)").runs(50).leaves().returns()
    pool = story.pool(1, made=at_line(9), name="redis", at=0, by=first)
    story.connection(pool, 0, 1, [(first, 0, 100)], closed=200)
    seen = Seen(story.run())
    seen.pool("redis").held_in_each(seen.calls("show").only("show(1)"))
    assert seen.held == ["Each call of show used a redis connection."]
    sentence, show = seen.pool("redis").held_in_each, seen.calls("show")
    fails("should use a redis connection; show(3) and show(2) did not", sentence, show)
    fails("should be calls of show; there were none", sentence, show.only("none"))


def test_the_evidence_is_who_held_when_there_were_too_many() -> None:
    with pytest.raises(CheckFailed) as caught:
        Seen(shared(callers=6, connections=3)).pool("redis").held_exactly(2)
    assert caught.value.evidence is not None
    assert caught.value.evidence.lanes == (0, 1, 2, 3, 4, 5)
