"""Who stores whose reviews, over which connection and in which transaction, in sentences."""

import re
from collections import Counter, defaultdict

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.testing.checks import Calls, Lane, Outcome, Seen

Review = tuple[int, int]
"""Film and rating."""
STORE_S = 0.2
"""How long the database takes for a review."""
LONG_SLEEP_S = 1.0
"""With the fewest clients for their connections, serving them takes longer."""

TOGETHER = "SQLAlchemy raises that when two tasks use one session at the same time."
FAILED_BEFORE = "Its transaction had failed before, in another call, so nothing more can be stored in it."
WHY = {
    "InvalidRequestError": TOGETHER,
    "IllegalStateChangeError": TOGETHER,
    "InterfaceError": "asyncpg raises that when two tasks use one connection at the same time.",
    "DBAPIError": FAILED_BEFORE,
    "PendingRollbackError": FAILED_BEFORE,
    "TimeoutError": "It waited for a connection, and got none for 10 s. Who held them all that time?",
}
"""By the name of the error: what it means here."""
CANCELLED = "Nobody waited for its task, or the error of another task ended this one too."


def check(seen: Seen) -> None:
    clients, connections = int(seen.knobs["CLIENTS"]), int(seen.knobs["CONNECTIONS"])
    refused = int(seen.knobs["REFUSED"])
    reviews = {client: reviews_of(seen, client) for client in range(1, clients + 1)}
    stores = seen.calls("store", "stores")
    the_same(seen, all(len(arguments(lane)) == 2 for lane in stores.lanes), "store")
    the_same(seen, len(seen.calls("main")) == len(seen.calls("serve")) == 1, "main")
    no_shared_transaction(seen, stores)
    nothing_else_goes_wrong(seen, stores, reviews[refused][1])
    it_waits_for_clients(seen)
    each_is_stored_once(seen, stores, reviews, refused)
    whole = (lane for lane in stores.lanes if lane.outcome is Outcome.RETURNED)
    the_same(seen, all(took_s(lane) >= STORE_S for lane in whole), "store")
    one_transaction(seen, stores)
    in_the_database(seen, reviews, refused)
    answers(seen, clients, refused)
    over_connections(seen, stores, connections)
    seen.no_warnings()


def nothing_else_goes_wrong(seen: Seen, stores: Calls, bad: Review) -> None:
    """What raised stands before what was cancelled, as that may come of it."""
    for lane in sorted(stores.lanes, key=lambda lane: lane.outcome is not Outcome.RAISED):
        expected = review(lane) == bad and lane.error == "IntegrityError"
        why = WHY.get(lane.error or "", "") if lane.outcome is Outcome.RAISED else CANCELLED
        seen.expect(
            lane.outcome is Outcome.RETURNED or expected,
            "",
            f"{lane.name} should store its review; it {ended(lane)}. {why}".rstrip(),
            at=stores,
        )
    seen.held.append("Nothing but the review of an unknown film was refused.")


def it_waits_for_clients(seen: Seen) -> None:
    """A sleep that comes to the right result is so long that it is no look now and then."""
    (serve,) = seen.calls("serve").lanes
    slept_s = max(
        (
            (span.end_ns - span.start_ns) / 1e9
            for span in seen.run.tracks[serve.track].spans
            if span.wait.reason == "sleep" and serve.start_ns <= span.start_ns < serve.end_ns
        ),
        default=0.0,
    )
    seen.expect(
        slept_s < LONG_SLEEP_S,
        "",
        f"serve should wait for its clients, and for nothing else; it slept for {slept_s:.1f} s. "
        "The next clients may take longer.",
        at=seen.calls("store"),
    )


def each_is_stored_once(seen: Seen, stores: Calls, reviews: dict[int, list[Review]], refused: int) -> None:
    """Of the client that is refused: what comes before the bad one, and that. The rest need not be tried."""
    every = [review for sent in reviews.values() for review in sent]
    times = Counter(review(lane) for lane in stores.lanes)
    the_same(seen, times.keys() <= set(every), "reviews_of")
    for client, sent in reviews.items():
        for one in sent[1::-1] if client == refused else sent:
            left_out = one[0] > 1000 and not times[one]
            seen.expect(
                times[one] == 1,
                "",
                f"store should be called once for each review of client {client}; it was called "
                f"{times[one]} times for film {one[0]}."
                f"{' Whether there is such a film is for the database to say.' if left_out else ''}",
                at=stores,
            )
    seen.held.append("store was called once for each review.")


def no_shared_transaction(seen: Seen, stores: Calls) -> None:
    clients = defaultdict[int, set[int]](set)
    for client, transaction in transactions(seen, stores):
        clients[transaction].add(client)
    shared = next((sorted(who) for who in clients.values() if len(who) > 1), [])
    seen.expect(
        not shared,
        "",
        f"The transaction of a client should be no other client's; reviews of clients {listed(shared)} were "
        "stored in the same one. Do these clients share a session?",
        at=stores,
    )


def one_transaction(seen: Seen, stores: Calls) -> None:
    used = defaultdict[int, set[int]](set)
    for client, transaction in transactions(seen, stores):
        used[client].add(transaction)
    several = next((client for client in sorted(used) if len(used[client]) > 1), 0)
    seen.expect(
        not several,
        "Each client's reviews were stored in their own transaction.",
        f"The reviews of a client should be stored in one transaction; those of client {several} were stored "
        f"in {len(used[several])}.",
        at=stores,
    )


def transactions(seen: Seen, stores: Calls) -> list[tuple[int, int]]:
    """The client and the transaction of each review that was stored, for the moment at least."""
    found = []
    for lane, value in zip(stores.lanes, stores.values, strict=True):
        if lane.outcome is Outcome.RETURNED:
            the_same(seen, type(value) is int, "store")
            assert isinstance(value, int)
            found.append((client_of(lane), value))
    return found


def in_the_database(seen: Seen, reviews: dict[int, list[Review]], refused: int) -> None:
    (rows,) = seen.calls("main").values
    the_same(
        seen, isinstance(rows, list) and all(type(row) is list and len(row) == 2 for row in rows), "main"
    )
    assert isinstance(rows, list)
    found = Counter((row[0], row[1]) for row in rows)
    for client, sent in reviews.items():
        there = sum(found[one] for one in sent)
        if client == refused:
            what = "One review of client {} was refused, so none of them should be in the database"
            wanted = 0
        else:
            what = "All reviews of client {} should be in the database when serve returns"
            wanted = len(sent)
        seen.expect(
            there == wanted,
            "",
            f"{what.format(client)}; {there} of {len(sent)} {'was' if there == 1 else 'were'}.",
            at=seen.calls("store"),
        )
    the_same(
        seen, found.total() == sum(len(sent) for sent in reviews.values()) - len(reviews[refused]), "main"
    )
    seen.held.append("The database had all reviews of each client, and none of the one that was refused.")


def answers(seen: Seen, clients: int, refused: int) -> None:
    wanted = ["refused" if client == refused else "stored" for client in range(1, clients + 1)]
    seen.calls("serve").return_values([wanted])


def over_connections(seen: Seen, stores: Calls, connections: int) -> None:
    """Before its last STORE_S seconds, a call may have waited for a connection; then the database worked."""
    found = re.findall(r"Checked out connections: (\d+)", seen.stdout)
    the_same(seen, bool(found), "main")
    seen.expect(
        found[-1] == "0",
        "When serve returned, nobody held a connection.",
        f"When serve returns, nobody should hold a connection; {found[-1]} of {connections} were still held. "
        "Who closes each session, and when?",
        at=stores,
    )
    store_ns = round(STORE_S * 1e9)
    spans = defaultdict[int, list[tuple[int, int]]](list)
    for lane in stores.lanes:
        spans[client_of(lane)].append((max(lane.start_ns, lane.end_ns - store_ns), lane.end_ns))
    served = [(min(start for start, _ in own), max(end for _, end in own)) for own in spans.values()]
    most = most_at_once(served)
    seen.expect(
        most >= connections,
        "",
        f"{connections} clients should be served at the same time; never more than {most} were.",
        at=stores,
    )
    # In the last review of each client that has one after it; one may fall into a gap on a busy machine.
    alone = [
        together
        for _, end_ns in served
        if any(later_ns > end_ns for later_ns, _ in served)
        and (together := sum(begin <= end_ns - store_ns / 2 < end for begin, end in served)) < connections
    ]
    seen.expect(
        len(alone) <= 1,
        f"{connections} clients were served at the same time, as long as there were that many.",
        f"{connections} clients should be served at the same time, as long as there are that many; "
        f"while others waited, there were only {min(alone, default=0)}.",
        at=stores,
    )
    (serve,) = seen.calls("serve").lanes
    opened = sum(lane.start_ns < serve.end_ns for lane in seen.calls("connect").lanes)
    seen.expect(
        opened == connections,
        f"In all, {connections} connections were opened.",
        f"In all, {connections} connections should be opened, those of the engine's pool; {opened} were.",
        at=seen.calls("connect"),
    )


def reviews_of(seen: Seen, client: int) -> list[Review]:
    """As the exercise has it."""
    second = 1002 if client == seen.knobs["REFUSED"] else 2
    seed = int(seen.knobs["SEED"])
    return [(100 * client + n, (client + n) * seed % 5 + 1) for n in (1, second, 3, 4)]


def listed(numbers: list[int]) -> str:
    return " and ".join([", ".join(map(str, numbers[:-1])), *map(str, numbers[-1:])])


def the_same(seen: Seen, holds: bool, functions: str) -> None:
    seen.expect(holds, "", f"Leave {functions} as the exercise has it.")


def ended(lane: Lane) -> str:
    return f"raised {lane.error}" if lane.outcome is Outcome.RAISED else f"was {lane.outcome.value}"


def arguments(lane: Lane) -> list[int]:
    """But for the session: ``store(..., 101, 4)``."""
    return [int(number) for number in re.findall(r"\d+", lane.name)]


def review(lane: Lane) -> Review:
    film_id, rating = arguments(lane)
    return film_id, rating


def client_of(lane: Lane) -> int:
    return review(lane)[0] % 1000 // 100


def took_s(lane: Lane) -> float:
    return (lane.end_ns - lane.start_ns) / 1e9
