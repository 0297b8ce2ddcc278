"""What the blocker hunt must end with, in sentences."""

import hashlib
import re
from itertools import pairwise

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.model import State
from asyncdemo.testing.checks import Lane, Seen

NEARLY = 0.9
"""A socket may call its timeout over a little early."""
CULPRIT = "postage"
CLEARED = {
    "print_label": "It waits too, but in its own thread, where it holds nothing up",
    "reserve": "It waits too, but with an await, which hands the thread back",
    "seal": "It holds the event loop while it computes, but only for a few milliseconds",
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
    nor_in_small_pieces(seen)
    asked.take_at_least(NEARLY * float(seen.knobs["SILENCE_S"]))
    if waited_for_others(seen, orders):
        asked.all_overlap()
    seen.calls("ship", "orders").happen(orders).all_overlap()
    one_after_the_other(seen, orders)
    seen.calls("main").return_values([[shipped(n, seen) for n in range(1, orders + 1)]])
    seen.no_warnings()


def nor_in_small_pieces(seen: Seen) -> None:
    """Who waits in the event loop for 20 ms, again and again, holds it all the time."""
    ships, silence_s = seen.calls("ship"), float(seen.knobs["SILENCE_S"])
    held_s = (
        sum(span.duration_ns for lane in ships.lanes for span in lane.spans if span.state is State.RUNNING)
        / 1e9
    )
    seen.expect(
        held_s < silence_s / 2,
        "The orders left the event loop free.",
        f"The orders should leave the event loop free; in many short steps, they held it for {held_s:.2f} s.",
        at=ships,
    )


def waited_for_others(seen: Seen, orders: int) -> bool:
    """Did an order begin late, or wait long between its label and its postage?

    On a busy machine the postages need not overlap, though no order waits for another.
    """
    if len(seen.calls("ship")) > 1 and most_at_once(spans(seen, "ship")) < orders:
        return True
    labelled_ns = {number(lane): lane.end_ns for lane in seen.calls("print_label").lanes}
    late_ns = [
        lane.start_ns - labelled_ns.get(number(lane), lane.start_ns) for lane in seen.calls("postage").lanes
    ]
    return max(late_ns) > float(seen.knobs["SILENCE_S"]) / 2 * 1e9


def spans(seen: Seen, function: str) -> list[tuple[int, int]]:
    return [(lane.start_ns, lane.end_ns) for lane in seen.calls(function).lanes]


def number(lane: Lane) -> int:
    """Of the order: the first argument."""
    return int((re.findall(r"\d+", lane.name) or ["0"])[0])


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


def one_after_the_other(seen: Seen, orders: int) -> None:
    """As ship did before: a later step may need what an earlier one did."""
    ships = seen.calls("ship").lanes
    fault = ""
    for n in range(1, orders + 1):
        label, ship = (
            f"parcel {n}",
            next((lane for lane in ships if lane.name.startswith(f"ship({n})")), None),
        )
        steps = [
            next((lane for lane in seen.calls(function).lanes if lane.name.startswith(start)), None)
            for function, start in (
                ("reserve", f"reserve({n})"),
                ("print_label", f"print_label({n})"),
                ("postage", f"postage({n})"),
                ("seal", f"seal({label!r})"),
            )
        ]
        for earlier, later in pairwise([*steps, ship]):
            if earlier is None or later is None:
                fault = f"order {n} did not make all of its calls"
            elif later is not ship and later.start_ns < earlier.end_ns:
                fault = f"{later.name} started before {earlier.name} was done"
            elif later is ship and later.end_ns < earlier.end_ns:
                fault = f"{later.name} ended before {earlier.name}"
            if fault:
                break
        if fault:
            break
    seen.expect(
        not fault,
        "Each order made its four calls in order.",
        f"Each order should call reserve, print_label, postage and seal, one after the other; {fault}.",
        at=seen.calls("ship"),
    )


def shipped(n: int, seen: Seen) -> str:
    """What ship returns for an order, with what postage returned for it."""
    seal = label = f"parcel {n}"
    for _ in range(1_000):
        seal = hashlib.sha256(seal.encode()).hexdigest()
    cents = next(lane.result for lane in seen.calls("postage").lanes if lane.name.startswith(f"postage({n})"))
    return f"{label}, {cents} cents, sealed {seal[:8]}"
