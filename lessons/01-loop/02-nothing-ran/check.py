"""What the shop must do, in sentences."""

import re

from asyncdemo.testing.checks import Calls, Seen


def check(seen: Seen) -> None:
    orders, in_stock = int(seen.knobs["ORDERS"]), int(seen.knobs["IN_STOCK"])
    handles, saves = seen.calls("handle"), seen.calls("save")
    accepted = range(1, min(orders, in_stock) + 1)
    no_coroutine_is_an_answer(seen)
    saved_before_answered(seen, saves, handles)
    seen.nothing_left_pending()
    each_order_is_handled(seen, handles, orders)
    asked = seen.calls("left_over", "questions to the warehouse").happen(orders)
    asked.all_return().take_at_least(float(seen.knobs["ASK_S"]))
    saves.happen(len(accepted))
    if accepted:
        saves.all_return().take_at_least(float(seen.knobs["SAVE_S"]))
    saves.return_values_in_any_order([1000 + order for order in accepted])
    answers = [
        f"order {order}: receipt {1000 + order}" if order in accepted else f"order {order}: sold out"
        for order in range(1, orders + 1)
    ]
    handles.return_values_in_any_order(answers)
    seen.no_warnings()
    missing = [answer for answer in answers if answer not in seen.stdout]
    seen.expect(
        not missing,
        "Every answer was printed.",
        f'main should print every answer; "{missing[0] if missing else ""}" was not printed.',
    )


def no_coroutine_is_an_answer(seen: Seen) -> None:
    """Said first: the other sentences would only name what follows from it."""
    given = next((line for line in seen.stdout.splitlines() if "<coroutine object" in line), "")
    given = re.sub(r" at 0x\w+", "", given)
    function = given.partition("<coroutine object ")[2].partition(">")[0]
    lines = {one.site.line for one in seen.run.unawaited if one.site and one.function == function}
    where = f" in line {min(lines)}" if lines else ""
    seen.expect(
        not given,
        "No answer is a coroutine.",
        f'No answer should be a coroutine; one is: "{given}". {function} was called{where}, but nobody '
        "awaited it, so it never ran.",
    )


def each_order_is_handled(seen: Seen, handles: Calls, orders: int) -> None:
    """Once, in any order: they may be handled at the same time."""
    names = [lane.name for lane in handles.lanes]
    missing = [order for order in range(1, orders + 1) if f"handle({order})" not in names]
    seen.expect(
        not missing,
        "Every order was handled.",
        f"main should pass each of the {orders} orders to handle; order {missing[0] if missing else ''} "
        "never got there.",
        at=handles,
    )
    handles.happen(orders).all_return()


def saved_before_answered(seen: Seen, saves: Calls, handles: Calls) -> None:
    """Each order by itself: the orders may well be handled at the same time."""
    saved_ns = {lane.name.replace("save", "handle"): lane.end_ns for lane in saves.lanes}
    early = [lane.name for lane in handles.lanes if lane.end_ns < saved_ns.get(lane.name, lane.end_ns)]
    seen.expect(
        not early,
        "No answer was given before its order was saved.",
        "An answer may only be given when its order is saved; "
        f"{early[0] if early else ''} answered while the saving was still going on.",
    )
