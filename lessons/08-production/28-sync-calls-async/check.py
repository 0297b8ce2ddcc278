"""What the old code must get from the async driver, in sentences."""

from collections import Counter

from asyncdemo.model import Lane, Outcome
from asyncdemo.testing.checks import Calls, Seen

TOO_LARGE = 10**10
"""The other number that main asks for: the driver refuses it."""
LATE_S = 0.65
"""How late even a busy machine wakes up a thread. A drawn LIMIT_S is so long that a fifth of it is more."""


def check(seen: Seen) -> None:
    films, threads = int(seen.knobs["FILMS"]), int(seen.knobs["THREADS"])
    slow, unknown = int(seen.knobs["SLOW"]), int(seen.knobs["UNKNOWN"])
    lengths, queries = seen.calls("length"), seen.calls("query", "queries")
    some = [f"length({n})" for n in range(1, films + 1)]
    asked = Counter(lane.name for lane in lengths.lanes)
    wanted = Counter([*3 * some, *(f"length({n})" for n in (1, unknown, TOO_LARGE, slow))])
    the_same(seen, len(seen.calls("main")) == 1 and asked == wanted, "main")
    each_asks_the_database(seen, lengths, queries)
    one_loop(seen, queries)
    pool = seen.pool("asyncpg").made_once_per_process().held_in_each(queries)
    each_gets_its_answer(seen, lengths.only(*some), queries)
    for film in (unknown, TOO_LARGE):
        (error,) = (lane.error for lane in queries.only(f"query({film})").lanes)
        the_same(seen, error is not None, "query")
        raises(seen, lengths.only(f"length({film})"), str(error), "as its query does")
    # Who waits for its turn takes longer than the limit, too.
    queries.peak_at_least(threads)
    the_limit(seen, lengths.only(f"length({slow})"), queries.only(f"query({slow})"), queries)
    asked_for = [lane for lane in queries.lanes if number(lane) != TOO_LARGE]
    the_same(seen, all(took_s(lane) >= float(seen.knobs["QUERY_S"]) for lane in asked_for), "query")
    pool.opened_at_most(threads).held_exactly(threads)
    pool.opened_and_closed_once_per_process()
    the_thread_is_over(seen, queries)
    returns_the_lengths(seen, lengths, films, [unknown, TOO_LARGE, slow])
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
        f"One event loop, in its own thread, should run all queries; they ran {where}.",
        at=queries,
    )


def each_gets_its_answer(seen: Seen, lengths: Calls, queries: Calls) -> None:
    lengths.all_return()
    queries.only(*(f"query({number(lane)})" for lane in lengths.lanes)).all_return()
    answers = dict(zip((number(lane) for lane in queries.lanes), queries.values, strict=True))
    for lane, value in zip(lengths.lanes, lengths.values, strict=True):
        answer = answers[number(lane)]
        seen.expect(
            value == answer and type(value) is int,
            "",
            f"{lane.name} should return what its query returned, {answer}; it returned {value!r}.",
            at=lengths,
        )
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
    limit_s = float(seen.knobs["LIMIT_S"])
    raises(seen, call, "TimeoutError", f"since there is no answer after {limit_s:g} s")
    (lane,), (query,) = call.lanes, its_query.lanes
    call.take_at_least(limit_s)
    seen.expect(
        took_s(lane) < limit_s + LATE_S,
        "",
        f"{lane.name} should raise TimeoutError after {limit_s:g} s, and not wait for the answer; it took "
        f"{took_s(lane):.1f} s.",
        at=call,
    )
    # The queries after it take QUERY_S, so there is that much time to cancel it.
    after = [other for other in queries.lanes if other.start_ns > lane.end_ns]
    later = [other.end_ns for other in after if number(other) != TOO_LARGE]
    over = query.outcome is Outcome.CANCELLED and query.end_ns < min(later)
    lasted = f"it was open for {(query.end_ns - lane.end_ns) / 1e9:.1f} s more"
    seen.expect(
        over,
        f"{query.name} was cancelled when nobody waited for it any more.",
        f"{query.name} should be cancelled when {lane.name} gives up; {lasted}, and held a connection.",
        at=its_query,
    )


def the_thread_is_over(seen: Seen, queries: Calls) -> None:
    """When close returns."""
    (closing,) = seen.calls("close").happen(1).all_return().lanes
    index = seen.run.tracks[queries.lanes[0].track].thread
    assert index is not None  # that of the loop, see one_loop
    thread = seen.run.tracks[index]
    over = thread.outcome is Outcome.RETURNED and thread.end_ns <= closing.end_ns
    # A thread that nobody joins may be over by luck, and another time it isn't.
    joined = any(span.wait.reason == "thread" and span.wait.on == index for span in closing.spans)
    seen.expect(
        over and joined,
        "When close returned, the thread of the event loop had ended.",
        "When close returns, the thread of the event loop should have ended; "
        + ("close did not wait for it, with join." if over else "it was still running."),
        at=seen.calls("close"),
    )


def returns_the_lengths(seen: Seen, lengths: Calls, films: int, failing: list[int]) -> None:
    """As main shows it: each length, and each error with its words."""
    values = dict(zip((number(lane) for lane in lengths.lanes), lengths.values, strict=True))
    errors = dict(
        zip((number(lane) for lane in lengths.lanes), (one.error for one in lengths.lanes), strict=True)
    )
    some = list(range(1, films + 1))
    (returned,) = seen.calls("main").happen(1).all_return().values
    the_same(seen, isinstance(returned, list) and len(returned) == 3 * films + len(failing) + 1, "main")
    shown = list(returned)
    errors_shown, unknown = shown[films : films + len(failing)], failing[0]
    words = f"LookupError('there is no film {unknown}')"
    seen.expect(
        errors_shown[0] == words,
        f"length({unknown}) raised the error of its query.",
        f"length({unknown}) should raise the error of its query, {words}; it raised {errors_shown[0]}.",
        at=lengths,
    )
    seen.expect(
        str(TOO_LARGE) in str(errors_shown[1]),
        f"length({TOO_LARGE}) raised the error of its query.",
        f"length({TOO_LARGE}) should raise the error of its query, which names {TOO_LARGE}; it raised "
        f"{errors_shown[1]}.",
        at=lengths,
    )
    wanted = [values[n] for n in (*some, 1, *some, *some)]
    alike = [str(one).startswith(f"{errors[n]}(") for n, one in zip(failing, errors_shown, strict=True)]
    the_same(seen, all(alike) and shown[:films] + shown[films + len(failing) :] == wanted, "main")


def the_same(seen: Seen, holds: bool, functions: str) -> None:
    seen.expect(holds, "", f"Leave {functions} as the exercise has it.")


def number(lane: Lane) -> int:
    """The film that the call is about."""
    return int(lane.name.partition("(")[2].rstrip(")"))


def took_s(lane: Lane) -> float:
    return (lane.end_ns - lane.start_ns) / 1e9
