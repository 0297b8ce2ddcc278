"""What the app must do once the move is whole, in sentences."""

import json
from pathlib import PurePath
from typing import Final

from asyncdemo.model import ResourceKind, State, TrackKind
from asyncdemo.testing.checks import Calls, Lane, Seen

THREADS: Final = 4
"""At least this many queries, if they are left to a pool of threads; asyncio's has one more or several."""
LATE_S: Final = 0.25
"""How much longer one sleep may last than another on a busy machine: half of what a drawn QUERY_MS is."""
NOTICED_NS: Final = 5_000_000
"""A blocking call in a coroutine is one that takes longer."""


def check(seen: Seen) -> None:
    each, clients = int(seen.knobs["REQUESTS"]) // 3, int(seen.knobs["CLIENTS"])
    query_s = int(seen.knobs["QUERY_MS"]) / 1000
    films, reviews = seen.calls("film", "requests for a film"), seen.calls("add_review", "reviews")
    queries, stores = seen.calls("query", "queries"), seen.calls("store", "reviews stored")
    seen.never_blocked()
    nothing_blocks_for_a_moment(seen, films)
    seen.requests("/films/7/", "requests for film 7").all_answered(each).all_answer(
        {"id": 7, "title": "Film 7"}
    )
    missing = seen.requests("/films/999/", "requests for a film that is not there")
    missing.all_answered(each, status=404).all_answer({"error": "no such film"})
    review = {"film_id": 7, "rating": 12}
    seen.requests("/reviews/", "reviews").all_answered(each, status=201).all_answer({"stored": review})
    films.happen(2 * each).all_return()
    looked_up(seen, films, 2 * each)
    queries.all_return().take_at_least(query_s - 0.002)
    nobody_waits_for_another(seen, films)
    nobody_waits_for_another(seen, reviews)
    first_overlap(seen, films, clients // 3 * 2)
    queries.peak_at_least(THREADS)
    waits_without_work(seen, queries)
    reviews.happen(each).all_return()
    each_review_is_stored(seen, reviews, stores)
    stored_as_sent(seen, stores)
    stores.all_return().take_at_least(query_s - 0.002)
    first_overlap(seen, stores, clients // 3)
    nobody_asks_for_its_turn(seen, films)
    nobody_asks_for_its_turn(seen, reviews)
    seen.ends_well()


def nothing_blocks_for_a_moment(seen: Seen, films: Calls) -> None:
    """Many short sleeps, or waits of any other kind, add up."""
    calls = [
        call
        for call in seen.run.blocking_calls
        if call.reason == "sleep" or (call.called_from and call.end_ns - call.start_ns > NOTICED_NS)
    ]
    what = "time.sleep" if any(call.reason == "sleep" for call in calls) else "anything that blocks"
    seen.expect(
        not calls,
        "No coroutine made a call that blocks.",
        f"A coroutine should not call {what}, however short: it held up the event loop {len(calls)} times.",
        at=films,
    )


def looked_up(seen: Seen, films: Calls, times: int) -> None:
    """A title can be guessed here, so what counts is that query was called."""
    queries = len(seen.calls("query"))
    seen.expect(
        queries == times,
        "Each request for a film looked it up.",
        f"Each request for a film should look it up with query; it was called {queries} times for {times} "
        "requests.",
        at=films,
    )


def nobody_waits_for_another(seen: Seen, requests: Calls) -> None:
    """At a lock or a semaphore, or for a token from a queue. A pool of threads, limited too, is allowed."""
    limits = (ResourceKind.LOCK, ResourceKind.SEMAPHORE)
    held_back = [
        span.wait
        for lane in requests.lanes
        for span in lane.spans
        if span.wait.reason == "empty queue"
        or (span.state is State.QUEUED and kind_of(seen, span.wait.resource) in limits)
    ]
    site = next((wait.site for wait in held_back if wait.site), None)
    times = len(held_back) + let_go_on(seen, requests)
    seen.expect(
        not times,
        "No request waited for another.",
        "No request should wait until another one lets it go on: all are under way at the same time. "
        f"{times} times, one did{f' at line {site.line}' if site else ''}.",
        at=requests,
    )


def let_go_on(seen: Seen, requests: Calls) -> int:
    """How often another request, or a task of this app, made one go on: with a future, an event, ...

    Its own tasks may, and those of the server, which hand it the body.
    """
    tracks, handlers = seen.run.tracks, [*seen.calls("film").lanes, *seen.calls("add_review").lanes]
    families = {lane.track: family(seen, lane) for lane in handlers}
    in_requests = set[int]().union(*families.values())
    open_at = {lane.track: lane for lane in requests.lanes}
    script, times = PurePath(seen.run.script).name, 0
    for wake in seen.run.wakes:
        lane, waker = open_at.get(wake.woken), tracks[wake.waker]
        if lane is None or not lane.start_ns <= wake.at_ns <= lane.end_ns or waker.kind is not TrackKind.TASK:
            continue
        of_the_app = waker.site is not None and PurePath(waker.site.file).name == script
        if wake.waker not in families[wake.woken] and (of_the_app or wake.waker in in_requests):
            times += 1
    return times


def family(seen: Seen, lane: Lane) -> set[int]:
    """The task of the call, and those that were begun in it."""
    own = {lane.track}
    for track in seen.run.tracks:
        if track.parent in own and lane.start_ns <= track.start_ns <= lane.end_ns:
            own.add(track.index)
    return own


def nobody_asks_for_its_turn(seen: Seen, requests: Calls) -> None:
    """By sleeping again and again; store, which sleeps once, shows how busy this machine is."""
    longest_s = max(slept_s(lane) for lane in seen.calls("store").lanes)
    late = [lane for lane in requests.lanes if slept_s(lane) > longest_s + LATE_S]
    seen.expect(
        not late,
        "",
        "No request should sleep until it is its turn: all are under way at the same time. "
        f"{late[0].name if late else ''} slept for {slept_s(late[0]) if late else 0:.2f} s, and store for "
        f"{longest_s:.2f} s at most.",
        at=requests,
    )


def slept_s(lane: Lane) -> float:
    return sum(span.duration_ns for span in lane.spans if span.wait.reason == "sleep") / 1e9


def kind_of(seen: Seen, resource: int | None) -> ResourceKind | None:
    return None if resource is None else seen.run.resources[resource].kind


def first_overlap(seen: Seen, calls: Calls, many: int) -> None:
    """Of the requests that all clients send at first; each sends the next one when it has its answer."""
    first = calls.lanes[:many]
    ended = min(first, key=lambda lane: lane.end_ns)
    begun = sum(lane.start_ns < ended.end_ns for lane in first)
    seen.expect(
        begun == len(first),
        f"The first {many} calls of {calls.function} were open at the same time.",
        f"The first {many} calls of {calls.function} should be open at the same time, one for each client "
        f"that sends such a request; only {begun} had begun when the first was over.",
        at=calls,
    )


def waits_without_work(seen: Seen, queries: Calls) -> None:
    """Who asks again and again what time it is keeps the event loop busy, if only for a moment each time."""
    busy = max(
        sum(span.duration_ns for span in lane.spans if span.state is State.RUNNING)
        / (lane.end_ns - lane.start_ns)
        if seen.run.tracks[lane.track].kind is TrackKind.TASK
        else 0
        for lane in queries.lanes
    )
    seen.expect(
        busy < 0.5,
        "Queries waited without keeping the event loop busy.",
        f"A query should only wait; one of them kept the event loop busy for {busy:.0%} of its time.",
        at=queries,
    )


def stored_as_sent(seen: Seen, stores: Calls) -> None:
    other = next((lane.name for lane in stores.lanes if lane.name != "store(7, 12)"), "")
    seen.expect(
        not other,
        "Each review was stored as it was sent.",
        f"Each review should be stored as it was sent, by store(7, 12); {other} was called.",
        at=stores,
    )


def each_review_is_stored(seen: Seen, reviews: Calls, stores: Calls) -> None:
    """As many were stored at any time as had been answered until then."""
    stored = sorted(lane.end_ns for lane in stores.lanes)
    answered = sorted(lane.end_ns for lane in reviews.lanes)
    early = sum(stored_at > at for stored_at, at in zip(stored, answered, strict=False))
    never = max(len(reviews) - len(stores), 0)
    found = f"{never} of {len(reviews)} never were" if never else f"{early} were answered first"
    if len(stores) > len(reviews):
        found = f"{len(stores)} were stored, of {len(reviews)}"
    bodies = {json.dumps(body) for body in seen.requests("/reviews/").bodies}
    seen.expect(
        not early and not never and len(stores) == len(reviews),
        "Each review was stored once, and its request answered after that.",
        f"Each review should be stored once, before its request is answered; {found}. "
        f"Even so, the clients got: {', '.join(sorted(bodies))}",
        at=reviews,
    )
