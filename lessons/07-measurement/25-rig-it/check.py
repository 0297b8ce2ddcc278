"""What the two configurations must do, in sentences."""

from dataclasses import dataclass
from statistics import median

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.model import Lane
from asyncdemo.testing.checks import Calls, Seen

BOUNDS = {"workers": (2, 12), "sessions": (2, 12), "delay_ms": (50, 100), "clients": (2, 24)}
CLEAR = 1.5
SEEN = 1.2
"""What must be seen of CLEAR: a machine that is busy slows down the quicker one more."""
EARLY_NS = 2_000_000
"""A timer may fire up to a clock tick early."""
BUSY = "If this machine is busy with something else, check again. "


@dataclass(frozen=True)
class Side:
    """One of the two servers. places: the name of the setting that limits it."""

    name: str
    places: str
    title: str

    def limit(self, settings: dict[str, int]) -> int:
        return min(settings[self.places], settings["clients"])

    def words(self, settings: dict[str, int]) -> str:
        places, clients = settings[self.places], settings["clients"]
        return f"{self.title} has min({places} {self.places}, {clients} clients) = {self.limit(settings)}"


SYNC = Side("sync", "workers", "the synchronous server")
ASYNC = Side("async", "sessions", "the asynchronous server")


def check(seen: Seen) -> None:
    rounds = int(seen.knobs["ROUNDS"])
    configurations = [(chosen(seen, side), side) for side in (SYNC, ASYNC)]
    seen.held[:] = ["All settings are within their bounds."]
    seen.ends_well()
    for place, (settings, winner) in enumerate(configurations):
        loser = ASYNC if winner is SYNC else SYNC
        turns = range(place * rounds, (place + 1) * rounds)
        before = len(seen.held)
        for side in (SYNC, ASYNC):
            is_as_it_was(seen, side, settings, turns, 2 * rounds)
        seen.held[before:] = [f"Both servers ran with the settings of {winner.name}_wins, as given."]
        wins_by_arithmetic(seen, settings, winner, loser)
        wins_when_measured(seen, winner, loser, turns)
    seen.no_warnings()


def chosen(seen: Seen, side: Side) -> dict[str, int]:
    """The settings in which this side is to win; fails if they are not within the bounds."""
    name = f"{side.name}_wins"
    calls = seen.calls(name)
    seen.expect(bool(len(calls)), "", f"{name} should be called by main; it was not called.", at=calls)
    settings = calls.all_return().values[0]
    seen.expect(
        all(other == settings for other in calls.values),
        "",
        f"{name} should return the same settings each time; it returned {list(calls.values)!r}.",
        at=calls,
    )
    whole = isinstance(settings, dict) and all(type(value) is int for value in settings.values())
    seen.expect(
        whole and set(settings) == set(BOUNDS),
        f"{name} returned all settings.",
        f"{name} should return a whole number for each of {', '.join(BOUNDS)}; it returned {settings!r}.",
        at=seen.calls(name),
    )
    for setting, (low, high) in BOUNDS.items():
        seen.expect(
            low <= settings[setting] <= high,
            f"{setting} of {name} is within its bounds.",
            f"{setting} of {name} should be from {low} to {high}; it is {settings[setting]}.",
        )
    return dict(settings)


def is_as_it_was(seen: Seen, side: Side, settings: dict[str, int], turns: range, times: int) -> None:
    """It ran with these settings, did all that is asked of it, and used all places that it has."""
    asked = (settings[side.places], settings["delay_ms"], settings["clients"])
    servers = seen.calls(f"{side.name}_server").happen(times).all_return()
    most = 0
    for turn in turns:
        server = servers.lanes[turn]
        as_asked(seen, server, f"{side.name}_server({', '.join(map(str, asked))})")
        clients, queries = (within(seen, f"{side.name}_{what}", server) for what in ("client", "query"))
        left_alone(seen, side, "clients", asked[2], len(clients))
        left_alone(seen, side, "queries", int(seen.knobs["REQUESTS"]), len(queries))
        quickest_ns = min(query.end_ns - query.start_ns for query in queries)
        left_alone(seen, side, "ms in a query", asked[1], round((quickest_ns + EARLY_NS) / 1e6), least=True)
        most = max(most, most_at_once((query.start_ns, query.end_ns) for query in queries))
    limit = side.limit(settings)
    left_alone(seen, side, "queries at the same time", limit, most, perhaps=BUSY if most < limit else "")


def as_asked(seen: Seen, server: Lane, wanted: str) -> None:
    seen.expect(
        server.name == wanted,
        f"{wanted} ran.",
        f"{wanted} should run, with the settings that are passed in; {server.name} ran. Leave main as it is.",
    )


def within(seen: Seen, function: str, server: Lane) -> list[Lane]:
    return [lane for lane in seen.calls(function).lanes if server.start_ns <= lane.start_ns < server.end_ns]


def left_alone(
    seen: Seen, side: Side, what: str, wanted: int, found: int, *, least: bool = False, perhaps: str = ""
) -> None:
    """perhaps: what else may be the cause."""
    seen.expect(
        found >= wanted if least else found == wanted,
        f"{side.title.capitalize()}: {wanted} {what}.",
        f"There should be {wanted} {what} in {side.title}; there were {found}. {perhaps}Leave the servers "
        "and their load as they are: only the settings are yours.",
        at=servers_queries(seen, side),
    )


def servers_queries(seen: Seen, side: Side) -> Calls:
    return seen.calls(f"{side.name}_query", "queries")


def wins_by_arithmetic(seen: Seen, settings: dict[str, int], winner: Side, loser: Side) -> None:
    first, second = winner.limit(settings), loser.limit(settings)
    both = (
        f"With {winner.name}_wins() {winner.words(settings)} requests at the database at the same time, "
        f"{loser.words(settings)}; each for {settings['delay_ms']} ms"
    )
    seen.expect(
        first >= CLEAR * second,
        f"{both}: {first / second:.2g} times as many.",
        f"{both}. {tied_or_lost(winner, first, second)} It should win by {CLEAR} or more.",
        at=servers_queries(seen, winner),
    )
    places = settings[winner.places]
    seen.expect(
        settings["clients"] >= places,
        f"It uses all of its {places} {winner.places}.",
        f"{both}. So it wins, but with {places} {winner.places} the clients are its limit: you measure "
        f"the load, not the server. There should be {places} clients or more.",
        at=servers_queries(seen, winner),
    )


def tied_or_lost(winner: Side, first: int, second: int) -> str:
    if first == second:
        return f"That is a tie: {first} and {second}, however long a query is."
    if first < second:
        return f"So {winner.title} loses: {first} to {second}."
    return f"So {winner.title} wins, but only by {first / second:.2f}."


def wins_when_measured(seen: Seen, winner: Side, loser: Side, turns: range) -> None:
    """Each round is a pair, one turn after the other, so a busy machine slows down both."""
    pairs = zip(*(seen.calls(f"{side.name}_server").lanes for side in (loser, winner)), strict=True)
    ratios = [
        (slow.end_ns - slow.start_ns) / (quick.end_ns - quick.start_ns)
        for turn, (slow, quick) in enumerate(pairs)
        if turn in turns
    ]
    words = f"{median(ratios):.2f} times as many requests a second, in the median of {len(ratios)} rounds"
    seen.expect(
        median(ratios) >= SEEN,
        f"Measured: {winner.title} answers {words}.",
        f"By its limits {winner.title} must win; measured, it answers {words}. {BUSY.strip()}",
        at=servers_queries(seen, winner),
    )
