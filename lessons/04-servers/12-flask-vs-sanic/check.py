"""What the mended upload server must do, in sentences."""

import random

from asyncdemo.testing.checks import Calls, Seen


def check(seen: Seen) -> None:
    clients, connections = int(seen.knobs["CLIENTS"]), int(seen.knobs["CONNECTIONS"])
    uploads, sends = seen.calls("upload", "uploads"), seen.calls("send", "sends")
    # First, because it explains most of what else may be wrong.
    seen.never_blocked()
    seen.requests("/upload", "uploads").all_answered(clients).all_answer({"success": True})
    uploads.happen(clients).all_return()
    each_is_sent_before_its_answer(seen, uploads, sends, clients)
    no_send_is_quicker(seen, sends)
    sends.peak_is(connections)
    uploads.open_at_least(min(clients, connections + 1))
    seen.ends_well()
    seen.no_warnings()


def each_is_sent_before_its_answer(seen: Seen, uploads: Calls, sends: Calls, clients: int) -> None:
    """The sends that were over when an upload returned are at least as many as the uploads that had."""
    sent = sorted(lane.end_ns for lane in sends.lanes)
    answered = sorted(lane.end_ns for lane in uploads.lanes)
    early = [at for sent_at, at in zip(sent, answered, strict=False) if sent_at > at]
    seen.expect(
        not early and len(sends) == clients,
        "Each image was sent, and its client answered after that.",
        "Each image should be sent before its client is answered; "
        + (f"{len(early)} uploads returned too early." if early else f"there were {len(sends)} sends."),
        at=uploads,
    )


def no_send_is_quicker(seen: Seen, sends: Calls) -> None:
    """The server is not mended by quicker images."""
    draw = random.Random(int(seen.knobs["SEED"]))
    fastest, slowest = int(seen.knobs["FASTEST_MS"]), int(seen.knobs["SLOWEST_MS"])
    drawn = sorted(draw.randint(fastest, slowest) for _ in range(len(sends)))
    took = sorted((lane.end_ns - lane.start_ns) / 1e6 for lane in sends.lanes)
    # A timer may fire up to a clock tick early.
    quick = [(ms, wanted) for ms, wanted in zip(took, drawn, strict=True) if ms < wanted - 2]
    ms, wanted = quick[0] if quick else (0.0, 0)
    seen.expect(
        not quick,
        "Each send took its time.",
        f"Each send should take as long as was drawn; one took {ms:.0f} ms instead of {wanted} ms. Leave "
        "send and the drawing of durations as they are.",
        at=sends,
    )
