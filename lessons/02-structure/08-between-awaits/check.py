"""What must become of the payments, in sentences."""

from itertools import pairwise

from asyncdemo.checks import Seen


def check(seen: Seen) -> None:
    payments = int(seen.knobs["PAYMENTS"])
    rates, receipts = seen.calls("ask_rate", "questions to the bank"), seen.calls("send_receipt", "receipts")
    seen.calls("pay_in", "payments").happen(payments).all_return()
    rates.happen(payments)
    for function in ("load", "save"):
        seen.calls(function).happen(payments).all_return()
    never_come_between(seen)
    rates.all_overlap()
    receipts.happen(payments).all_return().all_overlap()
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
