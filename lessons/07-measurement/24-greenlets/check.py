"""What the queries must do, in sentences."""

from itertools import accumulate

from asyncdemo.model import Lane, State, TrackKind
from asyncdemo.services.films import films
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
    the_hub_is_free(seen, seconds)
    calls.take_at_least(seconds)
    seen.calls("main").happen(1).return_values([answers_in_order(seen)])
    if len(seen.pool("psycopg2")):
        seen.pool("psycopg2").opened_and_closed_once_per_process()
    seen.ends_well()
    seen.no_warnings()


def each_in_a_greenlet(seen: Seen) -> None:
    """A thread blocks nobody either, so it would hide whether the driver does."""
    calls = seen.calls("query")
    tracks = [(lane.name, seen.run.tracks[lane.track]) for lane in calls.lanes]
    elsewhere = [f"{name} ran in a thread" for name, track in tracks if track.kind is TrackKind.THREAD]
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


def the_hub_is_free(seen: Seen, seconds: float) -> None:
    """Many short steps in which it waits for the database keep the hub as well as one long one."""
    calls = seen.calls("query")
    kept_s = (
        sum(span.duration_ns for lane in calls.lanes for span in lane.spans if span.state is State.RUNNING)
        / 1e9
    )
    seen.expect(
        kept_s < seconds / 2,
        "The queries left the hub to others while they waited.",
        f"While the database works, the hub should be free for other greenlets; the queries kept it for "
        f"{kept_s:.2f} s, in many short steps.",
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


def answers_in_order(seen: Seen) -> list[int]:
    """What the database holds, which the program can't know without it."""
    calls, there, first = seen.calls("query"), films(), int(seen.knobs["FIRST"])
    answers = {}
    for lane, value in zip(calls.lanes, calls.values, strict=True):
        n = int(lane.name.removeprefix("query(").partition(",")[0].rstrip(")"))
        answers[n] = there[first + n - 1].length
        seen.expect(
            value == answers[n],
            "",
            f"{lane.name} should return what the database says, {answers[n]} for film {first + n}; it "
            f"returned {value!r}. Leave query as it is.",
            at=calls,
        )
    seen.held.append("Each query returned what the database said.")
    return [answers[n] for n in sorted(answers)]
