"""What the page must do, in sentences."""

import random

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.model import TrackKind
from asyncdemo.testing.checks import Calls, Seen

SLACK_S = 0.001
"""Virtual time is exact, but each look at the clock takes a microsecond of it."""
REAL_SLACK_S = 1.0
"""Threads take real time, and on a busy machine they wait for their turn."""


def check(seen: Seen) -> None:
    parts = int(seen.knobs["PARTS"])
    sign_ins, loads, main = (
        seen.calls("sign_in", "calls of sign_in"),
        seen.calls("load", "parts"),
        seen.calls("main"),
    )
    seen.nothing_left_pending()
    sign_ins.happen(1).all_return()
    loads.happen(parts).all_return()
    sign_ins.end_before(loads)
    each_part_with_the_token(seen, loads, str(sign_ins.values[0]), parts)
    slowest_s = the_functions_are_as_they_were(seen, sign_ins, loads)
    if in_threads(seen):
        most_overlap(seen, loads)
    else:
        loads.all_overlap()
    loads.end_within(main)
    main.take_at_most(
        float(seen.knobs["SIGN_IN_S"]) + slowest_s + (REAL_SLACK_S if in_threads(seen) else SLACK_S)
    )
    page, returned = sorted(loads.values, key=number), main.values[0]
    if not isinstance(returned, list):
        found = "it returned no list"
    elif len(returned) != len(page):
        found = f"it returned a list of {len(returned)}"
    else:
        found = f"{next((part for part, one in zip(page, returned, strict=True) if part != one), '')!r} is "
        found += "not in its place"
    seen.expect(
        returned == page,
        "main returned what load returned, in the order of the parts.",
        f"main should return what load returned, in the order of the parts, as a list; {found}.",
        at=main,
    )
    seen.no_warnings()


def in_threads(seen: Seen) -> bool:
    """With an event loop in each thread, what overlaps takes real time, and draws in any order."""
    return sum(track.kind is TrackKind.THREAD for track in seen.run.tracks) > 1


def most_overlap(seen: Seen, loads: Calls) -> None:
    """On a busy machine the first part may be loaded before the last thread has started."""
    most = most_at_once((lane.start_ns, lane.end_ns) for lane in loads.lanes)
    seen.expect(
        most >= 0.7 * len(loads),
        "The parts were loaded at the same time.",
        f"All {len(loads)} parts should be loading at the same time; there were never more than {most}.",
        at=loads,
    )


def number(loaded: str) -> int:
    """Of the part that load returned."""
    return int(loaded.split()[1])


def each_part_with_the_token(seen: Seen, loads: Calls, token: str, parts: int) -> None:
    loaded = sorted((number(value), token in value) for value in loads.values)
    wanted = [(part, True) for part in range(1, parts + 1)]
    wrong = next((part for part, *_ in wanted if (part, True) not in loaded), 0)
    seen.expect(
        loaded == wanted,
        "Every part was loaded once, with the token that sign_in returned.",
        f"Every part should be loaded once, with the token that sign_in returned, {token}; part "
        f"{wrong} was not.",
        at=loads,
    )


def the_functions_are_as_they_were(seen: Seen, sign_ins: Calls, loads: Calls) -> float:
    """What they take and return comes from SEED, in call order. Returns the slowest one's time."""
    if in_threads(seen):
        loads.take_at_least(int(seen.knobs["FASTEST_MS"]) / 1000 - SLACK_S)
        return max(lane.end_ns - lane.start_ns for lane in loads.lanes) / 1e9
    network = random.Random(int(seen.knobs["SEED"]))
    fastest, slowest = int(seen.knobs["FASTEST_MS"]), int(seen.knobs["SLOWEST_MS"])
    token, sign_in_ms = (
        f"token-{network.randrange(1_000_000):06}",
        round(float(seen.knobs["SIGN_IN_S"]) * 1000),
    )
    wanted = [("sign_in()", sign_in_ms, token)]
    for lane in loads.lanes:
        takes_ms, size = network.randint(fastest, slowest), network.randint(1, 99)
        wanted.append((lane.name, takes_ms, f": {size} kB"))
    lanes = [*sign_ins.lanes, *loads.lanes]
    changed = [
        name
        for lane, (name, takes_ms, end) in zip(lanes, wanted, strict=True)
        if round((lane.end_ns - lane.start_ns) / 1e6) != takes_ms or end not in (lane.result or "")
    ]
    seen.expect(
        not changed,
        "Each part took its time.",
        f"{''.join(changed[:1])} did not do what it did before. Leave sign_in and load as they are.",
        at=loads,
    )
    return max(takes_ms for _, takes_ms, _ in wanted[1:]) / 1000
