"""How many attempts may begin in a second, and how each request must end, in sentences."""

import math
import random
import re

from asyncdemo.model import Lane, Outcome, ResourceKind
from asyncdemo.testing.checks import Calls, Seen

SLACK_S = 0.005
"""Virtual time is exact, but each look at the clock takes a microsecond of it."""
USED = 0.8
"""So much of the rate has to be used."""


def check(seen: Seen) -> None:
    attempts, requests = seen.calls("attempt"), seen.calls("request")
    no_error_of_its_own(seen, requests)
    attempts.happen_at_least(1)
    seen.never_blocked()
    main_is_as_it_was(seen, requests)
    attempt_is_as_it_was(seen, attempts)
    never_too_many(seen, attempts)
    nothing_goes_on(seen, requests, attempts)
    for lane in first_calls(requests):
        ends_as_it_should(seen, lane, of_request(attempts, number(lane)))
    seen.held.append("Each request ended with its answer or error, or at its deadline.")
    the_rate_is_used(seen, requests, attempts)
    who_can_be_answered_is(seen, requests, attempts)
    ends = [as_main_says(lane) for lane in first_calls(requests)]
    seen.calls("main").return_values([ends])
    seen.no_warnings()


def no_error_of_its_own(seen: Seen, requests: Calls) -> None:
    """main tells only the names of errors, so nobody sees the traceback of a mistake in request."""
    expected = {None, "TimeoutError", "LookupError", "ConnectionRefusedError", "CancelledError"}
    lanes = [lane for lane in requests.lanes if lane.error not in expected]
    seen.expect(
        not lanes,
        "",
        f"{''.join(f'{lane.name} raised {lane.error}' for lane in lanes[:1])}, which no attempt raises.",
        at=requests if requests else None,
    )


def main_is_as_it_was(seen: Seen, requests: Calls) -> None:
    (main,) = seen.calls("main").happen(1).lanes
    started = {number(lane): seconds(lane.start_ns - main.start_ns) for lane in first_calls(requests)}
    wanted = {n: (n - 1) * float(seen.knobs["GAP_S"]) for n in range(1, int(seen.knobs["REQUESTS"]) + 1)}
    same = started.keys() == wanted.keys() and all(abs(started[n] - wanted[n]) < SLACK_S for n in wanted)
    seen.expect(
        same,
        f"{len(wanted)} requests were started.",
        f"main should start {len(wanted)} requests, GAP_S seconds apart. Leave main as it is.",
        at=requests if requests else None,
    )


def attempt_is_as_it_was(seen: Seen, attempts: Calls) -> None:
    """What an attempt comes to follows from its number and from when it ends."""
    up_ns = seen.calls("main").lanes[0].start_ns + round(float(seen.knobs["DOWN_S"]) * 1e9)
    trip_s, silent, unknown = (seen.knobs[name] for name in ("TRIP_S", "SILENT", "UNKNOWN"))
    for lane, value in zip(attempts.lanes, attempts.values, strict=True):
        if lane.outcome in (Outcome.CANCELLED, Outcome.OPEN):
            continue
        n, is_up = number(lane), lane.end_ns > up_ns
        chance = random.Random(int(seen.knobs["SEED"]) + n)
        wanted = f"answer {n}: {chance.randint(100, 999)}" if is_up and n != unknown else None
        error = None if wanted else "LookupError" if is_up else "ConnectionRefusedError"
        took = 3600.0 if n == silent else float(trip_s)
        same = (
            abs(seconds(lane.end_ns - lane.start_ns) - took) < SLACK_S
            and (value, lane.error) == (wanted, error)
        ) or abs(lane.end_ns - up_ns) < SLACK_S * 1e9
        seen.expect(same, "", f"{lane.name} isn't what it was. Leave attempt as it is.", at=attempts)
    seen.held.append("Each attempt went to the server.")


def never_too_many(seen: Seen, attempts: Calls) -> None:
    rate = int(seen.knobs["RATE"])
    starts_ns = [lane.start_ns for lane in attempts.lanes]
    most, from_ns = max((begun(starts_ns, start_ns, 1 - SLACK_S), -start_ns) for start_ns in starts_ns)
    gates = [one for one in seen.run.resources if one.kind is ResourceKind.SEMAPHORE]
    why = " A semaphore limits how many go on at the same time, not how many begin." if gates else ""
    short = {lane.name for lane in attempts.lanes if lane.outcome is not Outcome.CANCELLED}
    seen.expect(
        most <= rate,
        f"In any one second, at most {rate} attempts began.",
        f"In any one second, at most {rate} attempts may begin; {most} began in the one from "
        f"{since_main(seen, -from_ns):.2f} s on.{why}",
        at=attempts.only(*short) if short else attempts,
    )


def nothing_goes_on(seen: Seen, requests: Calls, attempts: Calls) -> None:
    spans = {number(lane): (lane.start_ns, lane.end_ns) for lane in reversed(first_calls(requests))}
    outside = [
        lane.name
        for lane in attempts.lanes
        if lane.start_ns < spans.get(number(lane), (0, 0))[0]
        or lane.end_ns > spans.get(number(lane), (0, 0))[1] + SLACK_S * 1e9
        or lane.outcome is Outcome.OPEN
    ]
    seen.expect(
        not outside,
        "No attempt went on when its request was over.",
        f"When a request is over, nothing that it started should go on; {''.join(outside[:1])} did.",
        at=attempts,
    )


def ends_as_it_should(seen: Seen, lane: Lane, attempts: Calls) -> None:
    deadline_s = float(seen.knobs["DEADLINE_S"])
    in_time = [one for one in attempts.lanes if seconds(one.end_ns - lane.start_ns) <= deadline_s]
    last = next((one for one in in_time if is_end(one)), None)
    took_s = seconds(lane.end_ns - lane.start_ns)
    if last is None:
        refused = took_s < deadline_s - SLACK_S and any(one.outcome is Outcome.RAISED for one in in_time)
        before = " It was refused, and should ask again." if refused else ""
        holds = lane.error == "TimeoutError" and abs(took_s - deadline_s) < SLACK_S
        wanted = "no attempt of it was answered, so it should end with a TimeoutError"
        wanted += f", {deadline_s:g} s after its start"
    else:
        before = ""
        holds = (lane.result, lane.error) == (last.result, last.error)
        holds = holds and abs(seconds(lane.end_ns - last.end_ns)) < SLACK_S
        at_s = seconds(last.end_ns - lane.start_ns)
        wanted = f"{last.name} {ended(last)}, so it should end with that, {at_s:.2f} s after its start"
    seen.expect(
        holds,
        "",
        f"{lane.name}: {wanted}; it {ended(lane)}, {took_s:.2f} s after it.{before}",
        at=attempts if attempts else None,
    )


def the_rate_is_used(seen: Seen, requests: Calls, attempts: Calls) -> None:
    """Looks at each second that begins with an attempt, or when that many begin to wait."""
    rate = int(seen.knobs["RATE"])
    least = math.ceil(USED * rate)
    lanes = first_calls(requests)
    starts_ns = [lane.start_ns for lane in attempts.lanes]
    moments = sorted(
        [(lane.start_ns, 1) for lane in lanes]
        + [(lane.end_ns, -1) for lane in lanes]
        + [(lane.start_ns, -1) for lane in attempts.lanes]
        + [(lane.end_ns, 1) for lane in attempts.lanes]
    )
    gave_up_ns = {lane.end_ns for lane in lanes if lane.error == "TimeoutError"}
    waiting, since_ns = 0, 0
    stretches: list[tuple[int, int]] = []
    for now_ns, change in moments:
        enough, waiting = waiting >= rate, waiting + change
        # With a request that gives up, the turn that it was just about to have may be lost.
        if enough and (waiting < rate or now_ns in gave_up_ns):
            stretches.append((since_ns, now_ns))
        if not enough or now_ns in gave_up_ns:
            since_ns = now_ns
    for first_ns, until_ns in stretches:
        for from_ns in [first_ns, *(start for start in starts_ns if first_ns < start)]:
            if from_ns + 1e9 > until_ns:
                break
            count = begun(starts_ns, from_ns + 1, 1 + SLACK_S)
            seen.expect(
                count >= least,
                "",
                f"{rate} or more requests waited for an attempt the whole time from "
                f"{since_main(seen, from_ns):.2f} s to {since_main(seen, from_ns) + 1:.2f} s, so at least "
                f"{least} should begin in that second; {count} did.",
                at=attempts,
            )
    seen.held.append("While many requests waited, the rate was used.")


def who_can_be_answered_is(seen: Seen, requests: Calls, attempts: Calls) -> None:
    """If the rate, as far as it must be used, is enough for all of them."""
    knobs = seen.knobs
    needs_s = float(knobs["DOWN_S"]) + int(knobs["REQUESTS"]) / (USED * int(knobs["RATE"]))
    if needs_s > float(knobs["DEADLINE_S"]):
        return
    for lane in first_calls(requests):
        tries = of_request(attempts, number(lane))
        made = f"{len(tries) or 'no'} {'attempt' if len(tries) == 1 else 'attempts'}"
        seen.expect(
            lane.error != "TimeoutError" or (number(lane) == int(knobs["SILENT"]) and len(tries) > 0),
            "",
            f"The server was up from {float(knobs['DOWN_S']):g} s on, and there was time for all requests; "
            f"{lane.name} gave up after {made}. "
            "A request should ask, and ask again when it's refused.",
            at=tries if tries else None,
        )
    seen.held.append("Each request that the server could answer was answered.")


def first_calls(requests: Calls) -> list[Lane]:
    """One for each number: request may call itself."""
    first: dict[int, Lane] = {}
    for lane in requests.lanes:
        first.setdefault(number(lane), lane)
    return [first[n] for n in sorted(first)]


def of_request(attempts: Calls, n: int) -> Calls:
    return attempts.only(*{lane.name for lane in attempts.lanes if number(lane) == n})


def is_end(attempt: Lane) -> bool:
    """Of its request."""
    refused = attempt.outcome is Outcome.RAISED and attempt.error == "ConnectionRefusedError"
    return attempt.outcome in (Outcome.RETURNED, Outcome.RAISED) and not refused


def ended(lane: Lane) -> str:
    if lane.outcome is Outcome.OPEN:
        return "did not end"
    return f"returned {lane.result}" if lane.error is None else f"raised {lane.error}"


def as_main_says(lane: Lane) -> object:
    return lane.error if lane.error else (lane.result or "").strip("'\"")


def begun(starts_ns: list[int], from_ns: int, length_s: float) -> int:
    return sum(0 <= start_ns - from_ns < length_s * 1e9 for start_ns in starts_ns)


def since_main(seen: Seen, time_ns: int) -> float:
    return seconds(time_ns - seen.calls("main").lanes[0].start_ns)


def number(lane: Lane) -> int:
    """Of the request: the first number among the arguments."""
    found = re.search(r"\d+", lane.name.partition("(")[2])
    return int(found[0]) if found else 0


def seconds(time_ns: int) -> float:
    return time_ns / 1e9
