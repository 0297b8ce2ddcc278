"""What the album must do, in sentences."""

import re

from asyncdemo.testing.checks import Calls, Lane, Outcome, Seen


def check(seen: Seen) -> None:
    parts, refused = int(seen.knobs["PARTS"]), int(seen.knobs["REFUSED"])
    refused = refused if refused <= parts else 0
    sends, scope = seen.calls("send", "parts"), seen.calls("send_album")
    scope.happen(1)
    sends.all_overlap().happen(parts)
    apart_s = (sends.lanes[-1].start_ns - sends.lanes[0].start_ns) / 1e9
    seen.expect(
        apart_s <= seen.slack_s,
        "All parts started at the same moment.",
        f"All parts should start at the same moment; the last one started {apart_s:.2f} s after the first.",
        at=sends,
    )
    seen.calls("transfer", "transfers").happen(parts)
    transfer_is_as_it_was(seen, refused)
    sends.end_within(scope)
    if refused:
        stopped = range(refused + 1, parts + 1)
        are_stopped(seen, refused, stopped)
        are_discarded(seen, stopped, range(1, refused))
        discards = seen.calls("discard", "discards")
        if discards:
            discards.end_within(scope)
        scope.all_raise()
        seen.calls("main").return_values(["album refused"])
    else:
        sends.all_return()
        seen.calls("discard").happen(0)
        seen.calls("main").return_values(["album sent"])
    rested_s = (seen.calls("main").lanes[0].end_ns - scope.lanes[0].end_ns) / 1e9
    rest_s = float(seen.knobs["REST_S"])
    seen.expect(
        -0.001 <= rested_s - rest_s <= seen.slack_s,
        "main rested when the album was done.",
        f"main should rest for {rest_s:.1f} s when send_album is over; it rested for {rested_s:.3f} s.",
        at=seen.calls("main"),
    )
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
    """Those that are on their way when a part is refused. That part may discard itself first."""
    transfers, sends = seen.calls("transfer"), seen.calls("send")
    refused_ns = of_part(transfers, refused)[0].end_ns
    own = [
        lane.end_ns for lane in of_part(seen.calls("discard"), refused) if lane.start_ns - refused_ns < 1e6
    ]
    latest_ns = max([refused_ns, *own]) + round(seen.slack_s * 1e9)
    late = [lane.name for n in others for lane in of_part(transfers, n) if lane.end_ns > latest_ns]
    seen.expect(
        not late,
        f"When part {refused} was refused, the others were stopped.",
        f"When part {refused} is refused, the others should be stopped immediately; {''.join(late[:1])} "
        "went on.",
        at=transfers,
    )
    quiet = [
        f"{lane.name} was stopped, but it "
        + (f"raised {lane.error}" if lane.error else "ended as if its part had been sent")
        for n in others
        for lane in of_part(sends, n)
        if lane.outcome is not Outcome.CANCELLED
    ]
    seen.expect(
        not quiet,
        "Each of them ended as cancelled.",
        f"{''.join(quiet[:1])}. Clean up, then let the CancelledError go on, with `raise`.",
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
        "No part that had been sent was discarded.",
        f"Only stopped parts should be discarded; part {surplus[0] if surplus else ''} had been sent.",
        at=discards,
    )


def of_part(calls: Calls, n: int) -> list[Lane]:
    """The calls whose first argument is n."""
    return [lane for lane in calls.lanes if re.match(rf"\w+\({n}\b", lane.name)]
