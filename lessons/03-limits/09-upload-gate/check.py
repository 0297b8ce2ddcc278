"""What the upload gate must do, in sentences."""

from asyncdemo.checks import Calls, Seen


def check(seen: Seen) -> None:
    images, connections = int(seen.knobs["UPLOADS"]), int(seen.knobs["CONNECTIONS"])
    uploads, sends = seen.calls("upload", "uploads"), seen.calls("send", "images on their way")
    seen.nothing_left_pending()
    uploads.happen(images).all_return()
    seen.expect(
        len(sends) == images,
        f"All {images} images were sent.",
        f"All {images} images should be sent; {len(sends)} were. The others never reached send.",
        at=uploads,
    )
    uploads.peak_is(connections)
    no_place_stays_empty(seen, sends, connections)
    seen.calls("main").return_values([[f"image-{n}.png" for n in range(1, images + 1)]])
    seen.no_warnings()


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
