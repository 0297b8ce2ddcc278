"""What the worker must do, in sentences."""

import random
from itertools import pairwise

from asyncdemo.model import State, TrackKind
from asyncdemo.testing.checks import Calls, Lane, Seen

LONGEST_STEP_MS = 50
"""Nothing else runs during a step: a heart, a health check, another request."""
IN_THREADS_MS = 200
"""Threads take real time: a step of the loop also waits for the GIL, and for the machine."""
HAND_OVER_S = 0.05
"""What a busy machine may take to give a request to a thread and its answer back."""


def check(seen: Seen) -> None:
    requests, request_s = int(seen.knobs["REQUESTS"]), float(seen.knobs["REQUEST_MS"]) / 1000
    handles, beats = seen.calls("handle", "calls of handle"), seen.calls("beat", "beats")
    seen.no_warnings()
    one_at_a_time(seen, handles)  # first: where they overlap, they may begin in any order
    handles.are_named([f"handle({n})" for n in range(1, requests + 1)]).all_return()
    handles.take_at_least(request_s)
    handle_is_as_it_was(seen, handles, beats, request_s)
    handles.end_within(seen.calls("drain"))
    in_threads = all(seen.run.tracks[lane.track].kind is TrackKind.THREAD for lane in handles.lanes)
    seen.no_step_over(IN_THREADS_MS if in_threads else LONGEST_STEP_MS)
    beats.happen(int(seen.knobs["BEATS"]))
    if not in_threads:
        the_heart_gets_its_turns(seen, handles, beats)
    handling_s = sum(lane.end_ns - lane.start_ns for lane in handles.lanes) / 1e9
    handing_over_s = requests * HAND_OVER_S if in_threads else 0
    seen.calls("drain").take_at_most(2 * handling_s + handing_over_s)
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


def one_at_a_time(seen: Seen, handles: Calls) -> None:
    early = [
        f"{later.name} began before {earlier.name} had ended"
        for earlier, later in pairwise(handles.lanes)
        if later.start_ns < earlier.end_ns
    ]
    seen.expect(
        not early,
        "The requests were handled one at a time.",
        f"The requests should be handled in order, one at a time; {''.join(early[:1])}.",
        at=handles,
    )


def the_heart_gets_its_turns(seen: Seen, handles: Calls, beats: Calls) -> None:
    """A beat that is due waits for the step under way and for two rounds of the loop, a step in each."""
    longest_ns = round(float(seen.knobs["BEAT_S"]) * 1e9) + 3 * LONGEST_STEP_MS * 1_000_000
    fault = ""
    for beat, following in pairwise(beats.lanes):
        if following.start_ns - beat.start_ns > longest_ns:
            handled = sum(beat.start_ns <= lane.start_ns < following.start_ns for lane in handles.lanes)
            apart_ms = (following.start_ns - beat.start_ns) / 1e6
            fault = (
                f"between {beat.name} and {following.name}, {apart_ms:.0f} ms passed, and {handled} requests "
                "were handled. Every task that was ready before the heart got its turn first"
            )
            break
    seen.expect(
        not fault,
        "The heart got its turns between the requests.",
        f"The heart should keep beating while requests are handled; {fault}.",
        at=beats,
    )


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
        "Each call of handle ran in one go.",
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
