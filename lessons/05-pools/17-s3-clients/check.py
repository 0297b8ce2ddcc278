"""What the image server must do, in sentences."""

from collections import Counter
from hashlib import md5
from operator import itemgetter
from typing import Final

from asyncdemo.analysis.metrics import blocking_steps
from asyncdemo.course.content.load import png
from asyncdemo.model import State
from asyncdemo.testing.checks import Calls, Seen

SIZES: Final = (300_000, 20_000, 5_000)
"""Of the images, in bytes, as the manifest has them sent in turn."""
CLOCK_NS: Final = 2_000_000
"""A sleep may be shorter by this much, by the clock of the recording."""
SERVER_EVENTS: Final = 4
"""Before and after the start, before and after the stop: Sanic runs the listeners of each in a task."""


def check(seen: Seen) -> None:
    clients = int(seen.knobs["CLIENTS"])
    requests, uploads, puts = seen.requests("/images"), seen.calls("upload"), seen.calls("put", "puts")
    if len(seen.pool("s3")) > 1:
        one_client(seen)  # now, as it may be the reason for missing answers
    requests.all_answered(clients)
    one_client(seen)
    puts.happen(clients)
    stored_before_the_answer(seen, uploads, puts)
    puts.all_return()
    every_image_arrived(seen, puts, clients)
    each_under_its_own_key(seen, puts)
    puts.open_at_least(max(2, clients // 3))
    first_the_network(seen, puts)
    never_blocked_later(seen, puts)
    not_used_after_it_was_closed(seen)
    seen.pool("s3").opened_and_closed_once_per_process()
    open_while_it_serves(seen)
    seen.no_warnings()


def one_client(seen: Seen) -> None:
    """Each client has a pool of connections, and by these they are counted."""
    pools = seen.pool("s3").resources
    lines = sorted({pool.site.line for pool in pools if pool.site is not None})
    seen.expect(
        len(pools) == 1,
        "One S3 client was made, and shared.",
        f"One S3 client should be made, and shared by all requests; {len(pools) or 'none'} "
        f"{'was' if not pools else 'were'} made{f', at line {lines[0]}' if lines else ''}.",
        at=seen.calls("upload"),
    )


def every_image_arrived(seen: Seen, puts: Calls, clients: int) -> None:
    """S3 answers with the checksum of the bytes that it got, and the server hands that on."""
    checksums = [md5(png(size)).hexdigest() for size in SIZES]
    arrived = Counter(puts.values) & Counter(checksums[number % len(SIZES)] for number in range(clients))
    seen.expect(
        arrived.total() == clients,
        "S3 has every image as it was sent.",
        f"Every image should arrive as it was sent; {arrived.total()} of {clients} did. The others have "
        "another checksum in S3.",
        at=puts,
    )
    requests = seen.requests("/images")
    # In the order of their numbers, which is that of the images; under load they may be sent in another one.
    numbers = [int(request.name.rpartition(" ")[2]) for request in requests.requests]
    answers = [body for _, body in sorted(zip(numbers, requests.bodies, strict=True), key=itemgetter(0))]
    wrong = sum(body != {"etag": checksums[n % len(SIZES)]} for n, body in enumerate(answers))
    seen.expect(
        not wrong,
        "Every image arrived as it was sent.",
        f"Each answer should have the checksum of its own image; {wrong} of {clients} do not.",
        at=seen.calls("upload"),
    )


def each_under_its_own_key(seen: Seen, puts: Calls) -> None:
    """The name of a call has the key, unless it is very long. A later image under it replaces the first."""
    keys = Counter(lane.name.removeprefix("put") for lane in puts.lanes if "..." not in lane.name)
    key, times = max(keys.items(), key=itemgetter(1), default=("", 1))
    seen.expect(
        times == 1,
        "Each image was stored under its own key.",
        f"Each image should be stored under its own key; {times} were stored under {key}, and each replaced "
        "the one before.",
        at=puts,
    )


def first_the_network(seen: Seen, puts: Calls) -> None:
    """On a busy machine the sleep may be over when its step is, so what counts is when S3 is asked."""
    network_ns = round(float(seen.knobs["NETWORK_S"]) * 1e9)
    early = [
        lane
        for lane in puts.lanes
        for span in lane.spans
        if span.state in (State.WAITING, State.QUEUED)
        and span.wait.reason != "sleep"
        and span.start_ns - lane.start_ns < network_ns - CLOCK_NS
    ]
    seen.expect(
        not early,
        "",
        "put should be left as it is: first it sleeps, for as long as the network takes.",
        at=puts,
    )


def stored_before_the_answer(seen: Seen, uploads: Calls, puts: Calls) -> None:
    """As many puts are over as uploads, at any time."""
    stored = sorted(lane.end_ns for lane in puts.lanes)
    answered = sorted(lane.end_ns for lane in uploads.lanes)
    early = sum(done_ns > at_ns for done_ns, at_ns in zip(stored, answered, strict=False))
    seen.expect(
        not early,
        "Each image was stored before its request was answered.",
        f"Each image should be stored before its request is answered; {early} were answered too early.",
        at=uploads,
    )


def never_blocked_later(seen: Seen, puts: Calls) -> None:
    """To make the one client may block: before the first image is stored."""
    first_ns = min(lane.end_ns for lane in puts.lanes)
    later = [step for step in blocking_steps(seen.run) if step.start_ns > first_ns]
    worst = max(later, key=lambda step: step.held_ns, default=None)
    place = worst.called_from or worst.site if worst else None
    seen.expect(
        worst is None,
        "After the first image was stored, nothing blocked the event loop.",
        "After the first image is stored, nothing should block the event loop; "
        f"{'a step' if place is None else f'line {place.line}'} held it for "
        f"{(worst.held_ns if worst else 0) / 1e6:.0f} ms.",
        at=seen.calls("upload"),
    )


def not_used_after_it_was_closed(seen: Seen) -> None:
    """It can be: then it opens new connections."""
    again = [
        pool
        for pool in seen.pool("s3").resources
        if any(one.opened_ns > (pool.closed_ns or one.opened_ns) for one in pool.connections)
    ]
    seen.expect(
        not again,
        "",
        "The client was used after it was closed, so it opened new connections, and nothing closes those. "
        "An `async with` closes it as soon as its block ends.",
        at=seen.calls("upload"),
    )


def open_while_it_serves(seen: Seen) -> None:
    """A server listens right after the first of these events, and has no request any more at the last one."""
    events = [track for track in seen.run.tracks if track.function.endswith("._server_event")]
    if len(events) != SERVER_EVENTS:
        seen.too_busy("the server was stopped before its listeners had ended.")
    starting, stopped = events[0].end_ns, events[3].start_ns
    (client,) = seen.pool("s3").resources
    seen.expect(
        client.made_ns is not None and client.made_ns < starting,
        "The client was opened before the server took requests.",
        "The client should be opened before the server takes requests; it was opened when they could "
        "already come. Which listener is called before the server starts?",
        at=seen.calls("upload"),
    )
    maker = None if client.made_by is None else seen.run.tracks[client.made_by]
    seen.expect(
        maker is not None and maker.thread == events[0].thread and maker.end_ns > events[0].start_ns,
        "The client was opened on the server's event loop.",
        "The client should be opened on the server's event loop; it was opened on another one. Sanic "
        "calls open_store on the server's event loop: what you await there is opened on it.",
        at=seen.calls("upload"),
    )
    seen.expect(
        client.closed_ns is not None and client.closed_ns > stopped,
        "The client was closed after the server had stopped.",
        "The client should be closed after the server has stopped; it was closed while requests could "
        "still be in progress. Which listener is called after the server has stopped?",
        at=seen.calls("upload"),
    )
