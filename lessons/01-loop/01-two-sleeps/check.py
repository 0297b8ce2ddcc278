"""What the six cups must do, in sentences."""

from asyncdemo.checks import Seen


def check(seen: Seen) -> None:
    cups, steps_s = int(seen.knobs["CUPS"]), float(seen.knobs["HEAT_S"]) + float(seen.knobs["STEEP_S"])
    brews = seen.calls("brew", "brews")
    seen.no_warnings()
    brews.happen(cups).all_return()
    brews.take_at_least(steps_s)
    brews.peak_is(cups)
    seen.never_blocked()
    brews.end_within(seen.calls("main"))
    seen.calls("main").return_values([[f"cup {n}" for n in range(1, cups + 1)]])
