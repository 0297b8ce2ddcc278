"""What the darkroom must do, in sentences."""

import random
import re

from asyncdemo.model import Clock, Lane
from asyncdemo.testing.checks import Calls, Seen

SAME_NS = 500_000
"""All times are whole milliseconds. What happens at the same moment may do so in any order."""


def check(seen: Seen) -> None:
    photos, room, damaged = (int(seen.knobs[name]) for name in ("PHOTOS", "ROOM", "DAMAGED"))
    reads, develops = seen.calls("read"), seen.calls("develop", "photos")
    seen.expect(
        bool(len(reads)), "Photos were read.", "develop_all should read the photos; read was never called."
    )
    one_after_another(seen, reads)
    read_and_develop_were_left_alone(seen, reads, develops)
    if damaged:
        everything_stops(seen, reads, develops, damaged)
    else:
        each_once(seen, develops, photos)
        develops.open_is(int(seen.knobs["WORKERS"]))
        nobody_is_idle(seen, reads, develops)
        prints_in_order(seen, develops)
    reading_waits(seen, reads, develops, room, reached=not damaged)
    seen.no_warnings()


def number(photo: str) -> int:
    """The number in "photo 7 123456", and in the name of the call that got it."""
    found = re.search(r"(?:photo|print) (\d+) ", photo)
    return int(found[1]) if found else 0


def seconds(seen: Seen, time_ns: int) -> str:
    """Since main began."""
    return f"{(time_ns - seen.calls('main').lanes[0].start_ns) / 1e9:.3f} s"


def one_after_another(seen: Seen, reads: Calls) -> None:
    names = [lane.name for lane in reads.lanes]
    together = any(
        lane.start_ns < before.end_ns for before, lane in zip(reads.lanes, reads.lanes[1:], strict=False)
    )
    wanted = [f"read({n})" for n in range(1, len(names) + 1)]
    seen.expect(
        names == wanted and not together,
        "The photos were read in order, one at a time.",
        "The photos should be read in order, one at a time; "
        + (
            "some calls of read overlap." if together else f"the calls were {', '.join(names[:4]) or 'none'}."
        ),
        at=reads,
    )


def read_and_develop_were_left_alone(seen: Seen, reads: Calls, develops: Calls) -> None:
    """Both draw from SEED when they start, so what they do is known here."""
    chance = random.Random(int(seen.knobs["SEED"]))
    read_ms, most_ms = int(seen.knobs["READ_MS"]), int(seen.knobs["DEVELOP_MS"])
    calls = [(index, lane, value) for group in (reads, develops) for index, lane, value in members(group)]
    for _, lane, value in sorted(calls, key=lambda call: call[0]):
        if lane.function == "read":
            wanted_ms, ends = read_ms, f" {chance.randrange(1_000_000):06}"
        else:
            wanted_ms, ends = chance.randint(most_ms // 2, most_ms), ""
        took_ms = round((lane.end_ns - lane.start_ns) / 1e6)
        if value is not None and (not seen.took(lane, wanted_ms / 1000) or not str(value).endswith(ends)):
            message = f"{lane.name} should take {wanted_ms} ms; it took {took_ms} ms and returned {value!r}."
            seen.expect(False, "", f"{message} Leave read and develop as they are.", at=reads)
    seen.held.append("Each call of read and of develop took its time.")


def members(calls: Calls) -> list[tuple[int, Lane, str | None]]:
    return list(zip(calls.indices, calls.lanes, calls.values, strict=True))


def each_once(seen: Seen, develops: Calls, photos: int) -> None:
    develops.all_return()
    developed = [number(value) for value in develops.values]
    missing = sorted({*range(1, photos + 1)} - {*developed})
    seen.expect(
        not missing,
        "No photo was lost.",
        f"All {photos} photos should be developed; {len(missing)} never were, the first of them "
        f"photo {min(missing, default=0)}.",
    )
    develops.happen(photos)


def reading_waits(seen: Seen, reads: Calls, develops: Calls, room: int, *, reached: bool) -> None:
    """What was read and is not being developed waits somewhere, in a queue or not. One more is in hand."""

    def waiting(now_ns: int) -> int:
        read = sum(lane.end_ns <= now_ns for lane in reads.lanes)
        return read - sum(lane.start_ns <= now_ns for lane in develops.lanes)

    most = max((waiting(lane.end_ns) for lane in reads.lanes), default=0)
    seen.expect(
        most <= room + 1,
        "Reading waited while the queue was full.",
        f"Reading should wait while the queue is full; {most} photos were read and waited for a worker, and "
        f"there is room for {room}.",
    )
    seen.expect(
        most >= room or not reached,
        "Reading went ahead until the queue was full.",
        f"Reading should go ahead until the queue is full; there is room for {room}, and never more than "
        f"{most} waited there.",
    )


def nobody_is_idle(seen: Seen, reads: Calls, develops: Calls) -> None:
    """A photo begins when it has been read and a worker is free. Virtual time is exact."""
    workers = int(seen.knobs["WORKERS"])
    idle_ns = 0 if seen.run.clock is Clock.VIRTUAL else seen.slack_s * 1e9
    free_ns = [0] * workers + sorted(lane.end_ns for lane in develops.lanes)
    read_ns = [lane.end_ns for lane in reads.lanes]
    late = [
        f"a worker was free and a photo had been read at {seconds(seen, max(free, read))}, and {lane.name} "
        f"began at {seconds(seen, lane.start_ns)}"
        for lane, free, read in zip(develops.lanes, free_ns, read_ns, strict=False)
        if lane.start_ns > max(free, read) + idle_ns
    ]
    seen.expect(
        not late,
        "No worker was idle while photos were left.",
        f"A free worker should take the next photo immediately; {''.join(late[:1])}.",
        at=develops,
    )


def prints_in_order(seen: Seen, develops: Calls) -> None:
    prints = sorted(develops.values, key=number)
    returned = seen.calls("main").happen(1).all_return().values[0]
    found = "it returned no list"
    if isinstance(returned, list):
        pairs = enumerate(zip(returned, prints, strict=False), start=1)
        other = [(n, one) for n, (one, made) in pairs if one != made]
        found = f"at place {other[0][0]} is {other[0][1]!r}" if other else f"it returned {len(returned)}"
    seen.expect(
        returned == prints,
        "develop_all returned what develop had made, in the order of the photos.",
        f"develop_all should return what develop made, in the order of the photos; {found}.",
        at=seen.calls("main"),
    )


def everything_stops(seen: Seen, reads: Calls, develops: Calls, damaged: int) -> None:
    """At the very moment at which the worker fails: nothing is begun any more, all is cancelled."""
    failed = [lane for lane in develops.lanes if number(lane.name) == damaged]
    died_ns = failed[0].end_ns if failed else 0
    seen.expect(bool(failed), f"Photo {damaged} was developed.", f"Photo {damaged} was never developed.")
    lanes = [*reads.lanes, *develops.lanes]
    at_once_ns = SAME_NS if seen.run.clock is Clock.VIRTUAL else seen.slack_s * 1e9
    after = [
        f"{lane.name} still started, at {seconds(seen, lane.start_ns)}"
        for lane in lanes
        if lane.start_ns > died_ns + at_once_ns
    ]
    after += [
        f"{lane.name} went on until {seconds(seen, lane.end_ns)}"
        for lane in [*lanes, *seen.calls("main").lanes]
        if lane.end_ns > died_ns + at_once_ns
    ]
    seen.expect(
        not after,
        f"Everything stopped when developing photo {damaged} failed.",
        f"When developing photo {damaged} fails, at {seconds(seen, died_ns)}, everything should stop "
        f"immediately; {''.join(after[:1])}.",
    )
    photo = next(value for value in reads.values if value and number(value) == damaged)
    seen.calls("main").return_values([[f"stopped: {photo}"]])
