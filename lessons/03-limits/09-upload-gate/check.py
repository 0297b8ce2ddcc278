"""What the upload gate must do, in sentences."""

import random

from asyncdemo.testing.checks import Calls, Seen


def check(seen: Seen) -> None:
    images, connections = int(seen.knobs["UPLOADS"]), int(seen.knobs["CONNECTIONS"])
    uploads, sends = seen.calls("upload", "uploads"), seen.calls("send", "sends")
    seen.nothing_left_pending()
    uploads.happen(images).all_return()
    what = "The others never reached send." if len(sends) < images else "Some were sent twice."
    seen.expect(
        len(sends) == images,
        f"All {images} images were sent.",
        f"All {images} images should be sent, each once; there were {len(sends)} sends. {what}",
        at=uploads,
    )
    sends.all_return()
    no_send_is_quicker(seen, sends)
    # Not the uploads: what they wait at need not be a semaphore, and not all of an upload need be behind it.
    sends.peak_is(connections)
    no_place_stays_empty(seen, sends, connections)
    names_in_order(seen, images)
    seen.no_warnings()


def no_send_is_quicker(seen: Seen, sends: Calls) -> None:
    """The gate is not mended by quicker images."""
    draw = random.Random(int(seen.knobs["SEED"]))
    fastest, slowest = int(seen.knobs["FASTEST_MS"]), int(seen.knobs["SLOWEST_MS"])
    drawn = sorted(draw.randint(fastest, slowest) for _ in range(len(sends)))
    took = sorted((lane.end_ns - lane.start_ns) / 1e6 for lane in sends.lanes)
    quick = [(ms, wanted) for ms, wanted in zip(took, drawn, strict=True) if ms < wanted]
    ms, wanted = quick[0] if quick else (0, 0)
    seen.expect(
        not quick,
        "Each send took its time.",
        f"Each send should take as long as was drawn; one took {ms:.0f} ms instead of {wanted} ms. Leave "
        "send and draw_durations as they are.",
        at=sends,
    )


def names_in_order(seen: Seen, images: int) -> None:
    names = seen.calls("main").happen(1).all_return().values[0]
    wanted = [f"image-{n}.png" for n in range(1, images + 1)]
    if isinstance(names, list) and len(names) == images and names != wanted:
        place = next(place for place in range(images) if names[place] != wanted[place])
        found = f"at place {place + 1} is {names[place]!r}"
    else:
        found = f"it returned {len(names)} of {images}" if isinstance(names, list) else "it returned no list"
    seen.expect(
        names == wanted,
        "main returned the names in the order of the images.",
        f"main should return the names in the order of the images, as a list; {found}.",
        at=seen.calls("main"),
    )


def no_place_stays_empty(seen: Seen, sends: Calls, places: int) -> None:
    """Each image that had to wait starts when the next one before it ends. Virtual time is that exact."""
    starts = [lane.start_ns for lane in sends.lanes][places:]
    ends = sorted(lane.end_ns for lane in sends.lanes)
    idle_ns = [start - end for start, end in zip(starts, ends, strict=False)]
    longest_ms = max(idle_ns, default=0) / 1e6
    seen.expect(
        longest_ms < 1,
        "A connection that became free was used at once.",
        "A connection that becomes free should be used at once while images are left; one lay idle for "
        f"{longest_ms:.0f} ms.",
        at=sends,
    )
