"""Runs of servers under load, as three of them behave, made by hand: for what draws and stores them."""

from __future__ import annotations

from asyncdemo.model import Run
from tests.support.runs import Story, Teller, at_line

_EACH_MS = 100.0


def one_at_a_time(requests: int = 50) -> Run:
    """One thread: the others wait to be accepted."""
    story = Story()
    main = story.thread("MainThread")
    for number in range(requests):
        began = main.now_ms
        main.enters(f"upload({number})").runs(1).sleeps(_EACH_MS - 1).leaves()
        asker = story.request(f"POST /upload {number + 1}").queues_for("accept", began)
        asker.is_handled_by(main, began).waits_for_response(1).answered(200)
        main.runs(1)
    return story.run(name="unthreaded")


def threaded(requests: int = 50, limit: int = 5) -> Run:
    """A thread for each request, and a gate: all are handled at the same time, ``limit`` of them at work."""
    story = Story()
    gate = story.semaphore(limit, made=at_line(12))
    for number in range(requests):
        begins = 2 + number * 0.2
        handler = story.thread(f"Thread-{number + 1}", at=begins).enters(f"upload({number})").runs(0.5)
        turn = (number // limit) * _EACH_MS
        if turn:
            handler.queues(gate, turn + 20 - handler.now_ms)
        handler.takes(gate).sleeps(_EACH_MS).gives_back(gate).runs(0.5).leaves().returns()
        asker = story.request(f"POST /upload {number + 1}").queues_for("accept", 1)
        asker.queues_for("worker thread", begins - 1).is_handled_by(handler)
        if number % 25 == 24:
            asker.answered(503)
        else:
            asker.waits_for_response(2).answered(200)
    story.request(f"POST /upload {requests + 1}").is_late(5).queues_for("accept", 300).fails("timeout")
    return story.run(name="threaded", processes=2)


def pooled(requests: int = 50, connections: int = 5) -> Run:
    """One event loop, and a pool with some connections to Redis, opened when they are first needed."""
    story = Story()
    pool = story.pool(connections, made=at_line(9), name="redis")
    uses: list[list[tuple[Teller, float, float]]] = [[] for _ in range(connections)]
    story.has_memory(-20, 41, 310, threads=1)
    for number in range(requests):
        begins = 1 + number * 0.1
        task = story.task(f"Task-{number}", at=begins).enters(f"film({number})").runs(0.2)
        held_by = min(uses, key=lambda of_one: of_one[-1][2] if of_one else 0)
        if held_by:
            task.queues(pool, held_by[-1][2] + 0.1 - task.now_ms)
        took = task.now_ms
        task.waits(30 + number % 7 * 5, "redis")
        held_by.append((task, took, task.now_ms))
        task.waits(6, "s3").waits(9, "sql").runs(0.3).leaves().returns()
        asker = story.request(f"GET /films/7/ {number + 1}").queues_for("accept", 0.5)
        asker.is_ready(begins - 0.5).is_handled_by(task).waits_for_response(1).answered(200)
        if number % 5 == 0:
            story.has_memory(task.now_ms, 41 + number * 0.4, 310 + number * 3, threads=1 + number // 10)
    for of_one in uses:
        first = of_one[0]
        story.connection(pool, first[1], first[1] + 4, of_one, by=first[0])
    return story.run(name="pooled")
