"""What the queries must do, in sentences."""

from itertools import accumulate

from asyncdemo.model import Lane, Span, State, TrackKind
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
    seen.pool("psycopg2").held_in_each(calls).opened_and_closed_once_per_process()
    asked_by_the_pool(seen)
    closed_when_main_returns(seen)
    seen.ends_well()
    seen.no_warnings()


def closed_when_main_returns(seen: Seen) -> None:
    """What main only asks for may happen at some later moment, or never."""
    main, connections = seen.calls("main"), seen.pool("psycopg2").connections
    late = sum((one.closed_ns or 0) > main.lanes[0].end_ns for one in connections)
    seen.expect(
        not late,
        "The connections were closed before main returned.",
        f"The connections should be closed before main returns; {late} of {len(connections)} were open.",
        at=main,
    )


def asked_by_the_pool(seen: Seen) -> None:
    """While a query waits for its answer, it holds a connection of the pool, or it asks by another one."""
    slots = seen.pool("psycopg2").resources[0].slots
    without = []
    for lane in seen.calls("query").lanes:
        # There are shorter waits: for BEGIN, and for ROLLBACK when the connection is back already.
        asking = max(filter(is_asking, lane.spans), key=lambda span: span.duration_ns)
        if not any(
            slot.track == lane.track and slot.start_ns <= asking.start_ns < slot.end_ns for slot in slots
        ):
            without.append(lane.name)
    seen.expect(
        not without,
        "Each query used a connection from the pool.",
        f"Each query should use the connection that it takes from the pool; {''.join(without[:1])} used "
        "another one. Leave query as it is.",
        at=seen.calls("query"),
    )


def each_in_a_greenlet(seen: Seen) -> None:
    """A thread blocks nobody either, so it would hide whether the driver does."""
    calls = seen.calls("query")
    tracks = [(lane.name, seen.run.tracks[lane.track]) for lane in calls.lanes]
    elsewhere = [f"{name} ran in a thread" for name, track in tracks if track.kind is TrackKind.THREAD]
    seen.expect(
        not elsewhere,
        "Each query ran in a greenlet.",
        f"Each query should run in its own greenlet; {''.join(elsewhere[:1])}.",
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
    asking = [span for lane in lanes for span in lane.spans if is_asking(span)]
    changes = sorted([(span.start_ns, 1) for span in asking] + [(span.end_ns, -1) for span in asking])
    return max(accumulate(change for _, change in changes), default=0)


def is_asking(span: Span) -> bool:
    return span.state is State.WAITING and span.wait.reason == "sql"


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
