"""What the worker must do, in sentences."""

import random

from asyncdemo.model import State, TrackKind
from asyncdemo.testing.checks import Calls, Lane, Seen

LONGEST_STEP_MS = 50
"""Nothing else runs during a step: a heart, a health check, another request."""


def check(seen: Seen) -> None:
    requests, request_s = int(seen.knobs["REQUESTS"]), float(seen.knobs["REQUEST_MS"]) / 1000
    handles, beats = seen.calls("handle", "calls of handle"), seen.calls("beat", "beats")
    seen.no_warnings()
    handles.are_named([f"handle({n})" for n in range(1, requests + 1)]).all_return()
    handles.take_at_least(request_s)
    handle_is_as_it_was(seen, handles, beats, request_s)
    handles.end_within(seen.calls("drain"))
    # With handle in another thread, a step of the loop also waits for the GIL.
    in_threads = sum(track.kind is TrackKind.THREAD for track in seen.run.tracks) > 1
    seen.no_step_over(2 * LONGEST_STEP_MS if in_threads else LONGEST_STEP_MS)
    beats.happen(int(seen.knobs["BEATS"]))
    # A beat that is due waits for the step that is under way and for two rounds of the loop, a step in each.
    beats.largest_gap_at_most(float(seen.knobs["BEAT_S"]) + 3 * LONGEST_STEP_MS / 1000)
    seen.calls("drain").take_at_most(2 * requests * request_s)
    chance = random.Random(int(seen.knobs["SEED"]))
    answers = [f"answer {n}: {chance.randrange(1_000_000)}" for n in range(1, requests + 1)]
    seen.expect(
        handles.values == answers,
        "handle returned what it should.",
        f"handle({next((n for n, one in enumerate(handles.values, 1) if one != answers[n - 1]), 1)}) did not "
        "return what it did before. Leave handle as it is.",
        at=handles,
    )
    seen.calls("main").return_values([answers])


def handle_is_as_it_was(seen: Seen, handles: Calls, beats: Calls, request_s: float) -> None:
    """It computes, in one go. A handle that waits instead would free the loop without any fix."""
    idle = [lane.name for lane in handles.lanes if computing_s(seen, lane) < request_s / 2]
    seen.expect(
        not idle,
        "handle computed all the time.",
        f"handle computes, which keeps the thread; {''.join(idle[:1])} waited instead. Leave handle as it "
        "is.",
        at=handles,
    )
    apart = [
        f"{beat.name} came during {lane.name}"
        for lane in handles.lanes
        for beat in beats.lanes
        if seen.run.tracks[lane.track].kind is TrackKind.TASK and lane.start_ns < beat.start_ns < lane.end_ns
    ]
    seen.expect(
        not apart,
        "Each handle was done in one go.",
        "handle computes in one go, so the others get a turn between two requests and not within one; "
        f"{''.join(apart[:1])}. Leave handle as it is.",
        at=handles,
    )


def computing_s(seen: Seen, lane: Lane) -> float:
    running_ns = sum(span.duration_ns for span in lane.spans if span.state is State.RUNNING)
    for call in seen.run.blocking_calls:  # keeps the thread as well, but computes nothing
        if call.track == lane.track:
            running_ns -= max(0, min(call.end_ns, lane.end_ns) - max(call.start_ns, lane.start_ns))
    return running_ns / 1e9
