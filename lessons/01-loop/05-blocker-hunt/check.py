"""What the blocker hunt must end with, in sentences."""

import hashlib

from asyncdemo.testing.checks import Seen

NEARLY = 0.9
"""A socket may call its timeout over a little early."""
CULPRIT = "postage"
CLEARED = {
    "print_label": "It waits as well, but in a thread of its own, where it hinders nobody",
    "reserve": "It waits as well, but with an await that hands the thread back",
    "seal": "It keeps the event loop for its computing, and is done within a few milliseconds",
    "ship": "It only calls the one that does",
    "main": "It only starts the orders and waits for them",
}


def check(seen: Seen) -> None:
    orders = int(seen.knobs["ORDERS"])
    the_culprit_is_named(seen)
    asked = seen.calls("postage")
    asked.happen(orders).all_return()
    seen.calls("reserve").happen(orders)
    seen.calls("print_label").happen(orders)
    seen.calls("seal").happen(orders)
    seen.never_blocked()
    asked.take_at_least(NEARLY * float(seen.knobs["SILENCE_S"]))
    asked.all_overlap()
    seen.calls("main").return_values([[shipped(n, seen) for n in range(1, orders + 1)]])
    seen.no_warnings()


def the_culprit_is_named(seen: Seen) -> None:
    named = seen.knobs.get("CULPRIT")
    if not isinstance(named, str):
        why = "write the name of the function, in quotes"
    elif named.strip("()") in CLEARED:
        why = f"it says {named!r}. {CLEARED[named.strip('()')]}"
    else:
        why = f"it says {named!r}"
    seen.expect(
        isinstance(named, str) and named.strip("()") == CULPRIT,
        f"CULPRIT names {CULPRIT}.",
        f"CULPRIT should name the function that holds the event loop; {why}. `asyncdemo trace` on your file "
        "shows which line it is, and in which function.",
        at=seen.calls("ship"),
    )


def shipped(n: int, seen: Seen) -> str:
    """What ship returns for an order."""
    seal = label = f"parcel {n}"
    for _ in range(1_000):
        seal = hashlib.sha256(seal.encode()).hexdigest()
    return f"{label}, {seen.knobs['LIST_PRICE']} cents, sealed {seal[:8]}"
