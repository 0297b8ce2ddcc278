"""What the old code must get from the async driver, in sentences."""

from collections import Counter

from asyncdemo.model import Lane, Outcome
from asyncdemo.testing.checks import Calls, Seen


def check(seen: Seen) -> None:
    films, threads = int(seen.knobs["FILMS"]), int(seen.knobs["THREADS"])
    slow, unknown = int(seen.knobs["SLOW"]), int(seen.knobs["UNKNOWN"])
    lengths, queries = seen.calls("length"), seen.calls("query", "queries")
    some = [f"length({n})" for n in range(1, films + 1)]
    asked = Counter(lane.name for lane in lengths.lanes)
    wanted = Counter([*some, f"length({unknown})", f"length({slow})", *some])
    the_same(seen, len(seen.calls("main")) == 1 and asked == wanted, "main")
    each_asks_the_database(seen, lengths, queries)
    one_loop(seen, queries)
    pool = seen.pool("asyncpg").made_once_per_process().held_in_each(queries)
    each_gets_its_answer(seen, lengths.only(*some), queries)
    raises(seen, lengths.only(f"length({unknown})"), "LookupError", "as its query does")
    the_limit(seen, lengths.only(f"length({slow})"), queries.only(f"query({slow})"), queries)
    the_same(seen, all(took_s(lane) >= float(seen.knobs["QUERY_S"]) for lane in queries.lanes), "query")
    queries.peak_at_least(threads)
    pool.opened_at_most(threads).held_exactly(threads)
    pool.opened_and_closed_once_per_process()
    the_thread_is_over(seen, queries)
    seen.calls("main").return_values([answers(lengths, films, unknown, slow)])
    seen.never_blocked()
    seen.no_warnings()


def each_asks_the_database(seen: Seen, lengths: Calls, queries: Calls) -> None:
    missing = Counter(number(lane) for lane in lengths.lanes)
    missing.subtract(number(lane) for lane in queries.lanes)
    film, calls = max(missing.items(), key=lambda item: abs(item[1]))
    times = sum(number(lane) == film for lane in queries.lanes)
    seen.expect(
        calls == 0,
        "Each call of length asked the database once.",
        f"Each call of length should ask the database once; length({film}) was called {calls + times} times, "
        f"and query({film}) {times} times.",
        at=queries,
    )


def one_loop(seen: Seen, queries: Calls) -> None:
    """A loop is known by its thread."""
    tracks = seen.run.tracks
    running = {tracks[lane.track].thread for lane in queries.lanes}
    callers = {lane.track for lane in (*seen.calls("length").lanes, *seen.calls("main").lanes)}
    where = "in one thread, which calls length too" if len(running) == 1 else f"in {len(running)} threads"
    seen.expect(
        len(running) == 1 and not running & callers,
        "All queries ran in the event loop of one thread, which does nothing else.",
        f"One event loop, in a thread of its own, should run all queries; they ran {where}.",
        at=queries,
    )


def each_gets_its_answer(seen: Seen, lengths: Calls, queries: Calls) -> None:
    lengths.all_return()
    queries.only(*(f"query({number(lane)})" for lane in lengths.lanes)).all_return()
    told = dict(zip((number(lane) for lane in queries.lanes), queries.values, strict=True))
    for lane, value in zip(lengths.lanes, lengths.values, strict=True):
        answer = told[number(lane)]
        seen.expect(
            value == answer and type(value) is int,
            "",
            f"{lane.name} should return what its query returned, {answer}; it returned {value!r}.",
            at=lengths,
        )
        seen.held.pop()
    seen.held.append("Each call of length returned what its query returned.")


def raises(seen: Seen, calls: Calls, error: str, why: str) -> None:
    """Of one call."""
    (lane,), (value,) = calls.lanes, calls.values
    ended = f"raised {lane.error}" if lane.outcome is Outcome.RAISED else f"returned {value!r}"
    seen.expect(
        lane.outcome is Outcome.RAISED and lane.error == error,
        f"{lane.name} raised {error}.",
        f"{lane.name} should raise {error}, {why}; it {ended}, after {took_s(lane):.1f} s.",
        at=calls,
    )


def the_limit(seen: Seen, call: Calls, its_query: Calls, queries: Calls) -> None:
    limit_s, slow_s = float(seen.knobs["LIMIT_S"]), float(seen.knobs["SLOW_S"])
    raises(seen, call, "TimeoutError", f"since there is no answer after {limit_s:g} s")
    (lane,), (query,) = call.lanes, its_query.lanes
    call.take_at_least(limit_s)
    seen.expect(
        took_s(lane) < (limit_s + slow_s) / 2,
        "",
        f"{lane.name} should raise TimeoutError after {limit_s:g} s, and not wait for the answer; it took "
        f"{took_s(lane):.1f} s.",
        at=call,
    )
    seen.held.pop()
    # The queries after it take QUERY_S, so whoever cancels it has that much time.
    later = [other.end_ns for other in queries.lanes if other.start_ns > lane.end_ns]
    over = query.outcome is Outcome.CANCELLED and query.end_ns < min(later)
    lasted = f"it was open for {(query.end_ns - lane.end_ns) / 1e9:.1f} s more"
    seen.expect(
        over,
        f"{query.name} was cancelled when nobody waited for it any more.",
        f"{query.name} should be cancelled when {lane.name} gives up; {lasted}, and had a connection.",
        at=its_query,
    )


def the_thread_is_over(seen: Seen, queries: Calls) -> None:
    """When close returns."""
    (closing,) = seen.calls("close").happen(1).all_return().lanes
    index = seen.run.tracks[queries.lanes[0].track].thread
    assert index is not None  # that of the loop, see one_loop
    thread = seen.run.tracks[index]
    seen.expect(
        thread.outcome is Outcome.RETURNED and thread.end_ns <= closing.end_ns,
        "When close returned, the thread of the event loop was over.",
        "When close returns, the thread of the event loop should be over; it was still running.",
        at=seen.calls("close"),
    )


def answers(lengths: Calls, films: int, unknown: int, slow: int) -> list[int | str]:
    told = dict(zip((number(lane) for lane in lengths.lanes), lengths.values, strict=True))
    errors = {unknown: "LookupError", slow: "TimeoutError"}
    some = list(range(1, films + 1))
    return [errors.get(n) or told[n] for n in [*some, unknown, slow, *some]]


def the_same(seen: Seen, holds: bool, functions: str) -> None:
    seen.expect(holds, "", f"Leave {functions} as the exercise has it.")
    seen.held.pop()


def number(lane: Lane) -> int:
    """The film that the call is about."""
    return int(lane.name.partition("(")[2].rstrip(")"))


def took_s(lane: Lane) -> float:
    return (lane.end_ns - lane.start_ns) / 1e9
