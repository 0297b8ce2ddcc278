"""What the album must do, in sentences."""

import re

from asyncdemo.testing.checks import Calls, Lane, Outcome, Seen

SLACK_S = 0.001
"""Virtual time is exact, but each look at the clock takes a microsecond of it."""


def check(seen: Seen) -> None:
    parts, refused = int(seen.knobs["PARTS"]), int(seen.knobs["REFUSED"])
    refused = refused if refused <= parts else 0
    sends, scope = seen.calls("send", "parts"), seen.calls("send_album")
    scope.happen(1)
    sends.all_overlap()
    sends.happen(parts)
    seen.calls("transfer", "transfers").happen(parts)
    transfer_is_as_it_was(seen, refused)
    sends.end_within(scope)
    if refused:
        stopped = range(refused + 1, parts + 1)
        are_stopped(seen, refused, stopped)
        are_discarded(seen, stopped, range(1, refused))
        seen.calls("discard", "discards").end_within(scope)
        seen.calls("main").return_values(["album refused"])
    else:
        sends.all_return()
        seen.calls("discard").happen(0)
        seen.calls("main").return_values(["album sent"])
    seen.calls("main").take_at_least(float(seen.knobs["REST_S"]))
    seen.no_warnings()


def transfer_is_as_it_was(seen: Seen, refused: int) -> None:
    transfers, part_s = seen.calls("transfer"), float(seen.knobs["PART_S"])
    quick = [
        f"{lane.name} was over after {(lane.end_ns - lane.start_ns) / 1e6:.0f} ms"
        for n in range(1, len(transfers) + 1)
        for lane in of_part(transfers, n)
        if lane.outcome is not Outcome.CANCELLED and (lane.end_ns - lane.start_ns) / 1e9 < n * part_s - 1e-6
    ]
    kept = [lane.name for lane in of_part(transfers, refused) if lane.outcome is Outcome.RETURNED]
    quick += [f"{name} was not refused" for name in kept]
    seen.expect(
        not quick,
        "Each transfer took its time.",
        f"The transfers should take their time, and the server refuses one; {''.join(quick[:1])}. Leave "
        "transfer as it is.",
        at=transfers,
    )


def are_stopped(seen: Seen, refused: int, others: range) -> None:
    """Those that are on their way when a part is refused. That part may be discarded first, too."""
    transfers, sends = seen.calls("transfer"), seen.calls("send")
    grace_ns = round((float(seen.knobs["DISCARD_S"]) + SLACK_S) * 1e9)
    latest_ns = of_part(transfers, refused)[0].end_ns + grace_ns
    late = [lane.name for n in others for lane in of_part(transfers, n) if lane.end_ns > latest_ns]
    seen.expect(
        not late,
        f"When part {refused} was refused, the others were stopped.",
        f"When part {refused} is refused, the others should be stopped at once; {''.join(late[:1])} went on.",
        at=transfers,
    )
    quiet = [lane.name for n in others for lane in of_part(sends, n) if lane.outcome is not Outcome.CANCELLED]
    seen.expect(
        not quiet,
        "None of them hid that it was cancelled.",
        f"{''.join(quiet[:1])} was stopped, and yet it ended as if its part had been sent: whoever is "
        "cancelled tidies up and then lets the CancelledError go on, with `raise`.",
        at=sends,
    )


def are_discarded(seen: Seen, stopped: range, sent: range) -> None:
    """Stopped parts are, sent ones are not; the refused one may be."""
    discards = seen.calls("discard")
    missing = [n for n in stopped if not of_part(discards, n)]
    seen.expect(
        not missing,
        "Each part that was stopped was discarded.",
        f"Each part that is stopped should be discarded; part {missing[0] if missing else ''} was not.",
        at=seen.calls("send"),
    )
    if discards:
        discards.all_return().take_at_least(float(seen.knobs["DISCARD_S"]))
    again = [n for n in stopped if len(of_part(discards, n)) > 1]
    seen.expect(
        not again,
        "No part was discarded twice.",
        f"Each part that is stopped should be discarded once; part {again[0] if again else ''} was "
        "discarded again.",
        at=discards,
    )
    surplus = [n for n in sent if of_part(discards, n)]
    seen.expect(
        not surplus,
        "No part was discarded that had been sent.",
        f"Only stopped parts should be discarded; part {surplus[0] if surplus else ''} had been sent.",
        at=discards,
    )


def of_part(calls: Calls, n: int) -> list[Lane]:
    """The calls whose first argument is n."""
    return [lane for lane in calls.lanes if re.match(rf"\w+\({n}\b", lane.name)]
