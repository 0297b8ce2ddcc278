"""What the shop must do, in sentences."""

import random
import re

from asyncdemo.testing.checks import Calls, Lane, Seen


def check(seen: Seen) -> None:
    orders = int(seen.knobs["ORDERS"])
    handles, saves = seen.calls("handle"), seen.calls("save")
    asked = seen.calls("left_over", "questions to the warehouse")
    no_coroutine_is_an_answer(seen)
    if len(handles) <= orders:
        saved_before_answered(seen, saves, handles)
        seen.nothing_left_pending()
    each_order_is_handled(seen, handles, orders)
    asked.happen(orders).all_return()
    if saves:
        saves.all_return()
    the_functions_are_as_they_were(seen, asked, saves)
    saved_if_there_are_enough(seen, asked, saves, orders)
    answers = expected_answers(saves, orders)
    each_answer_is_returned(seen, handles, answers)
    seen.no_warnings()
    every_answer_is_printed(seen, answers)


def each_answer_is_returned(seen: Seen, handles: Calls, answers: list[str]) -> None:
    given = {lane.name: value for lane, value in zip(handles.lanes, handles.values, strict=True)}
    for order, answer in enumerate(answers, start=1):
        value = given.get(f"handle({order})")
        found = repr(value) if isinstance(value, str) else "no text"
        seen.expect(
            value == answer,
            "",
            f"handle({order}) should return {answer!r}; it returned {found}.",
            at=handles.only(f"handle({order})"),
        )
    seen.held.append("Each order got its answer.")


def every_answer_is_printed(seen: Seen, answers: list[str]) -> None:
    """Once, in any order."""
    printed = [without_addresses(line) for line in seen.stdout.splitlines()]
    missing = [answer for answer in answers if printed.count(answer) != 1]
    surplus = [line for line in printed if line not in answers]
    faults = [f'"{missing[0]}" was printed {printed.count(missing[0])} times'] if missing else []
    faults += [f'it also printed "{surplus[0]}"'] if surplus else []
    seen.expect(
        not faults,
        "Every answer was printed.",
        f"main should print every answer once, and nothing else; {'; '.join(faults)}.",
    )


def without_addresses(line: str) -> str:
    """As `<coroutine object save>`: where it is in memory says nothing."""
    return re.sub(r" at 0x\w+", "", line)


def no_coroutine_is_an_answer(seen: Seen) -> None:
    """Said first: the other sentences would only name what follows from it."""
    printed = map(without_addresses, seen.stdout.splitlines())
    given = next((line for line in printed if "<coroutine object" in line), "")
    function = given.partition("<coroutine object ")[2].partition(">")[0]
    lines = {one.site.line for one in seen.run.unawaited if one.site and one.function == function}
    why = (
        f"{function} was called on line {min(lines)}, but nobody awaited it, so it never ran."
        if lines
        else f"That is what the call of {function} gives. What {function} returns is what its await gives."
    )
    seen.expect(
        not given,
        "No answer is a coroutine.",
        f'No answer should be a coroutine; one is: "{given}". {why}',
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
        f"{early[0] if early else ''} answered while the order was still being saved.",
    )


def the_functions_are_as_they_were(seen: Seen, asked: Calls, saves: Calls) -> None:
    """What they answer comes from SEED, in the order of the calls."""
    warehouse, database = random.Random(int(seen.knobs["SEED"])), random.Random(int(seen.knobs["SEED"]))
    ask_s, save_s = float(seen.knobs["ASK_S"]), float(seen.knobs["SAVE_S"])
    changed = [
        *(lane.name for lane in asked.lanes if differs(seen, lane, ask_s, warehouse.randint(-2, 3))),
        *(lane.name for lane in saves.lanes if differs(seen, lane, save_s, database.randint(1000, 9999))),
    ]
    seen.expect(
        not changed,
        "The warehouse and the database took their time.",
        f"{''.join(changed[:1])} did not do what it did before. Leave left_over and save as they are.",
    )


def differs(seen: Seen, lane: Lane, seconds: float, value: int) -> bool:
    return not seen.took(lane, seconds) or lane.result != str(value)


def saved_if_there_are_enough(seen: Seen, asked: Calls, saves: Calls, orders: int) -> None:
    left = {lane.name.replace("left_over", "save"): lane for lane in asked.lanes}
    fault = ""
    for order in range(1, orders + 1):
        name = f"save({order})"
        times = [lane for lane in saves.lanes if lane.name == name]
        said = int(left[name].result or 0) if name in left else -1
        wanted = 1 if said >= 0 else 0
        if len(times) != wanted:
            often = "once" if len(times) == 1 else f"{len(times)} times"
            fault = f"the warehouse said that {said} are left after order {order}; it was saved {often}"
        elif times and times[0].start_ns < left[name].end_ns:
            fault = f"order {order} was saved before the warehouse had answered"
        if fault:
            break
    seen.expect(
        not fault,
        "Every order with enough in stock was saved, and no other.",
        f"An order should be saved, once, if the warehouse says that 0 or more are left; {fault}.",
    )


def expected_answers(saves: Calls, orders: int) -> list[str]:
    receipts = {lane.name: lane.result for lane in saves.lanes}
    return [
        f"order {order}: receipt {receipts[f'save({order})']}"
        if f"save({order})" in receipts
        else f"order {order}: sold out"
        for order in range(1, orders + 1)
    ]
