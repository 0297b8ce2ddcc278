"""What the fixed upload server must do, in sentences."""

from asyncdemo.model import TrackKind
from asyncdemo.testing.checks import Calls, Requests, Seen

IMAGE = "an image"
"""What the clients send (lesson.toml)."""


def check(seen: Seen) -> None:
    requests, connections = int(seen.knobs["REQUESTS"]), int(seen.knobs["CONNECTIONS"])
    uploads, sends = seen.calls("upload", "uploads"), seen.calls("send", "sends")
    # First, because it explains most of what else may be wrong.
    seen.never_blocked()
    asked = seen.requests("/upload", "uploads").all_answered(requests)
    send_was_left_alone(seen, sends)
    answered_with_its_receipt(seen, asked, sends)
    # A timer may fire up to a clock tick early.
    each_image_was_sent_whole(seen, sends)
    sends.happen(requests).all_return().take_at_least((float(seen.knobs["FASTEST_MS"]) - 2) / 1000)
    uploads.happen(requests).all_return()
    sends.peak_is(connections)
    uploads.open_at_least(connections + 1)
    seen.ends_well()
    seen.no_warnings()


def send_was_left_alone(seen: Seen, sends: Calls) -> None:
    """It blocks, so where the loop was never blocked it must have run in threads."""
    on_the_loop = [lane for lane in sends.lanes if seen.run.tracks[lane.track].kind is TrackKind.TASK]
    seen.expect(
        not on_the_loop,
        "The store's client ran in threads.",
        f"The store's client blocks, and yet {len(on_the_loop)} of its calls ran in a task and blocked "
        "nothing. Leave send as it is: it stands for a library that you cannot change.",
        at=sends,
    )


def each_image_was_sent_whole(seen: Seen, sends: Calls) -> None:
    """A receipt ends with the size of what was sent."""
    odd = [receipt for receipt in filter(None, sends.values) if not receipt.endswith(f"-{len(IMAGE)}")]
    seen.expect(
        not odd,
        "Each image was sent whole.",
        f"Each image should be sent as it came, all {len(IMAGE)} bytes; the store got one of "
        f"{odd[0].partition('-')[2] if odd else len(IMAGE)}.",
        at=sends,
    )


def answered_with_its_receipt(seen: Seen, asked: Requests, sends: Calls) -> None:
    """Nobody can know a receipt before its send has returned."""
    receipts, bodies = sorted(filter(None, sends.values)), asked.bodies
    answered = sorted(str(body.get("receipt")) if isinstance(body, dict) else str(body) for body in bodies)
    odd = [receipt for receipt in answered if receipt not in receipts]
    found = f"{len(odd)} answers had none, the first of them {odd[0]!r}" if odd else "some had the same one"
    seen.expect(
        answered == receipts,
        "Each client was answered with a receipt of the store.",
        f"Each client should be answered with the receipt of a send, which nobody else gets; {found}.",
        at=seen.calls("upload"),
    )
