"""What the fixed server must do, in sentences."""

from asyncdemo.analysis.metrics import blocking_steps
from asyncdemo.model import ResourceKind, Slot, TrackKind
from asyncdemo.testing.checks import Requests, Seen

STARTING = ("outside Python", "gil")
"""Why a step is long that starts a worker, or that the pool's own thread delays. Nobody can help that."""


def check(seen: Seen) -> None:
    uploads, described = seen.requests("/upload", "uploads"), seen.requests("/describe", "descriptions")
    sent, asked, pixels = (int(seen.knobs[name]) for name in ("UPLOADS", "DESCRIPTIONS", "PIXELS"))
    described.all_answered(asked)
    computed_by_no_thread_of_the_server(seen)
    one_pool(seen)
    loop_goes_on(seen)
    the_pool_did_it(seen)
    each_is_described(seen, described, pixels)
    computed_once(seen, asked)
    uploads.all_answered(sent).all_answer({"success": True})
    seen.calls("upload", "uploads").happen(sent).all_return().peak_at_least(sent // 2)
    seen.ends_well()
    seen.no_warnings()


def computed_by_no_thread_of_the_server(seen: Seen) -> None:
    """Process 0 is the one that serves."""
    tracks = [seen.run.tracks[lane.track] for lane in seen.calls("brightness").lanes]
    in_threads = [track for track in tracks if track.process == 0 and track.kind is TrackKind.THREAD]
    seen.expect(
        not in_threads,
        "Nothing was computed in a thread of the server.",
        f"brightness was computed in a thread of the server, {len(in_threads)} times. Threads share the "
        "interpreter with the event loop, which waits for it again and again: let another process compute.",
        at=seen.calls("described"),
    )


def one_pool(seen: Seen) -> None:
    """Only a pool of processes has such a thread."""
    made = sum(track.function.startswith("_ExecutorManagerThread.") for track in seen.run.tracks)
    here = [lane for lane in seen.calls("brightness").lanes if not seen.run.tracks[lane.track].process]
    where = (
        " brightness was called on the event loop, where nothing else got a turn meanwhile." if here else ""
    )
    seen.expect(
        made > 0,
        "A pool of processes was given work.",
        f"A ProcessPoolExecutor should do the computing; no such pool was ever given any work.{where}",
        at=seen.calls("described"),
    )
    seen.expect(
        made == 1,
        "All requests shared one pool.",
        f"All requests should share one pool; {made} were made, and each had to start its own processes.",
        at=seen.calls("described"),
    )


def loop_goes_on(seen: Seen) -> None:
    steps = [step for step in blocking_steps(seen.run) if step.reason not in STARTING]
    worst = max(steps, key=lambda step: step.held_ns, default=None)
    line = f", at line {worst.site.line}" if worst is not None and worst.site is not None else ""
    seen.expect(
        worst is None,
        "The event loop was never blocked.",
        "The event loop should go on while the pool computes; one step held it for "
        f"{worst.held_ns / 1e6 if worst else 0:.0f} ms{line}.",
        at=seen.calls("described"),
    )


def the_pool_did_it(seen: Seen) -> None:
    """While a description is open, the pool is at work; a thread pool, if any, only waits for that."""
    lanes = seen.calls("described").lanes
    start_ns, end_ns = min(lane.start_ns for lane in lanes), max(lane.end_ns for lane in lanes)
    pools = [one for one in seen.run.resources if one.kind is ResourceKind.EXECUTOR]
    during = [
        [slot for slot in (*pool.slots, *pool.queue) if start_ns < slot.end_ns and slot.start_ns < end_ns]
        for pool in pools
    ]
    busy_ns = min(covered(slots, start_ns) for slots in during if slots)
    seen.expect(
        busy_ns > 0.7 * (end_ns - start_ns),
        "The pool did the computing.",
        f"The pool should do the computing; it was at work for {busy_ns / 1e6:.0f} ms of the "
        f"{(end_ns - start_ns) / 1e6:.0f} ms that the requests to /describe took.",
        at=seen.calls("described"),
    )


def covered(slots: list[Slot], start_ns: int) -> int:
    """How long at least one of them was there."""
    busy_ns, until_ns = 0, start_ns
    for slot in sorted(slots, key=lambda slot: slot.start_ns):
        busy_ns += max(0, slot.end_ns - max(slot.start_ns, until_ns))
        until_ns = max(until_ns, slot.end_ns)
    return busy_ns


def computed_once(seen: Seen, asked: int) -> None:
    """Forked workers are not observed, spawned ones are."""
    if not any(track.process for track in seen.run.tracks):
        return
    computed = seen.calls("brightness")
    seen.expect(
        len(computed) == asked,
        "brightness was called once for each description.",
        f"brightness should be called once for each of the {asked} descriptions; it was called "
        f"{len(computed)} times.",
        at=seen.calls("described"),
    )


def each_is_described(seen: Seen, described: Requests, pixels: int) -> None:
    """The remainders come again every 251 pixels, so a few are enough here."""

    def brightness(picture: int) -> int:
        row = [picture * pixel % 251 for pixel in range(251)]
        return sum(row) * (pixels // 251) + sum(row[: pixels % 251])

    wanted = [{"picture": n, "brightness": brightness(n)} for n in range(1, len(described) + 1)]
    odd = [answer for answer in described.bodies if answer not in wanted]
    missing = [answer["picture"] for answer in wanted if answer not in described.bodies]
    found = f"one answer was {odd[0]}" if odd else f"picture {min(missing, default=0)} was not"
    seen.expect(
        not odd and not missing,
        "Each picture was described.",
        f"Each of the {len(described)} pictures should be described, as brightness returns it; {found}.",
        at=seen.calls("described"),
    )
