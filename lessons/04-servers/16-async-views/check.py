"""What the app must do once it has been moved to Quart, in sentences."""

from collections import Counter
from typing import Any

from asyncdemo.model import TrackKind
from asyncdemo.testing.checks import Calls, Requests, Seen


def check(seen: Seen) -> None:
    clients, part_ms = int(seen.knobs["CLIENTS"]), int(seen.knobs["PART_MS"])
    pages, fetches, signs = seen.calls("page", "pages"), seen.calls("fetch", "fetches"), seen.calls("sign")
    if len(pages):  # first: a page in a thread may wait for ever for a body that the server's loop reads
        on_one_loop(seen, pages)
    requests = seen.requests("/page", "pages").all_answered(clients)
    pages.happen(clients).all_return()
    sign_was_left_alone(seen, signs)
    seen.never_blocked()
    # Half of the clients ask for three parts, the others for two. Timers may fire a clock tick early.
    fetches.happen(clients // 2 * 5).all_return().take_at_least((part_ms - 160 - 2) / 1000)
    signs.happen(clients).all_return().take_at_least(int(seen.knobs["SIGN_MS"]) / 1000 - 0.002)
    parts_overlap(seen, pages, fetches)
    in_progress_together(seen, pages)
    answers(seen, requests, fetches, signs)
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
        found = f"they ran on {len(loops)}, each in its own thread."
    seen.expect(
        not in_threads and len(loops) == 1,
        "All pages were made on one event loop.",
        f"All pages should be made on one event loop; {found}",
        at=pages,
    )


def sign_was_left_alone(seen: Seen, signs: Calls) -> None:
    """It blocks. So if it ran in a task and the loop was not held up, it is not what it was."""
    long_ns = int(seen.knobs["SIGN_MS"]) * 500_000
    tasks = [lane for lane in signs.lanes if seen.run.tracks[lane.track].kind is TrackKind.TASK]
    held = any(step.held_ns > long_ns for step in seen.run.slow_steps)
    seen.expect(
        not tasks or held,
        "sign ran as it was given.",
        f"sign blocks, and yet {len(tasks)} of its calls ran in a task and blocked nothing. Leave sign as it "
        "is: it stands for a library that you cannot change.",
        at=seen.calls("page"),
    )


def in_progress_together(seen: Seen, pages: Calls) -> None:
    """More than half: on a busy machine some come late. One page at a time has fetched for two by then."""
    ended = min(lane.end_ns for lane in pages.lanes)
    begun = Counter(lane.name for lane in seen.calls("fetch").lanes if lane.start_ns < ended)
    # Half of the pages have part 0, the others part 4.
    most = begun["fetch(0)"] + begun["fetch(4)"]
    seen.expect(
        most > len(pages) / 2,
        f"{most} pages were in progress at the same time.",
        f"All {len(pages)} pages should be in progress at the same time, and so should their parts; only "
        f"{most} had begun to fetch them when the first was made.",
        at=pages,
    )


def parts_overlap(seen: Seen, pages: Calls, fetches: Calls) -> None:
    """A page takes as long as its longest part; one part after the other takes about twice as long."""
    last = {"fetch(2)": "fetch(0)", "fetch(3)": "fetch(4)"}
    apart = [
        name
        for name, first in last.items()
        if fetches.only(name).lanes[0].start_ns >= min(lane.end_ns for lane in fetches.only(first).lanes)
    ]
    seen.expect(
        not apart,
        "The parts of a page overlapped.",
        f"The parts of a page should overlap; {''.join(apart[:1])} of every page began only when another "
        "part had come.",
        at=pages,
    )


def answers(seen: Seen, requests: Requests, fetches: Calls, signs: Calls) -> None:
    bodies: list[Any] = requests.bodies
    parts = [part for body in bodies for part in body["parts"]]
    seen.expect(
        sorted(parts) == sorted(fetches.values),
        "Each page has parts that were fetched for it.",
        "Each page should have what fetch has returned for it, and for no other page; "
        f"{next((part for part in parts if part not in fetches.values), 'one of the parts')} was not.",
        at=seen.calls("page"),
    )
    orders = Counter(tuple(int(part.split()[1]) for part in body["parts"]) for body in bodies)
    wanted = Counter({(0, 1, 2): len(bodies) // 2, (4, 3): len(bodies) // 2})
    seen.expect(
        orders == wanted,
        "The parts are in the order asked for.",
        "Half of the clients asked for the parts 0, 1, 2, the others for 4, 3, in this order; one got the "
        f"parts {', '.join(map(str, next(iter(orders - wanted), ())))}.",
        at=seen.calls("page"),
    )
    odd = [
        body["signature"]
        for body in bodies
        if body["signature"] not in signs.values or not body["signature"].endswith(", ".join(body["parts"]))
    ]
    seen.expect(
        not odd,
        "Each page has the signature of its parts.",
        f"Each page should have the signature of exactly its parts, as sign returns it; one has {odd[:1]}.",
        at=seen.calls("page"),
    )
