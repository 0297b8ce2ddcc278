"""What the six cups must do, in sentences."""

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.model import State, TrackKind
from asyncdemo.testing.checks import Calls, Lane, Seen
from asyncdemo.testing.checks.words import too_few_workers

ENOUGH = 0.9
"""Of the time; what is in between is the cup's own few lines, and the turn that it has to wait for."""
SLACK_S = 0.001
"""Virtual time is exact, but each look at the clock takes a microsecond of it."""
REAL_SLACK_S = 0.05
"""Half of the shortest wait of a cup: what another one keeps it waiting is longer, also in real time."""


def check(seen: Seen) -> None:
    cups = int(seen.knobs["CUPS"])
    heat_s, steep_s = float(seen.knobs["HEAT_S"]), float(seen.knobs["STEEP_S"])
    brews, main = seen.calls("brew", "brews"), seen.calls("main")
    seen.no_warnings()
    brews.happen(cups).all_return()
    each_cup_once(seen, brews, cups)
    brews.take_at_least(heat_s + steep_s)
    all_are_made_at_the_same_time(seen, brews, cups)
    seen.never_blocked()
    hand_the_thread_back(seen, brews, heat_s + steep_s)
    heated_and_then_steeped(seen, brews, heat_s, steep_s)
    # Where a cup waits in a thread, time is real, and the machine has its part in it.
    in_threads = sum(track.kind is TrackKind.THREAD for track in seen.run.tracks) > 1
    longest_s = (heat_s + steep_s) * 1.8 if in_threads else heat_s + steep_s + SLACK_S
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


def all_are_made_at_the_same_time(seen: Seen, brews: Calls, cups: int) -> None:
    """Not ``peak_is``: a cup that holds a lock in one of its waits is being made in the other one, too."""
    most = most_at_once(work for lane in brews.lanes for work in stretches_of_work(lane))
    few = f"there {'was' if most == 1 else 'were'} never more than {most}"
    if full := too_few_workers(seen.run.resources, cups):
        few = f"{full}, and more calls queued for them"
    seen.expect(
        most >= cups,
        f"{cups} brews at work at the same time.",
        f"{cups} brews should be at work at the same time; {few}.",
        at=brews,
    )
    waits = [
        (span.duration_ns / 1e9, lane.name, span.wait.reason)
        for lane in brews.lanes
        for span in lane.spans
        if span.state is State.QUEUED
    ]
    longest_s, name, reason = max(waits, default=(0.0, "", ""))
    seen.expect(
        longest_s < REAL_SLACK_S,
        "No cup waited for another one.",
        f"No cup should wait for another one; {name} waited {longest_s:.2f} s for its turn ({reason}).",
        at=brews,
    )


def stretches_of_work(lane: Lane) -> list[tuple[int, int]]:
    """From its start to its end, without the time in which it waits for its turn at something limited."""
    found: list[tuple[int, int]] = []
    start_ns = lane.start_ns
    for span in lane.spans:
        if span.state is State.QUEUED:
            found.append((start_ns, span.start_ns))
            start_ns = span.end_ns
    return [*found, (start_ns, lane.end_ns)]


def hand_the_thread_back(seen: Seen, brews: Calls, steps_s: float) -> None:
    """A cup that keeps the thread in many short steps, or asks again and again, does not wait."""
    busy = [lane.name for lane in brews.lanes if waiting_s(lane) < ENOUGH * steps_s]
    seen.expect(
        not busy,
        "Each cup handed the thread back while it waited.",
        f"While a cup waits, it should leave the thread to the others; "
        f"{''.join(busy[:1])} kept taking it back.",
        at=brews,
    )


def heated_and_then_steeped(seen: Seen, brews: Calls, heat_s: float, steep_s: float) -> None:
    """When the water is hot, the cup gets a turn; from there the tea needs all of its time."""
    wrong = [lane.name for lane in brews.lanes if not has_two_waits(lane, heat_s, steep_s)]
    seen.expect(
        not wrong,
        "Each cup was heated and then steeped.",
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
    in_a_thread = [span for span in lane.spans if span.wait.reason == "thread"]
    if any(span.duration_ns / 1e9 >= heat_s + steep_s - SLACK_S for span in in_a_thread):
        return True  # which waits twice there
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
