"""What the program with the deadline must do, in sentences."""

from asyncdemo.checks import Calls, Seen
from asyncdemo.model import Outcome

SLACK_S = 0.01
"""Virtual time is exact, but each look at the clock takes a microsecond of it."""


def check(seen: Seen) -> None:
    done_at, deadline_s = int(seen.knobs["DONE_AT"]), float(seen.knobs["DEADLINE_S"])
    follow, asked, goodbye = seen.calls("follow"), seen.calls("ask", "questions"), seen.calls("say_goodbye")
    seen.no_warnings()
    seen.never_blocked()
    follow.happen(1)
    if not done_at:
        it_stops_at_the_deadline(seen, follow, asked)
    asked.happen(expected_questions(seen))
    goodbye.happen(1).all_return().end_within(follow)
    if done_at:
        follow.all_return()
        seen.calls("main").return_values(["done"])
    else:
        seen.expect(
            follow.lanes[0].outcome is Outcome.CANCELLED,
            "follow was cancelled and did not hide it.",
            "follow was cancelled, and yet it returned as if nothing had happened. asyncio.timeout takes "
            "that for done in time: let the CancelledError go on after the goodbye.",
            at=follow,
        )
        follow.take_at_least(deadline_s - SLACK_S)
        seen.calls("main").return_values(["given up"])


def it_stops_at_the_deadline(seen: Seen, follow: Calls, asked: Calls) -> None:
    deadline_s, goodbye_s = float(seen.knobs["DEADLINE_S"]), float(seen.knobs["GOODBYE_S"])
    lane = follow.lanes[0]
    start_ns, end_s = lane.start_ns, (lane.end_ns - lane.start_ns) / 1e9
    after = [one.name for one in asked.lanes if (one.start_ns - start_ns) / 1e9 > deadline_s - SLACK_S]
    went_on = f"It was told to stop at the deadline and went on with {after[0]}. " if after else ""
    seen.expect(
        end_s <= deadline_s + goodbye_s + SLACK_S,
        f"It stopped at the deadline, {deadline_s:.2f} s.",
        f"The deadline is at {deadline_s:.2f} s, and a goodbye takes {goodbye_s:.2f} s; follow ended at "
        f"{end_s:.2f} s. {went_on}Whoever catches the CancelledError must raise it again.",
        at=asked if after else follow,
    )


def expected_questions(seen: Seen) -> int:
    """As many as begin before the deadline: a pause follows each, but for one at which the line drops."""
    knobs = seen.knobs
    now_s, n = 0.0, 0
    while now_s < float(knobs["DEADLINE_S"]) - SLACK_S and n < int(knobs["QUESTIONS"]):
        n += 1
        if n == int(knobs["DONE_AT"]):
            return n
        now_s += float(knobs["ASK_S"]) + (0 if n == int(knobs["DROPS_AT"]) else float(knobs["PAUSE_S"]))
    return n
