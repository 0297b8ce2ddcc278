"""What the cache must do, in sentences."""

from asyncdemo.testing.checks import Seen


def check(seen: Seen) -> None:
    workers, requests = int(seen.knobs["WORKERS"]), int(seen.knobs["REQUESTS"])
    seen.requests("/cache", "requests").all_answered(requests).all_answer({"data": "FILMS"})
    seen.calls("get_cache", "requests").happen(requests).all_return()
    opened, closed = seen.calls("open_redis", "openings"), seen.calls("close_redis", "closings")
    seen.expect(
        len(opened) > 0,
        "open_redis was called.",
        f"Each of the {workers} workers should call open_redis once, and no other process; nobody called it.",
    )
    closed.happen(workers).all_return()
    one_in_each_worker(seen, workers)
    opened.all_return()
    seen.pool("redis").opened_and_closed_once_per_process()
    opened_before_and_closed_after(seen)
    seen.ends_well()


def one_in_each_worker(seen: Seen, workers: int) -> None:
    """By the process that each opening ran in; 0 is the one that starts the workers."""
    openings = [seen.run.tracks[lane.track].process for lane in seen.calls("open_redis").lanes]
    seen.expect(
        sorted(openings) == list(range(1, workers + 1)),
        f"Each of the {workers} workers opened Redis once.",
        f"Each of the {workers} workers should call open_redis once, and no other process; "
        f"it was called {len(openings)} times, in {len(set(openings))} processes.",
        at=seen.calls("open_redis"),
    )


def opened_before_and_closed_after(seen: Seen) -> None:
    """In each process: the opening before the first request it handled, the closing after the last."""
    run = seen.run
    late = []
    for lane in seen.calls("get_cache").lanes:
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
        at=seen.calls("get_cache"),
    )
