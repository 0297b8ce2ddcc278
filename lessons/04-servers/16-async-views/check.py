"""What the app must do once it has been moved to Quart, in sentences."""

from asyncdemo.model import TrackKind
from asyncdemo.testing.checks import Calls, Seen


def check(seen: Seen) -> None:
    clients = int(seen.knobs["CLIENTS"])
    pages, fetches = seen.calls("page", "pages"), seen.calls("fetch", "fetches")
    seen.never_blocked()
    requests = seen.requests("/page", "pages").all_answered(clients)
    requests.all_answer({"parts": ["part 0", "part 1", "part 2"]})
    pages.happen(clients).all_return()
    on_one_loop(seen, pages)
    pages.all_overlap()
    fetches.happen(3 * clients).all_return().take_at_least(int(seen.knobs["PART_MS"]) / 1000 - 0.002)
    fetches.all_overlap()
    seen.ends_well()
    seen.no_warnings()


def on_one_loop(seen: Seen, pages: Calls) -> None:
    """Tasks, all of one thread: a Flask view that is async has a loop of its own, in a thread of its own."""
    tracks = [seen.run.tracks[lane.track] for lane in pages.lanes]
    loops = {track.thread for track in tracks if track.kind is TrackKind.TASK}
    in_threads = sum(track.kind is TrackKind.THREAD for track in tracks)
    if in_threads:
        found = f"{in_threads} ran in a thread, outside of any loop."
    else:
        found = f"they ran on {len(loops)}, each in a thread of its own."
    seen.expect(
        not in_threads and len(loops) == 1,
        "All pages were made on one event loop.",
        f"All pages should be made on one event loop; {found}",
        at=pages,
    )
