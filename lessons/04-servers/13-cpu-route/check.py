"""What the mended server must do, in sentences."""

from asyncdemo.model import TrackKind
from asyncdemo.testing.checks import Seen


def check(seen: Seen) -> None:
    pixels = int(seen.knobs["PIXELS"])
    # Before the loop: how long threads that compute keep it waiting is a matter of luck.
    computed_by_no_thread_of_the_server(seen)
    seen.never_blocked()
    uploads, described = seen.requests("/upload", "uploads"), seen.requests("/describe", "descriptions")
    uploads.all_answered(int(seen.knobs["UPLOADS"])).all_answer({"success": True})
    described.all_answered(int(seen.knobs["DESCRIPTIONS"]))
    described.all_answer({"pixels": pixels, "brightness": sum(pixel % 251 for pixel in range(pixels))})
    seen.calls("upload", "uploads").happen(int(seen.knobs["UPLOADS"])).all_return()
    seen.calls("upload", "uploads").peak_at_least(int(seen.knobs["UPLOADS"]) // 2)
    seen.ends_well()
    seen.no_warnings()


def computed_by_no_thread_of_the_server(seen: Seen) -> None:
    """Process 0 is the one that serves; a task's own computing is what ``never_blocked`` is about."""
    tracks = [seen.run.tracks[lane.track] for lane in seen.calls("brightness").lanes]
    in_threads = [track for track in tracks if track.process == 0 and track.kind is TrackKind.THREAD]
    seen.expect(
        not in_threads,
        "Nothing was computed in a thread of the server.",
        f"brightness was computed in a thread of the server, {len(in_threads)} times. Threads share the "
        "interpreter with the event loop, which waits for it again and again: let another process compute.",
        at=seen.calls("described"),
    )
