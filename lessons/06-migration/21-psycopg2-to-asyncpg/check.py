"""What the moved routes must do, in sentences."""

from collections.abc import Iterator

from asyncdemo.services.films import films
from asyncdemo.testing.checks import Seen


def check(seen: Seen) -> None:
    connections, requests, clients = (int(seen.knobs[name]) for name in ("MAXCONN", "REQUESTS", "CLIENTS"))
    if not len(seen.pool("asyncpg")):
        # Another driver? If it blocks, this explains most of what else may be wrong.
        seen.never_blocked()
    seen.requests().all_answered(requests)
    pool = seen.pool("asyncpg").made_once_per_process().no_task_holds_two()
    rows_are_those_of_the_database(seen)
    reviews_are_there_once_answered(seen)
    pool.opened_at_most(connections)
    if connections < clients:
        pool.held_exactly(connections)
    seen.calls("film", "films").all_return().peak_at_least(4)
    pool.none_leaked().opened_and_closed_once_per_process()
    seen.never_blocked()
    seen.ends_well()
    seen.no_warnings()


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
        if body != every:
            rows = f"{len(body)} rows" if isinstance(body, list) else "no list"
            yield f"/films/ should give the id and title of each of the {len(every)}, and gave {rows}"
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
            least = sum(review.end_ns <= request.sent_ns for review, _ in of_film)
            most = sum(review.sent_ns <= request.end_ns for review, _ in of_film)
            shown = len(body["ratings"])
            if not least <= shown <= most or set(body["ratings"]) - {rating for _, rating in of_film}:
                wrong.append((least - shown, f"{request.name} showed {shown} of at least {least}"))
    seen.expect(
        not wrong,
        "Each review was shown from the moment at which its client was answered.",
        "A film should show every review whose client was answered before it was asked for; "
        f"{max(wrong)[1] if wrong else 'it did'}.",
        at=seen.calls("add_review"),
    )


def films_asked_for(seen: Seen) -> list[tuple[int, str]]:
    """(film_id, path) of each film that somebody asked for."""
    paths = sorted({answer.path for answer in seen.answers} - {"/films/", "/reviews/"})
    return [(int(path.split("/")[2]), path) for path in paths]
