"""What the six cups must do, in sentences."""

from asyncdemo.model import State, TrackKind
from asyncdemo.testing.checks import Calls, Lane, Seen

ENOUGH = 0.9
"""Of the time; what is in between is the cup's own few lines, and the turn that it has to wait for."""
SLACK_S = 0.001
"""Virtual time is exact, but each look at the clock takes a microsecond of it."""


def check(seen: Seen) -> None:
    cups = int(seen.knobs["CUPS"])
    heat_s, steep_s = float(seen.knobs["HEAT_S"]), float(seen.knobs["STEEP_S"])
    brews, main = seen.calls("brew", "brews"), seen.calls("main")
    seen.no_warnings()
    brews.happen(cups).all_return()
    each_cup_once(seen, brews, cups)
    brews.take_at_least(heat_s + steep_s)
    brews.peak_is(cups)
    seen.never_blocked()
    hand_the_thread_back(seen, brews, heat_s + steep_s)
    heated_and_then_steeped(seen, brews, heat_s, steep_s)
    # Where a cup waits in a thread, time is real, and the machine has its part in it.
    in_threads = sum(track.kind is TrackKind.THREAD for track in seen.run.tracks) > 1
    longest_s = (heat_s + steep_s) * 1.5 if in_threads else heat_s + steep_s + SLACK_S
    brews.take_at_most(longest_s)
    brews.end_within(main)
    main.take_at_most(longest_s)
    what_brew_returned_in_order(seen, brews, cups)


def each_cup_once(seen: Seen, brews: Calls, cups: int) -> None:
    names = [lane.name for lane in brews.lanes]
    missing = [n for n in range(1, cups + 1) if f"brew({n})" not in names]
    seen.expect(
        not missing,
        "Each cup was made once.",
        f"Each of the {cups} cups should be made once; cup {''.join(map(str, missing[:1]))} was not.",
        at=brews,
    )


def hand_the_thread_back(seen: Seen, brews: Calls, steps_s: float) -> None:
    """A cup that keeps the thread in many short steps, or asks again and again, does not wait."""
    busy = [lane.name for lane in brews.lanes if waiting_s(lane) < ENOUGH * steps_s]
    seen.expect(
        not busy,
        "Each cup handed the thread back while it waited.",
        f"A cup should hand the thread back until its time is over; {''.join(busy[:1])} kept taking it.",
        at=brews,
    )


def heated_and_then_steeped(seen: Seen, brews: Calls, heat_s: float, steep_s: float) -> None:
    """When the water is hot, the cup gets a turn; from there the tea needs all of its time."""
    wrong = [lane.name for lane in brews.lanes if not has_two_waits(lane, heat_s, steep_s)]
    seen.expect(
        not wrong,
        "Each cup was heated, and then it steeped.",
        f"Each cup should wait {heat_s:g} s for the water and then {steep_s:g} s for the tea; "
        f"{''.join(wrong[:1])} did not.",
        at=brews,
    )


def has_two_waits(lane: Lane, heat_s: float, steep_s: float) -> bool:
    wakes_s = [
        (span.end_ns - lane.start_ns) / 1e9
        for span in lane.spans
        if span.state is State.WAITING and (span.end_ns - lane.start_ns) / 1e9 >= heat_s - SLACK_S
    ]
    return bool(wakes_s) and wakes_s[0] + steep_s <= (lane.end_ns - lane.start_ns) / 1e9 + SLACK_S


def waiting_s(lane: Lane) -> float:
    return sum(span.duration_ns for span in lane.spans if span.state is State.WAITING) / 1e9


def what_brew_returned_in_order(seen: Seen, brews: Calls, cups: int) -> None:
    brews.return_values([lane.name.replace("brew(", "cup ").rstrip(")") for lane in brews.lanes])
    wanted = [f"cup {n}" for n in range(1, cups + 1)]
    (returned,) = seen.calls("main").values
    seen.expect(
        returned == wanted,
        "main returned the cups in the order of their numbers.",
        f"main should return the cups in the order of their numbers, {wanted}; it returned {returned}.",
        at=seen.calls("main"),
    )
