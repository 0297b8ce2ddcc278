"""What the upload gate must do, in sentences."""

import random
import re
from collections import Counter

from asyncdemo.model import Clock
from asyncdemo.testing.checks import Calls, Seen


def check(seen: Seen) -> None:
    images, connections = int(seen.knobs["UPLOADS"]), int(seen.knobs["CONNECTIONS"])
    sends = seen.calls("send", "sends")
    seen.nothing_left_pending()
    sends.happen_at_least(1).all_return()
    send_was_left_alone(seen, sends)
    every_image_once(seen, sends, images)
    # Not the uploads: what they wait at need not be a semaphore, and there need not be any.
    sends.open_is(connections)
    no_place_stays_empty(seen, sends, connections)
    answers_in_order(seen, sends, images)
    seen.no_warnings()


def send_was_left_alone(seen: Seen, sends: Calls) -> None:
    """Quicker images are no gate. Each send draws from SEED when it starts, so both are known here."""
    network = random.Random(int(seen.knobs["SEED"]))
    fastest, slowest = int(seen.knobs["FASTEST_MS"]), int(seen.knobs["SLOWEST_MS"])
    drawn = [(network.randint(fastest, slowest), network.randrange(1_000_000)) for _ in sends.lanes]
    if seen.run.clock is Clock.REAL:  # threads draw in any order
        sends.take_at_least(fastest / 1000 - 0.001)
        receipts = sorted(re.findall(r"-(\d+)\.png", " ".join(map(str, sends.values))))
        seen.expect(
            receipts == sorted(f"{receipt:06}" for _, receipt in drawn),
            "Each send answered with a receipt.",
            "Each send should answer with its own receipt. Leave send as it is.",
            at=sends,
        )
        return
    for lane, answer, (wanted_ms, receipt) in zip(sends.lanes, sends.values, drawn, strict=True):
        took_ms = round((lane.end_ns - lane.start_ns) / 1e6)
        seen.expect(
            took_ms == wanted_ms and str(answer).endswith(f"-{receipt:06}.png"),
            "",
            f"{lane.name} should take {wanted_ms} ms and answer with the receipt {receipt:06}; it took "
            f"{took_ms} ms and answered {answer!r}. Leave send as it is.",
            at=sends,
        )
    seen.held.append("Each send took its time.")


def image(answer: str) -> int:
    """The number of the image that send has answered for."""
    return int(answer.split("-")[1])


def every_image_once(seen: Seen, sends: Calls, images: int) -> None:
    times = Counter(image(answer) for answer in sends.values)
    missing = [n for n in range(1, images + 1) if not times[n]]
    again = [n for n in times if times[n] > 1 or not 1 <= n <= images]
    found = f"{len(missing)} were never sent, the first of them image {missing[0]}" if missing else ""
    if again and not missing:
        found = f"image {again[0]} was sent {'twice' if times[again[0]] == 2 else f'{times[again[0]]} times'}"
    seen.expect(
        not found,
        f"All {images} images were sent, each once.",
        f"Each of the {images} images should be sent once; {found}.",
        at=sends,
    )


def no_place_stays_empty(seen: Seen, sends: Calls, places: int) -> None:
    """The first images start with main, the others when one before them ends. Virtual time is exact."""
    begin_ns = seen.calls("main").happen(1).all_return().lanes[0].start_ns
    free_ns = [begin_ns] * places + sorted(lane.end_ns for lane in sends.lanes)
    idle_ns = [lane.start_ns - free for lane, free in zip(sends.lanes, free_ns, strict=False)]
    longest_ms = max(idle_ns) / 1e6
    seen.expect(
        longest_ms <= (0 if seen.run.clock is Clock.VIRTUAL else seen.slack_s * 1000),
        "A connection that became free was used immediately.",
        "A connection that becomes free should be used immediately while images are left; one was idle for "
        f"{longest_ms:.3g} ms.",
        at=sends,
    )


def answers_in_order(seen: Seen, sends: Calls, images: int) -> None:
    returned = seen.calls("main").values[0]
    answers = sorted(sends.values, key=image)
    if not isinstance(returned, list):
        found = "it returned no list"
    elif len(returned) != images:
        found = f"it returned {len(returned)} of {images}"
    elif sorted(map(str, returned)) != sorted(answers):
        made_up = next(name for name in returned if name not in answers)
        found = f"no send answered {made_up!r}"
    else:
        place = next((place for place in range(images) if returned[place] != answers[place]), 0)
        found = f"at place {place + 1} is {returned[place]!r}"
    seen.expect(
        returned == answers,
        "main returned what send answered, in the order of the images.",
        f"main should return what send answered, in the order of the images, as a list; {found}.",
        at=seen.calls("main"),
    )
