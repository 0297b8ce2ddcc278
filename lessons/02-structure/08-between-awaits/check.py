"""What must become of the payments, in sentences."""

import random
import re

from asyncdemo.testing.checks import Calls, Lane, Seen


def check(seen: Seen) -> None:
    payments = int(seen.knobs["PAYMENTS"])
    rates, receipts = seen.calls("ask_rate", "questions to the bank"), seen.calls("send_receipt", "receipts")
    seen.calls("pay_in", "payments").happen(payments).all_return()
    rates.happen(payments).all_overlap()
    for calls in (rates, seen.calls("load"), seen.calls("save"), receipts):
        calls.happen(payments).all_return()
        numbers = sorted(map(number, calls.lanes))
        seen.expect(
            numbers == list(range(1, payments + 1)),
            f"{calls.function} was called once for each payment.",
            f"{calls.function} should be called once for each payment; it was called for {numbers}.",
            at=calls,
        )
    the_functions_are_as_they_were(seen, rates, receipts)
    never_come_between(seen)
    the_next_one_loads_immediately(seen)
    each_receipt_follows_its_payment(seen, receipts)
    what_is_saved_adds_up(seen, rates)
    seen.no_warnings()


def the_functions_are_as_they_were(seen: Seen, rates: Calls, receipts: Calls) -> None:
    """What the bank says and how long each call takes comes from SEED, in the order of the calls."""
    bank, disk = random.Random(int(seen.knobs["SEED"])), random.Random(int(seen.knobs["SEED"]))
    rate_s, step_s = float(seen.knobs["RATE_S"]), float(seen.knobs["STEP_S"])
    both = sorted((*seen.calls("load").lanes, *seen.calls("save").lanes), key=lambda lane: lane.start_ns)
    changed = [
        *(lane.name for lane in rates.lanes if lane.result != str(bank.randint(1, 100))),
        *(lane.name for lane in rates.lanes if not seen.took(lane, rate_s + number(lane) * step_s)),
        *(lane.name for lane in receipts.lanes if not seen.took(lane, float(seen.knobs["RECEIPT_S"]))),
    ]
    # Calls that start together may have drawn in either order, so what is compared is all durations.
    drawn_s = sorted(disk.randint(20, 80) / 1000 for _ in both)
    both.sort(key=lambda lane: lane.end_ns - lane.start_ns)
    changed += [] if all(map(seen.took, both, drawn_s)) else ["load or save"]
    seen.expect(
        not changed,
        "The bank, the store and the mail took their time.",
        f"{''.join(changed[:1])} isn't what it was. Leave ask_rate, load, save and send_receipt as they are.",
    )


def never_come_between(seen: Seen) -> None:
    """From the start of loading to the end of saving, one payment is alone with the balance."""
    saves = {number(lane): lane for lane in seen.calls("save").lanes}
    before: Lane | None = None
    for loading in seen.calls("load").lanes:
        early = before is not None and loading.start_ns < before.end_ns
        name = before.name if before is not None else ""
        seen.expect(
            not early,
            "",
            f"No payment may load the balance before the previous one has saved it. {loading.name} began "
            f"before {name} had ended, so the balance it loads doesn't include that payment.",
        )
        before = saves.get(number(loading))
        seen.expect(
            before is not None and before.start_ns >= loading.end_ns,
            "",
            f"Each payment should load the balance and then save it; payment {number(loading)} did not.",
        )
    seen.held.append("No payment loaded the balance while another was between loading and saving.")


def the_next_one_loads_immediately(seen: Seen) -> None:
    """Any payment that knows its rate may be next; so the store is idle only while nobody does."""
    known_ns = {number(lane): lane.end_ns for lane in seen.calls("ask_rate").lanes}
    saved_ns = {number(lane): lane.end_ns for lane in seen.calls("save").lanes}
    free_ns = 0
    for loading in seen.calls("load").lanes:
        due_ns = max(free_ns, min(known_ns.values()))
        seen.expect(
            -0.001 <= (loading.start_ns - due_ns) / 1e9 <= seen.slack_s,
            "",
            f"{loading.name} could start as soon as the store was free and a payment was waiting; it "
            f"started {(loading.start_ns - due_ns) / 1e6:.0f} ms later. Nothing but the load and the save of "
            "another payment may delay it.",
            at=seen.calls("load"),
        )
        known_ns.pop(number(loading))
        free_ns = saved_ns[number(loading)]
    seen.held.append("When one payment had saved, the next one loaded immediately.")


def each_receipt_follows_its_payment(seen: Seen, receipts: Calls) -> None:
    saved_ns = {number(lane): lane.end_ns for lane in seen.calls("save").lanes}
    apart = {lane.name: lane.start_ns - saved_ns.get(number(lane), 0) for lane in receipts.lanes}
    wrong = next((name for name, gap_ns in apart.items() if not -0.001 <= gap_ns / 1e9 <= seen.slack_s), "")
    seen.expect(
        not wrong,
        "Each receipt was sent as soon as its payment was saved.",
        f"A receipt should be sent as soon as its payment is saved; {wrong} started "
        f"{abs(apart.get(wrong, 0)) / 1e9:.2f} s {'before' if apart.get(wrong, 0) < 0 else 'after'} that.",
        at=receipts,
    )


def what_is_saved_adds_up(seen: Seen, rates: Calls) -> None:
    """In what order they are added is free."""
    worth = {number(lane): int(value) for lane, value in zip(rates.lanes, rates.values, strict=True)}
    balance = int(seen.knobs["BALANCE"])
    for saving in seen.calls("save").lanes:
        balance += worth[number(saving)]
        saved = [int(digits) for digits in re.findall(r"-?\d+", saving.name)][-1]
        seen.expect(
            saved == balance,
            "",
            f"Payment {number(saving)} should save {balance}, the balance plus what the bank "
            f"said it is worth; it saved {saved}.",
            at=seen.calls("save"),
        )
    seen.calls("main").return_values([balance])


def number(lane: Lane) -> int:
    """Of the payment: the first argument."""
    return int(re.findall(r"\d+", lane.name)[0])
