"""Requests: composed from what client and server tell, counted, and judged."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.analysis.metrics.requests import path_of, request_use
from asyncdemo.capture import wire
from asyncdemo.model import Answer, Outcome, Request, Run, RunOutcome, Span, Spans, State, TrackKind, Wait
from asyncdemo.recording.assembly import Assembly, Listener
from asyncdemo.recording.assembly.records import Causes
from asyncdemo.recording.assembly.requests import Handler, RequestRecord, compose
from asyncdemo.testing.checks import CheckFailed, Seen
from tests.support.runs import Story, ns
from tests.unit.testing.test_checks import fails

SLEEP = Wait("sleep")


def sent(at: float = 0, answered: float | None = 100, *, intended: float | None = None) -> RequestRecord:
    start = at if intended is None else intended
    record = RequestRecord("GET / 0", "trace", ns(start), ns(at), 5000)
    if answered is not None:
        record.answered_ns, record.status = ns(answered), 200
    return record


def handler(
    start: float, end: float, *spans: Span, kind: TrackKind = TrackKind.THREAD, track: int = 1
) -> Handler:
    own = spans or (Span(ns(start), ns(end), State.RUNNING),)
    return Handler(track, kind, ns(start), ns(end), Spans.of(own))


def parts(request: Request) -> list[tuple[float, float, str, str]]:
    return [(s.start_ns / 1e6, s.end_ns / 1e6, s.state.name.lower(), s.wait.reason) for s in request.spans]


def composed(record: RequestRecord, *handlers: Handler, accepted: tuple[float, ...] = ()) -> Request:
    return compose(record, handlers, [ns(at) for at in accepted], ns(1000), Causes())


# -- composing ----------------------------------------------------------------------------------------


def test_request_is_accepted_queued_handled_and_answered() -> None:
    request = composed(sent(), handler(30, 90), accepted=(10,))
    assert parts(request) == [
        (0, 10, "queued", "accept"),
        (10, 30, "queued", "worker thread"),
        (30, 90, "running", ""),
        (90, 100, "waiting", "response"),
    ]
    assert (request.accepted_ns, request.handled_ns, request.track) == (ns(10), ns(30), 1)


def test_an_event_loop_is_not_a_thread_that_one_waits_for() -> None:
    request = composed(sent(), handler(30, 100, kind=TrackKind.TASK), accepted=(10,))
    assert parts(request)[1] == (10, 30, "ready", "")


def test_what_the_handler_did_is_what_the_request_shows() -> None:
    slept = (
        Span(ns(0), ns(40), State.RUNNING),  # other work of the same thread before it
        Span(ns(40), ns(80), State.WAITING, SLEEP),
        Span(ns(80), ns(300), State.RUNNING),  # ... and after it
    )
    causes = Causes()
    causes.index(SLEEP)
    spans = Spans.of(slept)
    request = compose(
        sent(20, 100), [Handler(0, TrackKind.THREAD, ns(30), ns(95), spans)], [ns(25)], ns(1000), causes
    )
    assert parts(request)[2:] == [
        (30, 40, "running", ""),
        (40, 80, "waiting", "sleep"),
        (80, 95, "running", ""),
        (95, 100, "waiting", "response"),
    ]


def test_of_two_handlings_the_inner_one_is_shown() -> None:
    outer = handler(20, 90, track=1)
    inner = handler(40, 60, Span(ns(40), ns(60), State.READY), track=2)
    request = composed(sent(), outer, inner, accepted=(10,))
    assert parts(request)[2:] == [
        (20, 40, "running", ""),
        (40, 60, "ready", ""),
        (60, 90, "running", ""),
        (90, 100, "waiting", "response"),
    ]
    assert request.track == 2


def test_time_before_the_client_could_send_is_the_clients() -> None:
    request = composed(sent(50, intended=0), handler(60, 100), accepted=(55,))
    assert parts(request)[0] == (0, 50, "waiting", "client")
    assert request.start_ns == 0


def test_a_request_that_was_never_accepted_waits_for_that() -> None:
    assert parts(composed(sent(answered=None))) == [(0, 1000, "queued", "accept")]
    assert composed(sent(answered=None)).outcome is Outcome.OPEN


def test_acceptance_before_a_request_belongs_to_an_earlier_one() -> None:
    request = composed(sent(50), handler(70, 100), accepted=(10, 60))
    assert request.accepted_ns == ns(60)


def test_nothing_is_accepted_on_an_open_connection() -> None:
    request = composed(sent(50), handler(70, 100), accepted=(10,))
    assert request.accepted_ns is None
    assert parts(request)[0] == (50, 70, "queued", "accept")


def test_servers_work_after_the_answer_is_not_the_requests() -> None:
    request = composed(sent(answered=80), handler(30, 95), accepted=(10,))
    assert parts(request)[-1] == (30, 80, "running", "")


times = st.floats(0, 200, allow_nan=False).map(lambda at: round(at, 3))


@given(
    record=st.builds(
        lambda a, b, c: sent(sorted((a, b, c))[1], sorted((a, b, c))[2], intended=sorted((a, b, c))[0]),
        times, times, times,
    ),
    pairs=st.lists(st.tuples(times, times), max_size=4),
    accepted=st.lists(times, max_size=3),
)  # fmt: skip
def test_the_states_of_a_request_cover_it_from_send_to_response(
    record: RequestRecord, pairs: list[tuple[float, float]], accepted: list[float]
) -> None:
    handlers = sorted(
        (handler(min(p), max(p), track=n) for n, p in enumerate(pairs) if p[0] != p[1]),
        key=lambda h: h.start_ns,
    )
    request = composed(record, *handlers, accepted=tuple(sorted(accepted)))
    spans = list(request.spans)
    if request.start_ns == request.end_ns:
        return
    assert (spans[0].start_ns, spans[-1].end_ns) == (request.start_ns, request.end_ns)
    assert all(one.end_ns == other.start_ns for one, other in pairwise(spans))
    assert sum(span.duration_ns for span in spans) == request.end_ns - request.start_ns


# -- taking in ----------------------------------------------------------------------------------------


class Fed:
    """An assembly that is fed what a server under the tracer sends."""

    def __init__(self, listener: Listener | None = None) -> None:
        self.assembly = Assembly(named=False, threshold_ns=ns(50), listener=listener, serves=True)
        self.tell(["Ready", "3.11.7", {}, "real"], ["Start", 0])
        self.tell(["Thread", 0, "MainThread", "", None, None, None, 0])

    def tell(self, *definitions: list[object]) -> None:
        self.assembly.feed(wire.MESSAGES, wire.json_frame(wire.MESSAGES, list(definitions))[5:])

    def now(self, at_ns: int) -> None:
        self.assembly.feed(wire.NUMBERS, wire.numbers_frame([wire.NOW, at_ns, 0, 0, 0, 0])[5:])

    def run(self) -> Run:
        return self.assembly.run(name="x", script="x.py", argv=(), outcome=RunOutcome.OK, exit_code=0)


def test_client_and_server_are_matched_by_trace_in_any_order() -> None:
    fed = Fed()
    fed.tell(["Accepted", 5001, ns(1)], ["Handling", 7, "a" * 32, 0, ns(2)])
    fed.assembly.requests.request_sent(0, "b" * 32, "GET / 0", 0, 0, 5002)
    fed.assembly.requests.request_sent(1, "a" * 32, "GET / 1", 0, 0, 0)
    fed.assembly.requests.request_connected(1, 5001)
    fed.tell(["Handled", 7, ns(4)])
    fed.assembly.requests.request_answered(1, ns(5), 200, None)
    fed.assembly.requests.request_answered(0, ns(9), None, "timeout")
    first, second = fed.run().requests
    assert (first.track, first.status, first.error, first.outcome) == (None, None, "timeout", Outcome.RAISED)
    assert (second.accepted_ns, second.handled_ns, second.track) == (ns(1), ns(2), 0)
    assert second.outcome is Outcome.RETURNED


def test_an_end_of_a_handling_that_never_began_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="invalid event"):
        Fed().tell(["Handled", 3, 5])


def test_a_name_that_no_load_client_gave_has_no_path() -> None:
    plain = replace(answered(0, 0, 1), name="hello")
    assert path_of(plain) == "" and path_of(replace(plain, name="GET /a?b=1 7")) == "/a"


# -- figures ------------------------------------------------------------------------------------------


def answered(
    number: int, start: float, end: float, status: int | None = 200, error: str | None = None, path: str = "/"
) -> Request:
    outcome = Outcome.RETURNED if error is None else Outcome.RAISED
    spans = Spans.of([Span(ns(start), ns(end), State.QUEUED, Wait("accept"))])
    return Request(
        f"GET {path} {number}", ns(start), ns(end), outcome, spans, ns(start), status=status, error=error
    )


def with_requests(*requests: Request) -> Run:
    story = Story()
    story.task("one").runs(10).returns()
    return replace(story.run(), requests=requests)


def test_percentiles_are_latencies_that_occurred() -> None:
    use = request_use(with_requests(*(answered(n, 0, n + 1) for n in range(100))))
    assert (use.p50_ns, use.p90_ns, use.p99_ns, use.slowest_ns) == (ns(50), ns(90), ns(99), ns(100))
    assert use.per_s == pytest.approx(1000)


def test_failed_requests_are_counted_and_are_no_latencies() -> None:
    use = request_use(
        with_requests(
            answered(0, 0, 10),
            answered(1, 0, 900, None, "timeout"),
            answered(2, 0, 20, 500),
            answered(3, 0, 5, 404),
        )
    )
    assert (use.count, use.answered, use.failed) == (4, 3, 2)
    assert (use.statuses, use.errors) == ({200: 1, 500: 1, 404: 1}, {"timeout": 1})
    assert use.slowest_ns == ns(20)


def test_requests_of_one_path() -> None:
    run = with_requests(answered(0, 0, 10, path="/a"), answered(1, 0, 30, path="/b?x=1"))
    assert path_of(run.requests[1]) == "/b"
    assert (request_use(run, "/b").count, request_use(run, "/b").p99_ns) == (1, ns(30))
    assert request_use(run, "/c").count == 0


# -- sentences ----------------------------------------------------------------------------------------


def seen(*requests: Request, bodies: tuple[bytes, ...] = ()) -> Seen:
    answers = [
        Answer("GET", path_of(request), request.status, "application/json", body)
        for request, body in zip(requests, bodies or [b"1"] * len(requests), strict=True)
    ]
    return Seen(with_requests(*requests), answers=answers)


def test_all_answered_holds_only_if_every_request_was_answered() -> None:
    fine = seen(answered(0, 0, 10), answered(1, 0, 10))
    fine.requests().all_answered(2)
    assert fine.held == ["All of the 2 requests were answered with status 200."]
    fails("There should be 3 requests; 2 were sent", fine.requests().all_answered, 3)
    with pytest.raises(CheckFailed, match=r"1 got status 500\.") as failed:
        seen(answered(0, 0, 10), answered(1, 5, 20, 500)).requests().all_answered(2)
    assert failed.value.evidence is not None and failed.value.evidence.requests == (1,)
    fails("1 failed (timeout)", seen(answered(0, 0, 10, None, "timeout")).requests().all_answered, 1)
    fails("none were sent", seen(answered(0, 0, 10)).requests("/other").all_answered, 1)


def test_bodies_are_judged_as_json() -> None:
    fine = seen(answered(0, 0, 10), answered(1, 0, 10), bodies=(b'{"ok": true}', b'{"ok": true}'))
    fine.requests().all_answer({"ok": True})
    assert fine.requests().bodies == [{"ok": True}] * 2
    other = seen(answered(0, 0, 1), answered(1, 0, 1), bodies=(b'{"ok": true}', b'{"ok": 0}'))
    fails(
        'GET / 1 should be answered with {"ok": true}; it was {"ok": 0}',
        other.requests().all_answer,
        {"ok": True},
    )
    text = seen(answered(0, 0, 1), bodies=(b"<html>",))
    fails("should be answered with JSON; it was <html>", text.requests().all_answer, {})
    fails("none were sent", text.requests("/other").all_answer, {})


class Listening:
    """A listener that keeps the events of lanes."""

    def __init__(self) -> None:
        self.parts: list[tuple[object, ...]] = []

    def lane_opened(self, lane: int, name: str, at_ns: int, state: State) -> None:
        self.parts.append(("opened", lane, name, at_ns, state))

    def lane_changed(self, lane: int, at_ns: int, state: State, reason: str) -> None:
        self.parts.append(("changed", lane, at_ns, state, reason))

    def lane_closed(self, lane: int, at_ns: int, outcome: Outcome) -> None:
        self.parts.append(("closed", lane, at_ns, outcome))

    def loop_blocked(self, since_ns: int, now_ns: int, site: object, called_from: object) -> None: ...
    def clock(self, now_ns: int) -> None: ...
    def output(self, stream: str, text: str) -> None: ...


def test_listeners_to_a_server_see_requests_and_not_its_calls() -> None:
    listening = Listening()
    fed = Fed(listening)
    fed.assembly.requests.request_sent(0, "a" * 32, "GET / 0", ns(1), ns(1), 5001)
    fed.tell(["Handling", 7, "a" * 32, 0, ns(2)], ["Lane", 0, 0, "index()", "index", ns(3)])
    fed.tell(["LaneEnd", 0, ns(4), "returned", None, None], ["Handled", 7, ns(5)])
    fed.assembly.requests.request_answered(0, ns(6), 200, None)
    fed.now(ns(7))
    assert listening.parts == [
        ("opened", 0, "GET / 0", ns(1), State.QUEUED),
        ("changed", 0, ns(2), State.RUNNING, ""),
        ("changed", 0, ns(5), State.WAITING, "response"),
        ("closed", 0, ns(6), Outcome.RETURNED),
    ]


def test_request_is_over_to_listeners_once_the_server_is_done() -> None:
    listening = Listening()
    fed = Fed(listening)
    fed.assembly.requests.request_sent(0, "a" * 32, "GET / 0", ns(1), ns(1), 0)
    fed.assembly.requests.request_answered(0, ns(6), 200, None)
    fed.now(ns(4))
    fed.tell(["Handling", 7, "a" * 32, 0, ns(2)], ["Handled", 7, ns(5)])
    fed.now(ns(7))
    assert listening.parts == [
        ("opened", 0, "GET / 0", ns(1), State.QUEUED),
        ("changed", 0, ns(2), State.RUNNING, ""),
        ("changed", 0, ns(5), State.WAITING, "response"),
        ("closed", 0, ns(6), Outcome.RETURNED),
    ]


def test_to_listeners_a_request_is_over_when_the_server_is_gone() -> None:
    listening = Listening()
    fed = Fed(listening)
    for number in range(2):
        fed.assembly.requests.request_sent(number, str(number) * 32, f"GET / {number}", ns(1), ns(1), 0)
    fed.assembly.requests.request_answered(0, ns(6), 200, None)
    fed.now(ns(4))
    fed.assembly.script.mark_gone(0)
    fed.assembly.requests.request_answered(1, ns(8), None, "reset")
    assert listening.parts[2:] == [
        ("closed", 0, ns(6), Outcome.RETURNED),
        ("closed", 1, ns(8), Outcome.RAISED),
    ]
