"""What the darkroom must do, in sentences."""

from asyncdemo.model import Lane
from asyncdemo.testing.checks import Calls, Seen

SLACK_S = 0.001
"""Virtual time is exact, but each look at the clock takes a microsecond; a group is told a round later."""


def check(seen: Seen) -> None:
    photos, room, damaged = (int(seen.knobs[name]) for name in ("PHOTOS", "ROOM", "DAMAGED"))
    reads, develops = seen.calls("read"), seen.calls("develop")
    seen.queue_depth_at_most(room)
    if damaged:
        seen.calls("main").return_values([[f"stopped: photo {damaged}"]])
        is_stopped(seen, damaged)
    else:
        each_once(seen, photos)
        develops.all_return().take_at_least(float(seen.knobs["DEVELOP_S"]))
        reads.take_at_least(float(seen.knobs["READ_S"]))
        seen.calls("develop", "photos").peak_is(int(seen.knobs["WORKERS"]))
        seen.queue_depth_reaches(room)
        reading_waits(seen, reads, develops, room)
        nobody_is_idle(seen, develops)
        seen.calls("main").return_values([[f"print {n:02}" for n in range(1, photos + 1)]])
    seen.no_warnings()


def each_once(seen: Seen, photos: int) -> None:
    """Photo n is developed by the call develop(n)."""
    developed = [lane.name for lane in seen.calls("develop").lanes]
    times = {n: developed.count(f"develop({n})") for n in range(1, photos + 1)}
    missing = [n for n in times if times[n] == 0]
    seen.expect(
        not missing,
        "No photo was lost.",
        f"All {photos} photos should be developed; {len(missing)} never were, the first of them "
        f"photo {min(missing, default=0)}.",
    )
    seen.calls("develop").happen(photos)


def reading_waits(seen: Seen, reads: Calls, develops: Calls, room: int) -> None:
    """What was read and is not being developed waits somewhere, in a queue or not. One more is in hand."""

    def waiting(now_ns: int) -> int:
        read = sum(lane.end_ns <= now_ns for lane in reads.lanes)
        return read - sum(lane.start_ns <= now_ns for lane in develops.lanes)

    most = max((waiting(lane.end_ns) for lane in reads.lanes), default=0)
    seen.expect(
        most <= room + 1,
        "Reading waited while there was no room.",
        f"Reading should wait while the queue is full; {most} photos were read and waited for a worker, and "
        f"there is room for {room}.",
    )


def nobody_is_idle(seen: Seen, develops: Calls) -> None:
    """A worker that is done with a photo goes on with the next one at once."""
    lanes, workers = develops.lanes, int(seen.knobs["WORKERS"])
    free_ns = sorted(lane.end_ns for lane in lanes)
    late = [lane for lane, free in zip(lanes[workers:], free_ns, strict=False) if later(lane, free) > SLACK_S]
    name = late[0].name if late else ""
    seen.expect(
        not late,
        "No worker was idle while photos were left.",
        f"A worker that is free should take the next photo at once; {name} began later than it could.",
        at=develops,
    )


def is_stopped(seen: Seen, damaged: int) -> None:
    """When a worker dies, nothing more is begun."""
    died_ns = [lane.end_ns for lane in seen.calls("develop").lanes if lane.name == f"develop({damaged})"]
    begun = [lane for function in ("read", "develop") for lane in seen.calls(function).lanes]
    after = [lane.name for lane in begun if died_ns and later(lane, died_ns[0]) > SLACK_S]
    seen.expect(
        bool(died_ns) and not after,
        f"Nothing was begun after photo {damaged} had made a worker fail.",
        f"When photo {damaged} makes a worker fail, all should be stopped; {''.join(after[:1])} was still "
        "begun.",
    )


def later(lane: Lane, free_ns: int) -> float:
    """How many seconds after that the call began."""
    return (lane.start_ns - free_ns) / 1e9
