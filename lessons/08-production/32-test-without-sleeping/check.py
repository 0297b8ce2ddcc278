"""What a test of payments must find, in sentences."""

import itertools
import random
import re

from asyncdemo.testing.checks import Calls, Lane, Outcome, Seen

SLACK_NS = 100_000
"""In virtual time a turn of the event loop takes none, and a look at the clock a microsecond."""
LOCKED = ("all of it", "the writing", "nothing")


def check(seen: Seen) -> None:
    ways, times, tests = the_ways(seen), int(seen.knobs["TIMES"]), seen.calls("test", "tests")
    seen.calls("main").happen(1)
    seen.expect(
        [lane.name for lane in tests.lanes] == [f"test({way})" for way in sorted(times * list(ways))],
        f"Each of the {len(ways)} ways was tested {times} times.",
        f"main should call test {times} times for each of the {len(ways)} ways, one after the other. "
        "Leave it as it is.",
        at=tests,
    )
    payments = {id(test): found for test, found in payments_of_tests(seen)}
    for way, (locked, most) in ways.items():
        it_finds_it(seen, tests.only(f"test({way})"), payments, way, locked, most)
    seen.held.append(
        "The tests failed for each way that can get a balance wrong, every time, and for no other."
    )
    nobody_waits_for_time(seen, tests)
    seen.calls("pay_in", "payments").all_return()
    a_wrong_balance_was_seen(seen)
    seen.never_blocked()
    seen.no_warnings()


def the_ways(seen: Seen) -> dict[int, tuple[str, int]]:
    """Number -> what it locks, and how often it stops between reading and writing, at most."""
    ways = list(itertools.product(LOCKED, (0, 1, 3)))
    random.Random(int(seen.knobs["SEED"])).shuffle(ways)
    return dict(enumerate(ways, start=1))


def it_finds_it(
    seen: Seen, tests: Calls, payments: dict[int, list[Lane]], way: int, locked: str, most: int
) -> None:
    failed, times = sum(lane.outcome is Outcome.RAISED for lane in tests.lanes), len(tests)
    stops = "stops between reading and writing"
    if locked == "all of it":
        due, why = 0, "locks all of it, so it never gets a balance wrong"
    elif most == 0:
        due, why = 0, f"never {stops}, so it never gets a balance wrong"
    else:
        due, why = times, f"{stops} and locks {locked}, so it can get a balance wrong"
    seen.expect(
        failed == due,
        "",
        f"Way {way} {why}. Its test should {'fail each time' if due else 'never fail'}; "
        f"it failed {failed} of {times} times. {why_it_misses(tests, payments, due > 0)}",
        at=tests,
    )


def why_it_misses(tests: Calls, payments: dict[int, list[Lane]], due: bool) -> str:
    """Of the first test that comes to the wrong result, as far as its payments tell."""
    wrong = [lane for lane in tests.lanes if (lane.outcome is Outcome.RAISED) != due]
    made = payments.get(id(wrong[0]), []) if wrong else []
    lost = some_lost(made)
    if not due:
        return "" if lost else "No payment was lost: does the test look when all are over, and count all?"
    if lost:
        return "A payment was lost, and the test returned: does it raise an AssertionError?"
    if any(lane.outcome is Outcome.CANCELLED for lane in made):
        return "A payment was cancelled: only when all of them are over can you see whether one is lost."
    return "Is a payment held up at each of its stops, while another one goes on as far as it can?"


def a_wrong_balance_was_seen(seen: Seen) -> None:
    for test, payments in payments_of_tests(seen):
        seen.expect(
            test.outcome is Outcome.RETURNED or some_lost(payments),
            "",
            f"A test should only fail if it saw a wrong balance. {test.name} failed, but of its "
            f"{len(payments)} payments none was lost.",
            at=seen.calls("pay_in", "payments"),
        )
    seen.held.append("Each test that failed had seen a wrong balance.")


def payments_of_tests(seen: Seen) -> list[tuple[Lane, list[Lane]]]:
    """They come one after the other, and lanes stand in the order in which they were opened."""
    found: list[tuple[Lane, list[Lane]]] = []
    for lane in seen.run.lanes:
        if lane.function == "test":
            found.append((lane, []))
        elif lane.function == "pay_in" and found:
            found[-1][1].append(lane)
    return found


def some_lost(payments: list[Lane]) -> bool:
    """Where a payment is lost, two have read the same balance. Each returns what it read plus its amount."""
    read = [balance_read(lane) for lane in payments if lane.outcome is Outcome.RETURNED]
    return len(set(read)) < len(read)


def balance_read(lane: Lane) -> tuple[str, float]:
    """(account, balance) of pay_in(way, account, amount)."""
    *account, amount = re.findall(r"-?\d+", lane.name)
    return " ".join(account), float(lane.result or 0) - float(amount)


def nobody_waits_for_time(seen: Seen, tests: Calls) -> None:
    slow = next((lane for lane in tests.lanes if lane.end_ns - lane.start_ns > SLACK_NS), None)
    took_s = 0.0 if slow is None else (slow.end_ns - slow.start_ns) / 1e9
    seen.expect(
        slow is None,
        "No test waited for time to pass.",
        f"A test should not wait for time to pass; {slow.name if slow else ''} took {took_s:.3f} s.",
        at=tests,
    )
