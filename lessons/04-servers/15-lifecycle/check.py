"""What the counter of visits must do, in sentences."""

from asyncdemo.model import Resource, Track
from asyncdemo.testing.checks import Requests, Seen

SERVER_EVENTS = 4
"""Before and after the start, before and after the stop: Sanic runs the listeners of each in a task."""


def check(seen: Seen) -> None:
    workers, requests = int(seen.knobs["WORKERS"]), int(seen.knobs["REQUESTS"])
    asked = seen.requests("/visits", "requests").all_answered(requests)
    counted_by_redis(seen, asked)
    seen.calls("get_visits", "requests").happen(requests).all_return()
    opened, closed = seen.calls("open_redis", "openings"), seen.calls("close_redis", "closings")
    seen.expect(
        len(opened) > 0,
        "open_redis was called.",
        f"Each of the {workers} workers should call open_redis once, and no other process; no one called it.",
    )
    one_in_each_worker(seen, workers)
    closed.happen(workers).all_return()
    opened.all_return()
    opened_before_and_closed_after(seen)
    one_pool_in_each_worker(seen, workers)
    pool = seen.pool("redis").opened_and_closed_once_per_process()
    for process in range(1, workers + 1):
        open_while_it_serves(seen, process)
    pool.opened_at_most(int(seen.knobs["CONNECTIONS"]))
    pool.held_in_each(seen.calls("get_visits"))
    # On a busy machine the process that starts the workers may be killed when all of them have closed theirs.
    if seen.run.exit_code is not None:
        seen.ends_well()


def counted_by_redis(seen: Seen, asked: Requests) -> None:
    """The workers share nothing else that could count for all of them."""
    visits = [body.get("visits") for body in asked.bodies]
    again = sorted({str(visit) for visit in visits if visits.count(visit) > 1})
    seen.expect(
        sorted(map(str, visits)) == sorted(str(n) for n in range(1, len(asked) + 1)),
        "Redis counted each visit.",
        f"Each answer should be a number from 1 to {len(asked)}, and each number should come once; "
        f"{f'{again[0]} came twice' if again else 'some were other values'}.",
        at=seen.calls("get_visits"),
    )


def one_in_each_worker(seen: Seen, workers: int) -> None:
    """By the process that each opening ran in; 0 is the one that starts the workers."""
    openings = [seen.run.tracks[lane.track].process for lane in seen.calls("open_redis").lanes]
    right = sorted(openings) == list(range(1, workers + 1))
    seen.expect(
        right,
        f"Each of the {workers} workers opened Redis once.",
        f"Each of the {workers} workers should call open_redis once, and no other process; "
        f"it was called {len(openings)} times, in {len(set(openings))} processes.",
        at=seen.calls("open_redis"),
    )


def one_pool_in_each_worker(seen: Seen, workers: int) -> None:
    made = [pool.process for pool in seen.pool("redis").resources]
    seen.expect(
        sorted(made) == list(range(1, workers + 1)),
        f"One pool was made in each of the {workers} workers.",
        f"One pool should be made in each worker, and none in the process that starts them; {len(made)} were "
        f"made, {made.count(0)} of them by that process.",
        at=seen.calls("get_visits"),
    )


def opened_before_and_closed_after(seen: Seen) -> None:
    """In each process: the opening before the first request it handled, the closing after the last."""
    run = seen.run
    late = []
    for lane in seen.calls("get_visits").lanes:
        process = run.tracks[lane.track].process
        opened = [o for o in seen.calls("open_redis").lanes if run.tracks[o.track].process == process]
        closed = [c for c in seen.calls("close_redis").lanes if run.tracks[c.track].process == process]
        if not opened or not closed or opened[0].end_ns > lane.start_ns or closed[0].start_ns < lane.end_ns:
            late.append(lane)
    seen.expect(
        not late,
        "Redis was open from before the first request of each worker until after the last.",
        "Redis should be open from before the first request of a worker until after its last; "
        f"for {len(late)} requests it was not.",
        at=seen.calls("get_visits"),
    )


def open_while_it_serves(seen: Seen, process: int) -> None:
    """A worker listens right after the first of these events, and has no request any more at the last one."""
    events = server_events(seen, process)
    if len(events) != SERVER_EVENTS:
        seen.too_busy("a worker was stopped before its listeners had ended.")
    starting, stopped = events[0].end_ns, events[3].start_ns
    (pool,) = (one for one in seen.pool("redis").resources if one.process == process)
    seen.expect(
        pool.made_ns is not None and pool.made_ns < starting,
        "The pool was opened before its worker took requests.",
        "The pool should be opened before its worker takes requests; one was made when requests could come "
        "already. Which listener is called before the server starts?",
        at=seen.calls("get_visits"),
    )
    seen.expect(
        first_closed(pool) > stopped,
        "The pool was closed after its worker had stopped.",
        "The pool should be closed after its worker has stopped; one was closed while requests could still "
        "be in progress. Which listener is called after the server has stopped?",
        at=seen.calls("get_visits"),
    )


def server_events(seen: Seen, process: int) -> list[Track]:
    tracks = (track for track in seen.run.tracks if track.process == process)
    return [track for track in tracks if track.function.endswith("._server_event")]


def first_closed(pool: Resource) -> int:
    """The pool itself may be closed again later; its connections aren't."""
    closed = [one.closed_ns for one in pool.connections] + [pool.closed_ns]
    return min(at_ns for at_ns in closed if at_ns is not None)
