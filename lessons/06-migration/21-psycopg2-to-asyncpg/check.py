"""What the moved routes must do, in sentences."""

from collections import Counter
from collections.abc import Iterator

from asyncdemo.services.films import films
from asyncdemo.testing.checks import Lane, Seen

BUSY_MS = 300
"""A step that makes a list of 1,000 films has been seen to take 170 ms on a busy machine."""


def check(seen: Seen) -> None:
    connections, requests, clients = (int(seen.knobs[name]) for name in ("MAXCONN", "REQUESTS", "CLIENTS"))
    if any(call.reason == "sql" for call in seen.run.blocking_calls):
        # A driver that blocks explains most of what else may be wrong.
        seen.never_blocked()
    seen.requests().all_answered(requests)
    pool = seen.pool("asyncpg").made_once_per_process().no_task_holds_two()
    opened_before_the_first_request(seen)
    rows_are_those_of_the_database(seen)
    reviews_are_there_once_answered(seen)
    each_asks_the_database(seen)
    the_list_counts_all_reviews(seen)
    pool.opened_at_most(connections)
    if connections < clients:
        pool.held_exactly(connections)
    seen.calls("film", "films").all_return().peak_at_least(4)
    pool.none_leaked().opened_and_closed_once_per_process()
    closed_after_the_last_request(seen)
    seen.no_step_over(BUSY_MS)
    seen.ends_well()
    seen.no_warnings()


def opened_before_the_first_request(seen: Seen) -> None:
    """The clients begin when the server answers, so what it does before that is done for all of them."""
    made_ns = min(pool.made_ns or 0 for pool in seen.run.resources if pool.name == "asyncpg")
    first_ns = min(request.sent_ns for request in seen.requests().requests)
    seen.expect(
        made_ns < first_ns,
        "The pool was made before the first request.",
        "The pool should be opened before the first request; it was made "
        f"{(made_ns - first_ns) / 1e6:.0f} ms after that was sent.",
    )


def closed_after_the_last_request(seen: Seen) -> None:
    """The server has finished what was under way when it says so to the task that handles its lifespan.

    None is under way when the check stops it, so closing early would do no harm here. A server without that
    task says nothing.
    """
    stopped_ns = [
        max((span.end_ns for span in track.spans if span.wait.reason == "empty queue"), default=0)
        for track in seen.run.tracks
        if track.function.endswith(".handle_lifespan")
    ]
    (pool,) = seen.pool("asyncpg").resources
    seen.expect(
        pool.closed_ns is not None and pool.closed_ns >= max(stopped_ns, default=0),
        "The pool was closed when no request could be under way any more.",
        "The pool should be closed after the last request; it was closed before the server had stopped, "
        "while requests could still be under way.",
    )


def each_asks_the_database(seen: Seen) -> None:
    """Films do not change and reviews are few, so answers alone do not tell whether the server kept them."""
    slots = [slot for pool in seen.pool("asyncpg").resources for slot in pool.slots]
    for route in ("film", "films", "add_review"):
        calls = seen.calls(route)
        asked = [
            sum(
                slot.start_ns < lane.end_ns and lane.start_ns < slot.end_ns
                for slot in slots
                if slot.track in own
            )
            for lane, own in ((lane, family(seen, lane)) for lane in calls.lanes)
        ]
        seen.expect(
            all(asked),
            "",
            f"Each request should ask the database; {asked.count(0)} of {len(asked)} calls of {route} used "
            "no connection of the pool, so their answers are not the database's.",
            at=calls,
        )
        # What depends on reviews may be asked for later than at first, but not earlier and then no more.
        by_lane = list(zip(calls.lanes, asked, strict=True))
        less = [
            number
            for lane, number in by_lane
            if any(before.end_ns <= lane.start_ns and number < more for before, more in by_lane)
        ]
        seen.expect(
            not less,
            "",
            f"Each request should ask the database for all of its answer; {len(less)} of {len(asked)} calls "
            f"of {route} used a connection less often than an earlier one, so part of the answers was kept.",
            at=calls,
        )
    seen.held.append("Each request asked the database.")


def family(seen: Seen, lane: Lane) -> set[int]:
    """The tracks of the call, and of the tasks and threads that were begun in it."""
    own = {lane.track}
    for track in seen.run.tracks:
        if track.parent in own and lane.start_ns <= track.start_ns <= lane.end_ns:
            own.add(track.index)
    return own


def rows_are_those_of_the_database(seen: Seen) -> None:
    """Films do not change, so all of an answer but the ratings is known beforehand."""
    other = list(other_rows(seen))
    seen.expect(
        not other,
        "The films were shown as the database has them.",
        f"Films should be shown as the database has them; {''.join(other[:1])}.",
    )


def other_rows(seen: Seen) -> Iterator[str]:
    """What was answered instead of what is there."""
    there = films()
    every = [{"film_id": film.film_id, "title": film.title} for film in there]
    for body in seen.requests("/films/").bodies:
        rows = body if isinstance(body, list) else []
        if [{"film_id": row.get("film_id"), "title": row.get("title")} for row in rows] != every:
            gave = f"{len(rows)} rows" if rows else "no list"
            yield f"/films/ should give the id and title of each of the {len(every)}, and gave {gave}"
    for film_id, path in films_asked_for(seen):
        known = {"title": there[film_id - 1].title, "length": there[film_id - 1].length}
        for body in seen.requests(path).bodies:
            if not isinstance(body, dict) or body != {**known, "ratings": body.get("ratings") or []}:
                yield f"{path} should give {known} and the ratings, and gave {body}"


def reviews_are_there_once_answered(seen: Seen) -> None:
    """A film shows each review that was answered before it was asked for, and none that was not yet sent."""
    reviews = seen.requests("/reviews/")
    stored = list(zip(reviews.requests, reviews.bodies, strict=True))
    wrong = []
    for film_id, path in films_asked_for(seen):
        of_film = [(request, body["rating"]) for request, body in stored if body["film_id"] == film_id]
        asked = seen.requests(path)
        for request, body in zip(asked.requests, asked.bodies, strict=True):
            least = Counter(rating for review, rating in of_film if review.end_ns <= request.sent_ns)
            most = Counter(rating for review, rating in of_film if review.sent_ns <= request.end_ns)
            shown = Counter(body["ratings"])
            if not least <= shown <= most:
                missing = (least - shown).total()
                message = (
                    f"{request.name} showed {ratings(shown)}, and {ratings(least)} had been answered before"
                )
                wrong.append((missing, message))
    seen.expect(
        not wrong,
        "Each review was shown from the moment at which its client was answered.",
        "A film should show every review whose client was answered before it was asked for; "
        f"{max(wrong)[1] if wrong else 'it did'}.",
        at=seen.calls("add_review"),
    )


def the_list_counts_all_reviews(seen: Seen) -> None:
    """As a film shows them. Nothing else in the list changes, so only this tells whether it was kept."""
    reviews, lists = seen.requests("/reviews/"), seen.requests("/films/")
    stored = [
        (request, body["film_id"]) for request, body in zip(reviews.requests, reviews.bodies, strict=True)
    ]
    wrong = []
    for request, body in zip(lists.requests, lists.bodies, strict=True):
        least = Counter(film for review, film in stored if review.end_ns <= request.sent_ns)
        most = Counter(film for review, film in stored if review.sent_ns <= request.end_ns)
        for row in body:
            film, shown = row["film_id"], row.get("reviews")
            if not isinstance(shown, int) or not least[film] <= shown <= most[film]:
                wrong.append(f"{request.name} says {shown} for film {film}, which already had {least[film]}")
    seen.expect(
        not wrong,
        "The list counted each review from the moment at which its client was answered.",
        "The list of films should count every review whose client was answered before it was asked for; "
        f"{wrong[0] if wrong else 'it did'}.",
        at=seen.calls("films"),
    )


def ratings(counted: Counter[int]) -> str:
    return ", ".join(map(str, sorted(counted.elements()))) or "none"


def films_asked_for(seen: Seen) -> list[tuple[int, str]]:
    """(film_id, path) of each film that somebody asked for."""
    paths = sorted({answer.path for answer in seen.answers} - {"/films/", "/reviews/"})
    return [(int(path.split("/")[2]), path) for path in paths]
