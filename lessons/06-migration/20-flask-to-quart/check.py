"""What the app must do once the move is whole, in sentences."""

import json

from asyncdemo.testing.checks import Calls, Seen


def check(seen: Seen) -> None:
    each = int(seen.knobs["CLIENTS"]) // 3
    films, reviews = seen.calls("film", "requests for a film"), seen.calls("add_review", "reviews")
    stores = seen.calls("store", "reviews stored")
    seen.never_blocked()
    nobody_sleeps_in_the_loop(seen, films)
    seen.requests("/films/7/", "requests for film 7").all_answered(each).all_answer(
        {"id": 7, "title": "Film 7"}
    )
    missing = seen.requests("/films/999/", "requests for a film that is not there")
    missing.all_answered(each, status=404).all_answer({"error": "no such film"})
    review = {"film_id": 7, "rating": 12}
    seen.requests("/reviews/", "reviews").all_answered(each, status=201).all_answer({"stored": review})
    films.happen(2 * each).all_return().all_overlap()
    looked_up(seen, films, 2 * each)
    reviews.happen(each).all_return()
    each_review_is_stored(seen, reviews, stores)
    stored_as_sent(seen, stores)
    stores.all_return().take_at_least(int(seen.knobs["QUERY_MS"]) / 1000 - 0.002).all_overlap()
    seen.ends_well()


def nobody_sleeps_in_the_loop(seen: Seen, films: Calls) -> None:
    """Not for a moment: many short sleeps add up."""
    sleeps = sum(call.reason == "sleep" for call in seen.run.blocking_calls)
    seen.expect(
        not sleeps,
        "No coroutine called time.sleep.",
        f"A coroutine should not call time.sleep, however short: the event loop stood still {sleeps} times.",
        at=films,
    )


def looked_up(seen: Seen, films: Calls, times: int) -> None:
    """A title can be guessed here, so what counts is that query was called."""
    queries = [lane.name for lane in seen.run.lanes if lane.name.startswith("query(")]
    seen.expect(
        len(queries) == times,
        "Each film was looked up.",
        f"Each film should be looked up with query; it was called {len(queries)} times for {times} requests.",
        at=films,
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
        f"Even so, the clients were told: {', '.join(sorted(bodies))}",
        at=reviews,
    )
