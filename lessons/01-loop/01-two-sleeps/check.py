"""What the six cups must do, in sentences."""

from asyncdemo.model import State
from asyncdemo.testing.checks import Calls, Lane, Seen

ENOUGH = 0.9
"""Of the time; what is in between is the cup's own few lines, and the turn that it has to wait for."""


def check(seen: Seen) -> None:
    cups, steps_s = int(seen.knobs["CUPS"]), float(seen.knobs["HEAT_S"]) + float(seen.knobs["STEEP_S"])
    brews = seen.calls("brew", "brews")
    seen.no_warnings()
    brews.happen(cups).all_return()
    brews.take_at_least(steps_s)
    brews.peak_is(cups)
    seen.never_blocked()
    hand_the_thread_back(seen, brews, steps_s)
    brews.take_at_most(1.5 * steps_s)
    brews.end_within(seen.calls("main"))
    seen.calls("main").return_values([[f"cup {n}" for n in range(1, cups + 1)]])


def hand_the_thread_back(seen: Seen, brews: Calls, steps_s: float) -> None:
    """A cup that keeps the thread in many short steps, or asks again and again, does not wait."""
    busy = [lane.name for lane in brews.lanes if waiting_s(lane) < ENOUGH * steps_s]
    seen.expect(
        not busy,
        "Each cup handed the thread back while it waited.",
        f"A cup should hand the thread back until its time is over; {''.join(busy[:1])} kept taking it.",
        at=brews,
    )


def waiting_s(lane: Lane) -> float:
    return sum(span.duration_ns for span in lane.spans if span.state is State.WAITING) / 1e9
