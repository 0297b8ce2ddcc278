"""What a test of payments must find, in sentences."""

import itertools
import random
import re
from collections import defaultdict

from asyncdemo.testing.checks import Calls, Lane, Outcome, Seen

SLACK_NS = 100_000
"""In virtual time a turn of the event loop takes none, and a look at the clock a microsecond."""
LOCKED = ("all of it", "the writing", "nothing")


def check(seen: Seen) -> None:
    ways, times = the_ways(seen), int(seen.knobs["TIMES"])
    tests, payments = seen.calls("test", "tests"), seen.calls("pay_in", "payments")
    seen.calls("main").happen(1)
    found = [lane.name for lane in tests.lanes]
    wanted = [f"test({way})" for way in sorted(times * list(ways))]
    seen.expect(
        found == wanted,
        f"Each of the {len(ways)} ways was tested {times} times.",
        f"main should test each of the {len(ways)} ways {times} times, one after the other; leave it as it is.",
        at=tests,
    )
    for way, can_go_wrong in ways.items():
        of_way = tests.only(f"test({way})")
        errors = {lane.error for lane in of_way.lanes} - {None, "AssertionError"}
        seen.expect(
            not errors,
            "",
            f"A test should pass, or raise an AssertionError; test({way}) raised {', '.join(map(str, errors))}.",
            at=of_way,
        )
        seen.held.pop()
        failed = sum(lane.error == "AssertionError" for lane in of_way.lanes)
        it_finds_it(seen, way, can_go_wrong, failed, of_way)
    seen.held.append("It failed for each way that can get a balance wrong, every time, and for no other.")
    nobody_waits_for_time(seen, tests)
    payments.all_return()
    it_saw_a_wrong_balance(seen)
    seen.never_blocked()
    seen.no_warnings()


def the_ways(seen: Seen) -> dict[int, bool]:
    """Number -> whether it can get a balance wrong."""
    ways = list(itertools.product(LOCKED, (0, 1, 3)))
    random.Random(int(seen.knobs["SEED"])).shuffle(ways)
    return {way: most > 0 and locked != "all of it" for way, (locked, most) in enumerate(ways, start=1)}


def it_finds_it(seen: Seen, way: int, can_go_wrong: bool, failed: int, tests: Calls) -> None:
    times = len(tests)
    if can_go_wrong:
        wanted = f"Way {way} can get a balance wrong, so its test should fail each time"
    else:
        wanted = f"Way {way} never gets a balance wrong, so its test should never fail"
    seen.expect(
        failed == (times if can_go_wrong else 0),
        "",
        f"{wanted}; it failed {failed} of {times} times.",
        at=tests,
    )
    seen.held.pop()


def it_saw_a_wrong_balance(seen: Seen) -> None:
    """pay_in(way, account, amount) returns the balance that it wrote: one that lacks a payment is wrong."""
    balances = defaultdict[int, int](int)
    for test, payments in payments_of_tests(seen):
        due, written = defaultdict[int, int](int), defaultdict[int, list[int]](list)
        for lane in payments:
            _, account, amount = numbers(lane)
            due[account] += amount
            written[account].append(int(lane.result or 0))
        # An account that was emptied by the test begins with nothing again.
        wrong = [
            account
            for account, amount in due.items()
            if max(written[account]) not in (amount, balances[account] + amount)
        ]
        seen.expect(
            bool(wrong) or test.outcome is Outcome.RETURNED,
            "",
            f"A test should only fail if a payment of its own got a balance wrong; {test.name} failed, and of "
            f"its {len(payments)} payments none was lost.",
            at=seen.calls("pay_in", "payments"),
        )
        seen.held.pop()
        balances.update((account, written[account][-1]) for account in due)
    seen.held.append("Each test that failed had seen a wrong balance.")


def payments_of_tests(seen: Seen) -> list[tuple[Lane, list[Lane]]]:
    """They come one after the other, and lanes stand in the order in which they were opened."""
    found: list[tuple[Lane, list[Lane]]] = []
    for lane in seen.run.lanes:
        if lane.function == "test":
            found.append((lane, []))
        elif lane.function == "pay_in":
            found[-1][1].append(lane)
    return found


def numbers(lane: Lane) -> tuple[int, int, int]:
    """Way, account and amount."""
    way, account, amount = map(int, re.findall(r"-?\d+", lane.name))
    return way, account, amount


def nobody_waits_for_time(seen: Seen, tests: Calls) -> None:
    slow = next((lane for lane in tests.lanes if lane.end_ns - lane.start_ns > SLACK_NS), None)
    took_s = 0.0 if slow is None else (slow.end_ns - slow.start_ns) / 1e9
    seen.expect(
        slow is None,
        "No test waited for time to pass.",
        f"A test should wait for no time to pass; {slow.name if slow else ''} took {took_s:.3f} s.",
        at=tests,
    )
