"""What the worker must do, in sentences."""

from asyncdemo.checks import Seen

LONGEST_STEP_MS = 50
"""Nothing else runs during a step: a heart, a health check, another request."""


def check(seen: Seen) -> None:
    requests, request_s = int(seen.knobs["REQUESTS"]), float(seen.knobs["REQUEST_MS"]) / 1000
    handles, beats = seen.calls("handle", "calls of handle"), seen.calls("beat", "beats")
    seen.no_warnings()
    handles.are_named([f"handle({n})" for n in range(1, requests + 1)]).all_return()
    handles.take_at_least(request_s)
    seen.no_step_over(LONGEST_STEP_MS)
    beats.happen(int(seen.knobs["BEATS"]))
    # A beat that is due waits for the step that is under way and for two rounds of the loop, a step in each.
    beats.largest_gap_at_most(float(seen.knobs["BEAT_S"]) + 3 * LONGEST_STEP_MS / 1000)
    seen.calls("drain").take_at_most(2 * requests * request_s)
    seen.calls("main").return_values([[f"answer {n}" for n in range(1, requests + 1)]])
