"""What the program with the deadline must do, in sentences."""

from collections.abc import Mapping
from itertools import pairwise

from asyncdemo.model import TrackKind
from asyncdemo.testing.checks import Calls, Lane, Outcome, Seen

SLACK_S = 0.001
"""Virtual time is exact, but each look at the clock takes a microsecond of it."""
EARLY_S = 0.02
"""Nothing that a run is asked to do comes nearer to its deadline."""
REAL_SLACK_S = 0.3
"""With a pause in a thread time is real, and on a busy machine everything is later."""


def check(seen: Seen) -> None:
    questions, ending = expected(seen.knobs)
    follow, asked, goodbye = seen.calls("follow"), seen.calls("ask", "questions"), seen.calls("say_goodbye")
    seen.no_warnings()
    seen.never_blocked()
    follow.happen(1)
    if len(goodbye) > 1:
        goodbye.happen(1)  # said before the time is that two of them take
    if ending == "given up":
        it_stops_at_the_deadline(seen, follow, asked, goodbye)
    it_asks_in_time(seen, asked)
    if ending == "given up" and in_threads(seen):
        it_asks_until_the_deadline(seen, follow, asked)
    else:
        asked.happen(questions)
    if ending == "refused" and not goodbye:
        goodbye.happen(1)
    goodbye.happen(1).all_return().take_at_least(float(seen.knobs["GOODBYE_S"]))
    goodbye.end_within(follow)
    lane = follow.lanes[0]
    if ending == "given up":
        ended = f"raised {lane.error}."
        if lane.outcome is Outcome.RETURNED:
            ended = (
                f"returned {lane.result}. asyncio.timeout, in main, then assumes that it finished in time."
            )
        seen.expect(
            lane.outcome is Outcome.CANCELLED,
            "follow ended as cancelled.",
            f"When the deadline stops follow, it should end as cancelled; it {ended} "
            "Let the CancelledError go on after the goodbye.",
            at=follow,
        )
    elif ending == "refused":
        follow.all_raise("PermissionError")
    else:
        follow.return_values([ending])
    seen.calls("main").return_values([ending])


def in_threads(seen: Seen) -> bool:
    return sum(track.kind is TrackKind.THREAD for track in seen.run.tracks) > 1


def it_asks_until_the_deadline(seen: Seen, follow: Calls, asked: Calls) -> None:
    """How often it could depends on the machine, where the time is real."""
    last, start_ns = asked.lanes[-1], follow.lanes[0].start_ns
    deadline_s, next_s = float(seen.knobs["DEADLINE_S"]), (last.end_ns - start_ns) / 1e9
    if last.outcome is not Outcome.RAISED:
        next_s += float(seen.knobs["PAUSE_S"])
    seen.expect(
        last.outcome is Outcome.CANCELLED or next_s + REAL_SLACK_S > deadline_s,
        "It asked until the deadline.",
        f"It should ask until the deadline, {deadline_s:.2f} s; {last.name} was the last question, though "
        f"the next one was due at {next_s:.2f} s.",
        at=asked,
    )


def it_stops_at_the_deadline(seen: Seen, follow: Calls, asked: Calls, goodbye: Calls) -> None:
    deadline_s, goodbye_s = float(seen.knobs["DEADLINE_S"]), float(seen.knobs["GOODBYE_S"])
    lane = follow.lanes[0]
    start_ns, end_s = lane.start_ns, (lane.end_ns - lane.start_ns) / 1e9
    slack_s = REAL_SLACK_S if in_threads(seen) else SLACK_S
    latest_s = deadline_s + slack_s if in_threads(seen) else deadline_s - SLACK_S
    after = [one.name for one in asked.lanes if (one.start_ns - start_ns) / 1e9 > latest_s]
    went_on = f"It was asked to stop at the deadline and went on with {after[0]}. " if after else ""
    # A question that is not over at the deadline is cancelled there; so nothing but that can be its end, and
    # it comes before the goodbye. Also where time is real, and a little more of it may pass.
    ask_s = float(seen.knobs["ASK_S"])
    kept = [
        f"{one.name} went on until {(one.end_ns - start_ns) / 1e9:.2f} s"
        for one in asked.lanes
        if (one.start_ns - start_ns) / 1e9 + ask_s > deadline_s + EARLY_S
        and (
            one.outcome is not Outcome.CANCELLED
            or (one.end_ns - start_ns) / 1e9 > deadline_s + slack_s
            or any(one.end_ns > said.start_ns + goodbye_s * 5e8 for said in goodbye.lanes)
        )
    ]
    seen.expect(
        not kept or bool(after),
        "No question went on after the deadline.",
        f"At the deadline, {deadline_s:.2f} s, the question that is still open should stop too; "
        f"{''.join(kept[:1])}.",
        at=asked,
    )
    seen.expect(
        end_s <= deadline_s + goodbye_s + slack_s and not after,
        f"It stopped at the deadline, {deadline_s:.2f} s.",
        f"The deadline is at {deadline_s:.2f} s, and a goodbye takes {goodbye_s:.2f} s; follow ended at "
        f"{end_s:.2f} s. {went_on}If you catch a CancelledError, raise it again.",
        at=asked if after else follow,
    )


def it_asks_in_time(seen: Seen, asked: Calls) -> None:
    """After a question comes the pause, but none when the line dropped; and ask is what it was."""
    fault = next((words for pair in pairwise(asked.lanes) if (words := fault_between(seen, *pair))), "")
    seen.expect(
        not fault,
        "It paused after each question, and asked again immediately when the line dropped.",
        fault,
        at=asked,
    )


def fault_between(seen: Seen, lane: Lane, following: Lane) -> str:
    pause_s, ask_s = float(seen.knobs["PAUSE_S"]), float(seen.knobs["ASK_S"])
    dropped = lane.outcome is Outcome.RAISED
    waited_s = (following.start_ns - lane.end_ns) / 1e9
    late_s = REAL_SLACK_S if in_threads(seen) else SLACK_S
    if (lane.end_ns - lane.start_ns) / 1e9 < ask_s - SLACK_S:
        return f"{lane.name} should take {ask_s:.2f} s. Leave ask as it is."
    if lane.name == f"ask({seen.knobs['DROPS_AT']})" and not dropped:
        return f"The line should drop in {lane.name}; it returned {lane.result}. Leave ask as it is."
    if lane.error == "PermissionError":
        return f"{lane.name} raised PermissionError: the server refuses to answer. Do not ask it again."
    if dropped and waited_s > (pause_s / 2 if in_threads(seen) else SLACK_S):
        return (
            f"The line dropped in {lane.name}. It should ask again immediately; {following.name} started "
            f"{waited_s:.2f} s later."
        )
    if not dropped and not pause_s - SLACK_S <= waited_s <= pause_s + late_s:
        return f"After {lane.name} should come a pause of {pause_s:.2f} s; it was {waited_s:.2f} s."
    return ""


def expected(knobs: Mapping[str, int | float | str | bool]) -> tuple[int, str]:
    """How many questions are asked, and what main returns: a pause follows each, unless the line drops."""
    now_s = 0.0
    for n in range(1, int(knobs["QUESTIONS"]) + 1):
        if now_s > float(knobs["DEADLINE_S"]):
            return n - 1, "given up"
        now_s += float(knobs["ASK_S"])
        if now_s > float(knobs["DEADLINE_S"]):
            return n, "given up"
        if n == int(knobs["DROPS_AT"]):
            continue
        if n == int(knobs["REFUSES_AT"]):
            return n, "refused"
        if n == int(knobs["DONE_AT"]):
            return n, "done"
        now_s += float(knobs["PAUSE_S"])
    return int(knobs["QUESTIONS"]), "still not done"
