"""What the queries must do, in sentences."""

from itertools import accumulate

from asyncdemo.model import Lane, State, TrackKind
from asyncdemo.testing.checks import Seen


def check(seen: Seen) -> None:
    queries, seconds = int(seen.knobs["QUERIES"]), float(seen.knobs["QUERY_S"])
    calls = seen.calls("query", "queries")
    calls.happen(queries).all_return()
    # Before anything else about time: it explains most of what else may be wrong.
    seen.never_blocked()
    each_in_a_greenlet(seen)
    calls.peak_is(queries)
    all_wait_for_the_database_together(seen, queries)
    calls.take_at_least(seconds)
    answers = answers_in_order(seen, queries)
    seen.calls("main").happen(1).return_values([answers])
    seen.ends_well()
    seen.no_warnings()


def each_in_a_greenlet(seen: Seen) -> None:
    """A thread blocks nobody either, so it would hide whether the driver does."""
    calls = seen.calls("query")
    tracks = [(lane.name, seen.run.tracks[lane.track]) for lane in calls.lanes]
    elsewhere = [
        f"{name} ran in the thread {track.name}" for name, track in tracks if track.kind is TrackKind.THREAD
    ]
    seen.expect(
        not elsewhere,
        "Each query ran in a greenlet.",
        f"Each query should run in a greenlet of its own; {''.join(elsewhere[:1])}.",
        at=calls,
    )


def all_wait_for_the_database_together(seen: Seen, queries: int) -> None:
    """A greenlet that waits for its turn at a connection is open as well, but queries nothing."""
    calls = seen.calls("query")
    most = most_waiting(calls.lanes)
    seen.expect(
        most == queries,
        f"{queries} queries waited for the database at the same time.",
        f"All {queries} queries should wait for the database at the same time; "
        f"there were never more than {most}.",
        at=calls,
    )


def most_waiting(lanes: tuple[Lane, ...]) -> int:
    """The most that waited for the database at one moment."""
    asking = [
        span
        for lane in lanes
        for span in lane.spans
        if span.state is State.WAITING and span.wait.reason == "sql"
    ]
    changes = sorted([(span.start_ns, 1) for span in asking] + [(span.end_ns, -1) for span in asking])
    return max(accumulate(change for _, change in changes), default=0)


def answers_in_order(seen: Seen, queries: int) -> list[int]:
    """What the database drew for each query, which nobody can know beforehand."""
    calls = seen.calls("query")
    answers = sorted(calls.values)
    seen.expect(
        [answer // 1000 for answer in answers] == list(range(queries)),
        "Each query returned what the database drew for it.",
        "Each query n should return what the database drew for it, from 1000 n to 1000 n + 999; "
        f"they returned {answers}.",
        at=calls,
    )
    return answers
