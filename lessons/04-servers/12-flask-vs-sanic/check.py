"""What the fixed upload server must do, in sentences."""

from collections import Counter
from operator import itemgetter
from typing import Final

from asyncdemo.model import TrackKind
from asyncdemo.testing.checks import Calls, Requests, Seen

NOTICED_NS: Final = 3_000_000
OFTEN: Final = 5
SIZES: Final = (5, 6, 7, 9, 11, 12, 14)
"""Of the images, in bytes, as the manifest has them sent in turn. A receipt ends with the size."""


def check(seen: Seen) -> None:
    requests, connections = int(seen.knobs["REQUESTS"]), int(seen.knobs["CONNECTIONS"])
    uploads, sends = seen.calls("upload", "uploads"), seen.calls("send", "sends")
    # First, because it explains most of what else may be wrong.
    seen.never_blocked()
    nothing_blocks_for_a_moment(seen, uploads)
    asked = seen.requests("/upload", "uploads").all_answered(requests)
    send_was_left_alone(seen, sends)
    answered_with_its_receipt(seen, asked, sends)
    # A timer may fire up to a clock tick early.
    each_image_was_sent_whole(seen, sends, requests)
    answered_with_its_own_receipt(seen, asked)
    sends.happen(requests).all_return().take_at_least((float(seen.knobs["FASTEST_MS"]) - 2) / 1000)
    uploads.happen(requests).all_return()
    sends.peak_is(connections)
    uploads.open_at_least(connections + 1)
    goes_on_one_by_one(seen, sends, connections)
    seen.ends_well()
    # Tasks may be left at the end: Sanic cancels none that was added without a name.
    seen.expect(not seen.never_ran(), "Every coroutine was awaited.", seen.never_ran())


def nothing_blocks_for_a_moment(seen: Seen, uploads: Calls) -> None:
    """Many short waits add up. A busy machine may delay a call or two."""
    calls = [
        call
        for call in seen.run.blocking_calls
        if call.called_from and call.end_ns - call.start_ns >= NOTICED_NS
    ]
    seen.expect(
        len(calls) < OFTEN,
        "No coroutine made a call that blocks.",
        f"The event loop should never be blocked, not even briefly: {len(calls)} calls made by coroutines "
        f"waited there ({calls[0].reason if calls else ''}), and nothing else got a turn meanwhile.",
        at=uploads,
    )


def send_was_left_alone(seen: Seen, sends: Calls) -> None:
    """It blocks, so where the loop was never blocked it must have run in threads."""
    on_the_loop = [lane for lane in sends.lanes if seen.run.tracks[lane.track].kind is TrackKind.TASK]
    seen.expect(
        not on_the_loop,
        "The store's client ran in threads.",
        f"The store's client blocks, but {len(on_the_loop)} of its calls ran in a task and blocked "
        "nothing. Leave send as it is: it stands for a library that you cannot change.",
        at=sends,
    )


def each_image_was_sent_whole(seen: Seen, sends: Calls, requests: int) -> None:
    sent = Counter(size_in(receipt) for receipt in filter(None, sends.values))
    wanted = Counter(str(SIZES[number % len(SIZES)]) for number in range(requests))
    odd, missing = (next(iter(rest), "") for rest in (sent - wanted, wanted - sent))
    again = " too often" if odd in wanted else ""
    found = f"the store got one of {odd} bytes{again}" if odd else f"it never got one of {missing} bytes"
    seen.expect(
        sent == wanted,
        "Each image was sent as it arrived.",
        f"Each image should be sent whole, as it arrived, and once; {found}.",
        at=sends,
    )


def size_in(receipt: str) -> str:
    return receipt.rpartition("-")[2]


def answered_with_its_receipt(seen: Seen, asked: Requests, sends: Calls) -> None:
    """Nobody can know a receipt before its send has returned."""
    receipts, bodies = sorted(filter(None, sends.values)), asked.bodies
    answered = sorted(str(body.get("receipt")) if isinstance(body, dict) else str(body) for body in bodies)
    odd = [receipt for receipt in answered if receipt not in receipts]
    found = f"{len(odd)} answers had none, the first of them {odd[0]!r}" if odd else "some had the same one"
    if not odd and len(receipts) > len(answered):
        found = f"{len(receipts)} images were sent for {len(answered)} requests"
    seen.expect(
        answered == receipts,
        "Each client was answered with a receipt from the store.",
        f"Each client should be answered with the receipt of a send, each with a different one; {found}.",
        at=seen.calls("upload"),
    )


def answered_with_its_own_receipt(seen: Seen, asked: Requests) -> None:
    """In the order of their numbers, which is that of the images: some may be sent in another one."""
    numbers = [int(request.name.rpartition(" ")[2]) for request in asked.requests]
    answers = [body for _, body in sorted(zip(numbers, asked.bodies, strict=True), key=itemgetter(0))]
    sizes = [size_in(str(body["receipt"])) for body in answers]
    others = [
        (SIZES[n % len(SIZES)], size) for n, size in enumerate(sizes) if size != str(SIZES[n % len(SIZES)])
    ]
    sent, got = others[0] if others else (0, "")
    seen.expect(
        not others,
        "Each client was answered with the receipt for its own image.",
        f"Each client should be answered with the receipt for its own image; {len(others)} got "
        f"another client's. The first sent {sent} bytes, and its receipt is for {got}.",
        at=seen.calls("upload"),
    )


def goes_on_one_by_one(seen: Seen, sends: Calls, connections: int) -> None:
    """If images are sent in batches, the store has nothing to do after each, while requests wait.

    If each waits for a place of its own, one place has no more to do when many others still wait.
    """
    uploads = seen.calls("upload").lanes
    moments = sorted(
        [(lane.start_ns, 1) for lane in sends.lanes] + [(lane.end_ns, -1) for lane in sends.lanes]
    )
    at_work = idle = late = 0
    for at_ns, change in moments:
        at_work += change
        late = 0 if at_work == connections else late + (change > 0)
        waiting = sum(lane.start_ns < at_ns < lane.end_ns for lane in uploads)
        idle += not at_work and waiting > connections
    batches = len(sends) // connections
    seen.expect(
        idle <= batches // 2,
        "A request that waited was sent on as soon as a place was free.",
        f"{connections} images should be on their way while requests wait; {idle} times there was none. Does "
        "the next image wait until all of those before it have been sent?",
        at=sends,
    )
    seen.expect(
        late <= len(sends) // 6,
        "No place stayed free while requests waited.",
        f"{connections} images should be on their way while requests wait; at the end one place stayed free "
        f"while {late} more were sent. Does each image wait for one particular place, although another is "
        "free?",
        at=sends,
    )
