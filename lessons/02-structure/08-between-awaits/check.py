"""What must become of the payments, in sentences."""

from itertools import pairwise

from asyncdemo.testing.checks import Seen


def check(seen: Seen) -> None:
    payments = int(seen.knobs["PAYMENTS"])
    rates, receipts = seen.calls("ask_rate", "questions to the bank"), seen.calls("send_receipt", "receipts")
    seen.calls("pay_in", "payments").happen(payments).all_return()
    rates.happen(payments).take_at_least(float(seen.knobs["RATE_S"]))
    for function in ("load", "save"):
        calls = seen.calls(function).happen(payments).all_return()
        calls.take_at_least(float(seen.knobs[f"{function.upper()}_S"]))
    never_come_between(seen)
    rates.all_overlap()
    receipts.happen(payments).all_return().take_at_least(float(seen.knobs["RECEIPT_S"])).all_overlap()
    no_receipt_comes_early(seen)
    seen.calls("main").return_values([sum(range(1, payments + 1))])
    seen.no_warnings()


def never_come_between(seen: Seen) -> None:
    """From the start of loading to the end of saving, one payment is alone with the balance."""
    sections = list(zip(seen.calls("load").lanes, seen.calls("save").lanes, strict=True))
    between = [
        (saving, loading)
        for (_, saving), (loading, _) in pairwise(sections)
        if loading.start_ns < saving.end_ns
    ]
    saving, loading = between[0] if between else sections[0]
    seen.expect(
        not between,
        "No payment loaded the balance while another was between loading and saving.",
        f"No payment may load the balance before the one in front of it has saved. {loading.name} began "
        f"before {saving.name} had ended, so it loads a balance in which that payment is missing.",
    )


def no_receipt_comes_early(seen: Seen) -> None:
    """Payment n is saved by the call save(n, ...), and its receipt is send_receipt(n)."""
    saved_ns = {
        lane.name.partition("(")[2].partition(",")[0]: lane.end_ns for lane in seen.calls("save").lanes
    }
    receipts = seen.calls("send_receipt")
    early = [
        lane.name
        for lane in receipts.lanes
        if lane.start_ns < saved_ns.get(lane.name.partition("(")[2].rstrip(")"), lane.start_ns)
    ]
    seen.expect(
        not early,
        "Each receipt was sent after the payment was saved.",
        f"A receipt should be sent when the payment is saved; {''.join(early[:1])} began before that.",
        at=receipts,
    )
