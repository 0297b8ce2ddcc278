"""What the app must do once it has been moved to Quart, in sentences."""

import re
from operator import itemgetter
from typing import Any, Final

from asyncdemo.model import Lane, TrackKind, lineage
from asyncdemo.testing.checks import Calls, Requests, Seen

WANTED: Final = ([0, 1, 2], [4, 3], [3, 0, 4, 1, 2, 0])
"""The parts that the clients ask for, in turn, as the manifest has it."""


def check(seen: Seen) -> None:
    clients, part_ms = int(seen.knobs["CLIENTS"]), int(seen.knobs["PART_MS"])
    pages, fetches, signs = seen.calls("page", "pages"), seen.calls("fetch", "fetches"), seen.calls("sign")
    if len(pages):  # first: a page in a thread may wait for ever for a body that the server's loop reads
        on_one_loop(seen, pages)
    requests = seen.requests("/page", "pages").all_answered(clients)
    pages.happen(clients).all_return()
    sign_was_left_alone(seen, signs)
    seen.never_blocked()
    each_has_what_it_asks_for(seen, requests)
    # Timers may fire a clock tick early.
    fetches.happen(sum(len(WANTED[n % len(WANTED)]) for n in range(clients)))
    fetches.all_return().take_at_least((part_ms - 160 - 2) / 1000)
    signs.happen(clients).all_return().take_at_least(int(seen.knobs["SIGN_MS"]) / 1000 - 0.002)
    parts_overlap(seen, pages, fetches)
    in_progress_together(seen, pages, fetches)
    answers(seen, requests, fetches, signs)
    seen.ends_well()
    # Tasks may be left at the end: Quart cancels none of an app's own.
    seen.expect(not seen.never_ran(), "Every coroutine was awaited.", seen.never_ran())


def on_one_loop(seen: Seen, pages: Calls) -> None:
    """Tasks, all of one thread: a Flask view that is async has its own loop, in its own thread."""
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
        f"sign blocks, but {len(tasks)} of its calls ran in a task and blocked nothing. Leave sign as it "
        "is: it stands for a library that you cannot change.",
        at=seen.calls("page"),
    )


def each_has_what_it_asks_for(seen: Seen, requests: Requests) -> None:
    """In the order of their numbers, which is that of what they ask for: some may be sent in another one."""
    numbers = [int(request.name.rpartition(" ")[2]) for request in requests.requests]
    answers = [body for _, body in sorted(zip(numbers, requests.bodies, strict=True), key=itemgetter(0))]
    bad = [body for body in answers if not is_page(body)]
    seen.expect(
        not bad,
        "Each answer has parts and a signature.",
        f'Each answer should have a list "parts" and a "signature", both of text; one is {bad[:1]}.',
        at=seen.calls("page"),
    )
    wanted = [WANTED[n % len(WANTED)] for n in range(len(answers))]
    got = [
        [int(re.sub(r"part (\d+) .*|.*", r"\1", part) or -1) for part in body["parts"]] for body in answers
    ]
    odd = [
        (asked, parts) for asked, parts in zip(wanted, got, strict=True) if asked != parts and -1 not in parts
    ]
    asked, parts = (", ".join(map(str, numbers)) or "none" for numbers in (odd[0] if odd else ([], [])))
    seen.expect(
        not odd,
        "The parts are those asked for, in that order.",
        f"Each client should get the parts that it asks for, in that order; "
        f"one asked for {asked} and got {parts}.",
        at=seen.calls("page"),
    )


def is_page(body: Any) -> bool:
    if not isinstance(body, dict) or not isinstance(body.get("parts"), list):
        return False
    return all(isinstance(text, str) for text in [*body["parts"], body.get("signature")])


def of_each_page(seen: Seen, pages: Calls, fetches: Calls) -> list[list[Lane]]:
    """The fetches that each page has made, itself or in tasks."""
    made: dict[int, list[Lane]] = {lane.track: [] for lane in pages.lanes}
    for lane in fetches.lanes:
        for track in lineage(seen.run.tracks, lane.track):
            if track.index in made:
                made[track.index].append(lane)
                break
    return [lanes for lanes in made.values() if lanes]


def in_progress_together(seen: Seen, pages: Calls, fetches: Calls) -> None:
    """More than two thirds: on a busy machine some come late."""
    whole_ns = [max(lane.end_ns for lane in lanes) for lanes in of_each_page(seen, pages, fetches)]
    first_ns = min(whole_ns, default=min(lane.end_ns for lane in pages.lanes))
    begun = sum(lane.start_ns < first_ns for lane in fetches.lanes)
    seen.expect(
        begun > len(fetches) * 2 / 3,
        f"{begun} parts were asked for before the first page had all of its own.",
        f"All {len(pages)} pages should be in progress at the same time, and so should their parts; only "
        f"{begun} of {len(fetches)} parts had been asked for when the first page had all of its own.",
        at=pages,
    )


def parts_overlap(seen: Seen, pages: Calls, fetches: Calls) -> None:
    """A page takes as long as its longest part; one part after the other takes about twice as long."""
    for lanes in of_each_page(seen, pages, fetches):
        last = max(lanes, key=lambda lane: lane.start_ns)
        first = min(lanes, key=lambda lane: lane.end_ns)
        if len(lanes) > 1 and last.start_ns >= first.end_ns:
            seen.expect(
                False,
                "",
                f"The parts of a page should overlap; {last.name} of one began only when "
                f"{first.name} had been fetched.",
                at=pages,
            )
    seen.held.append("The parts of a page overlapped.")


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
    odd = [
        body["signature"]
        for body in bodies
        if body["signature"] not in signs.values
        or not body["signature"].endswith(" for " + ", ".join(body["parts"]))
    ]
    seen.expect(
        not odd,
        "Each page has the signature of its parts.",
        f"Each page should have the signature of exactly its parts, as sign returns it; one has {odd[:1]}.",
        at=seen.calls("page"),
    )
