"""What the load client must do, in sentences. Time is virtual, so every moment is known."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from asyncdemo.testing.checks import Calls, Seen

SLACK_S = 0.002
"""Virtual time is exact, but each look at the clock takes a microsecond."""


def check(seen: Seen) -> None:
    requests = int(seen.knobs["REQUESTS"])
    answers = seen.calls("answer", "requests to the server").happen(requests).all_return()
    each_once(seen, answers)
    one_after_another(seen, answers)
    signed_before(seen, answers)
    took_s = reported(seen)
    over_the_given_connections(seen, answers)
    sent_when_due(seen, answers)
    took_as_long_as_they_waited(seen, answers, took_s)
    seen.calls("main").return_values([took_s])
    seen.never_blocked()
    seen.ends_well()
    seen.no_warnings()


def each_once(seen: Seen, answers: Calls) -> None:
    numbers = range(int(seen.knobs["REQUESTS"]))
    names = [lane.name for lane in answers.lanes]
    odd = [n for n in numbers if names.count(f"answer({n})") != 1]
    seen.expect(
        not odd,
        "Each request was sent once.",
        f"Requests 0 to {max(numbers)} should be sent once each; answer({odd[0] if odd else 0}) was called "
        f"{names.count(f'answer({odd[0]})') if odd else 1} times.",
        at=answers,
    )


def one_after_another(seen: Seen, answers: Calls) -> None:
    """The server takes SERVICE_MS for each."""
    ends_s = sorted(lane.end_ns / 1e9 for lane in answers.lanes)
    least_s = min((after - before for before, after in pairwise(ends_s)), default=1.0)
    seen.expect(
        least_s > float(seen.knobs["SERVICE_MS"]) / 1000 - SLACK_S,
        "The server answered one request at a time.",
        f"The server takes {seen.knobs['SERVICE_MS']} ms for a request, one after another; two were answered "
        f"{ms(least_s)} apart. Leave sign and answer as they are.",
        at=answers,
    )


def signed_before(seen: Seen, answers: Calls) -> None:
    """A call of sign(n) returned before answer(n) began."""
    signed_ns = {
        lane.name.replace("sign", "answer"): lane.end_ns for lane in seen.calls("sign").all_return().lanes
    }
    unsigned = [lane.name for lane in answers.lanes if signed_ns.get(lane.name, lane.end_ns) > lane.start_ns]
    seen.expect(
        not unsigned,
        "Each request was signed before it was sent.",
        f"Each request has to be signed before it is sent; {''.join(unsigned[:1])} was sent without that.",
        at=answers,
    )


def reported(seen: Seen) -> Sequence[float]:
    """What measure returned; fails if it is not a number for each request."""
    requests = int(seen.knobs["REQUESTS"])
    took_s = seen.calls("measure").happen(1).all_return().values[0]
    are_numbers = isinstance(took_s, list | tuple) and all(isinstance(one, float) for one in took_s)
    seen.expect(
        are_numbers and len(took_s) == requests,
        f"measure returned a time for each of the {requests} requests.",
        f"measure should return a time for each of the {requests} requests, in seconds; it returned "
        + (f"{len(took_s)}." if are_numbers else f"{took_s!r}."),
        at=seen.calls("measure"),
    )
    assert isinstance(took_s, list | tuple)
    return took_s


def over_the_given_connections(seen: Seen, answers: Calls) -> None:
    connections = int(seen.knobs["CONNECTIONS"])
    most = max(sum(a.start_ns <= b.start_ns < a.end_ns for a in answers.lanes) for b in answers.lanes)
    seen.expect(
        most <= connections,
        f"There were never more than {connections} requests on their way.",
        f"There are {connections} connections, and each has one request at a time; {most} requests were on "
        "their way at the same time.",
        at=answers,
    )


def sent_when_due(seen: Seen, answers: Calls) -> None:
    """Request n is sent when it is due, or when a connection is free."""
    rate, connections = float(seen.knobs["RATE"]), int(seen.knobs["CONNECTIONS"])
    may_be_late_s = float(seen.knobs["SIGN_MS"]) / 1000 + SLACK_S
    paused_s, goes_on_s = pause(seen, answers)
    starts_s, ends_s = moments(seen, answers)
    zero_ns = start_ns(seen, answers)
    signed_s = {
        lane.name.replace("sign", "answer"): (lane.end_ns - zero_ns) / 1e9
        for lane in seen.calls("sign").lanes
    }
    fault = ""
    for place, (lane, sent_s) in enumerate(zip(answers.lanes, starts_s, strict=True)):
        n = int(lane.name.strip("answer()"))
        due_s, free_s = n / rate, ends_s[n - connections] if n >= connections else 0.0
        if sent_s < due_s - SLACK_S:
            fault = f"Request {n} is not due before {ms(due_s)}; it was sent at {ms(sent_s)}."
        elif n != place:
            fault = f"They should be sent in the order in which they are due; request {n} came too early."
        if fault:
            break
        can_s = max(due_s, free_s)
        ready_s = max(can_s, signed_s[lane.name])
        if paused_s < ready_s < goes_on_s:
            ready_s = goes_on_s
        if paused_s - may_be_late_s < can_s < goes_on_s:
            # Several may have become due in the pause, and are signed one after another.
            can_s = goes_on_s + may_be_late_s
        if sent_s > min(can_s + may_be_late_s, ready_s + SLACK_S):
            free = "a connection was free" + ("" if free_s <= due_s else f" from {ms(free_s)} on")
            fault = (
                f"Request {n} is due at {ms(due_s)}, whatever happened to those before it, and {free}; it "
                f"was sent at {ms(sent_s)}."
            )
            if 0 < goes_on_s < sent_s:
                fault += (
                    f" The process paused once, from {ms(paused_s)} to {ms(goes_on_s)}; only what became due "
                    "meanwhile may be late."
                )
            break
    seen.expect(
        not fault, "Each request was sent when it was due and a connection was free.", fault, at=answers
    )


def took_as_long_as_they_waited(seen: Seen, answers: Calls, took_s: Sequence[float]) -> None:
    """First the greatest, by the formula; then each, by what the server did."""
    rate = float(seen.knobs["RATE"])
    _, ends_s = moments(seen, answers)
    run_s = max(ends_s)
    served = len(ends_s) / run_s
    backlog_s = (1 - served / rate) * run_s
    behind = served < 0.9 * rate and not seen.knobs["STALL_MS"]
    seen.expect(
        not behind or max(took_s) > backlog_s - SLACK_S,
        "The greatest time is that of the backlog." if behind else "No backlog was left.",
        f"Asked {rate:.0f} times a second, the server answered {served:.0f} a second, for {run_s:.2f} s. So "
        f"the last one is late by (1 - {served:.0f} / {rate:.0f}) x {run_s:.2f} s = {ms(backlog_s)}; the "
        f"greatest time that measure returned is {ms(max(took_s))}.",
        at=answers,
    )
    waited_s = [end_s - n / rate for n, end_s in enumerate(ends_s)]
    wrong = [n for n in range(len(waited_s)) if abs(took_s[n] - waited_s[n]) > SLACK_S]
    n = wrong[0] if wrong else 0
    seen.expect(
        not wrong,
        "Each time is that from the moment when the request was due to its answer.",
        f"Request {n} was due at {ms(n / rate)} and answered at {ms(ends_s[n])}, so it took {ms(waited_s[n])}"
        f"; measure says {ms(took_s[n])}.",
        at=answers,
    )


def pause(seen: Seen, answers: Calls) -> tuple[float, float]:
    """From when to when the whole process paused: at the end of the answer in the middle."""
    _, ends_s = moments(seen, answers)
    goes_on_s, length_s = ends_s[int(seen.knobs["REQUESTS"]) // 2], float(seen.knobs["PAUSE_MS"]) / 1000
    return (goes_on_s - length_s, goes_on_s) if length_s else (-1.0, -1.0)


def moments(seen: Seen, answers: Calls) -> tuple[list[float], list[float]]:
    """When each was sent, and when it was answered, in seconds from the start."""
    zero_ns = start_ns(seen, answers)
    starts = [(lane.start_ns - zero_ns) / 1e9 for lane in answers.lanes]
    return starts, [(lane.end_ns - zero_ns) / 1e9 for lane in answers.lanes]


def start_ns(seen: Seen, answers: Calls) -> int:
    """When measure began; or when the first was sent, if all were signed before and times count from then."""
    (began,), rate = seen.calls("measure").lanes, float(seen.knobs["RATE"])
    first_ns = answers.lanes[0].start_ns
    if any(lane.end_ns > first_ns for lane in seen.calls("sign").lanes):
        return began.start_ns
    # Request n was due n / rate after the start, and took from then until it was answered.
    counted = median(
        lane.end_ns / 1e9 - took_s - n / rate
        for n, (lane, took_s) in enumerate(zip(answers.lanes, reported(seen), strict=True))
    )
    return first_ns if abs(counted - first_ns / 1e9) < SLACK_S else began.start_ns


def ms(time_s: float) -> str:
    return f"{1000 * time_s:.0f} ms"
