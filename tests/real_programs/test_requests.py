"""Requests against clocks of their own: what the tracer says of each is what its handler noted itself.

The server's code writes down when it came to its gate, was let in, began to sleep and so on, and
answers with it. Every one of a thousand requests, a hundred of them at the same time, must show the same.
"""

from __future__ import annotations

import importlib.util
import json
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.load import Answered, Client, Connected, Send, Sent
from asyncdemo.model import Lane, Request, Run, RunOutcome, Span, State
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Target
from asyncdemo.serving import RunContext, Session, traffic
from tests.unit.serving.staging import options, plan, script

pytestmark = [
    pytest.mark.slow,
]

REQUESTS, AT_ONCE = 1_000, 100
NEAR_NS = 1_000_000
SHARE = 0.99
"""This share must be that near to the server's own mark. Between the two the system may take the processor
away, or the interpreter its lock: a few are further apart, the more so on a busy machine.
"""

# Ten at a time of 50 ms are 200 a second, fewer than a server on a busy machine could handle: so they queue.
FLASK = """
import os, threading, time
from flask import Flask

app = Flask("cafe")
gate = threading.Semaphore(10)


@app.get("/cup/<int:number>")
def brew(number):
    marks = [time.perf_counter_ns()]
    with gate:
        marks.append(time.perf_counter_ns())
        time.sleep(0.05)
        marks.append(time.perf_counter_ns())
    marks.append(time.perf_counter_ns())
    return {"number": number, "marks": marks}


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]), threaded=True)
"""
SANIC = """
import asyncio, os, time
from sanic import Sanic, json

app = Sanic("cafe")
gate = asyncio.Semaphore(10)


@app.get("/cup/<number:int>")
async def brew(request, number):
    marks = [time.perf_counter_ns()]
    async with gate:
        marks.append(time.perf_counter_ns())
        await asyncio.sleep(0.05)
        marks.append(time.perf_counter_ns())
    marks.append(time.perf_counter_ns())
    return json({"number": number, "marks": marks, "loop": type(asyncio.get_running_loop()).__module__})


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]), single_process=True, access_log=False)
"""
SERVERS = {"flask": FLASK, "sanic": SANIC}


@dataclass(frozen=True)
class Handled:
    """A request, the call of its handler, and when that came to where, by its own clock."""

    request: Request
    lane: Lane
    begun_ns: int
    let_in_ns: int
    slept_ns: int
    done_ns: int
    sent_ns: int
    """As the client reported it."""
    answered_ns: int


class StderrTail(Client):
    """The load client, with all the events that it ever sent."""

    events_seen: list[Sent | Connected | Answered]

    def read(self, timeout_s: float = 0) -> list[Sent | Connected | Answered]:
        events = super().read(timeout_s)
        type(self).events_seen.extend(events)
        return events


@pytest.mark.alone
@pytest.mark.parametrize("server", SERVERS)
def test_the_states_of_every_request_are_what_its_handler_noted(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec(server) is None:
        pytest.skip(f"{server} is not installed")
    handled = handled_by(SERVERS[server], tmp_path, monkeypatch)
    assert len(handled) == REQUESTS
    apart: list[int] = []
    for one in handled:
        covers_it_from_send_to_response(one)
        apart += apart_ns(one)
    near = sum(0 <= edge_ns <= NEAR_NS for edge_ns in apart)
    assert near >= SHARE * len(apart), (
        f"{len(apart) - near} of {len(apart)} edges: {sorted(apart)[near - 5 :]}"
    )
    assert min(apart) >= 0, "an edge is on the wrong side of the mark"
    assert sum(bool(spans_of(one.request, "semaphore")) for one in handled) > REQUESTS / 20, (
        "nobody had to wait"
    )


def covers_it_from_send_to_response(one: Handled) -> None:
    """Without a gap or an overlap, and in the order in which it went on."""
    request, spans = one.request, list(one.request.spans)
    assert (request.sent_ns, request.end_ns) == (one.sent_ns, one.answered_ns)
    assert (spans[0].start_ns, spans[-1].end_ns) == (request.start_ns, request.end_ns)
    assert all(before.end_ns == after.start_ns for before, after in pairwise(spans))
    assert sum(span.end_ns - span.start_ns for span in spans) == request.end_ns - request.start_ns
    assert request.accepted_ns is not None and request.handled_ns is not None
    (slept,) = spans_of(request, "sleep")
    queued = spans_of(request, "semaphore")
    in_order = [
        request.start_ns,
        request.sent_ns,
        request.accepted_ns,
        request.handled_ns,
        one.lane.start_ns,
        one.begun_ns,
        *(edge_ns for span in queued for edge_ns in (span.start_ns, span.end_ns)),
        one.let_in_ns,
        slept.start_ns,
        slept.end_ns,
        one.slept_ns,
        one.done_ns,
        one.lane.end_ns,
        request.end_ns,
    ]
    # Of a response the last byte may be there before the handler's thread has come to its end.
    assert in_order[:-2] == sorted(in_order[:-2]), in_order
    assert one.done_ns <= request.end_ns and one.done_ns <= one.lane.end_ns
    assert spans[0].wait.reason == "accept"
    for mark_ns in (one.begun_ns, one.let_in_ns, one.slept_ns, one.done_ns):
        span = at(request, mark_ns)
        # If a step took longer than its CPU time, it is known how long it waited, but not when.
        assert span.state is State.RUNNING or span.wait.reason in ("gil", "outside Python"), span
    # While it slept nothing else is shown, but that the event loop had not come back to it yet.
    for span in spans:
        if span.start_ns >= slept.end_ns and span.end_ns < one.slept_ns:
            assert span.state is State.READY


def apart_ns(one: Handled) -> list[int]:
    """How far the edges are from the marks that the handler made just before or after them."""
    request = one.request
    (slept,) = spans_of(request, "sleep")
    queued = spans_of(request, "semaphore")
    return [
        one.begun_ns - one.lane.start_ns,
        (queued[0].start_ns if queued else one.let_in_ns) - one.begun_ns,
        # It runs again: from the moment it was let in, or that the event loop came to it.
        *([one.let_in_ns - at(request, one.let_in_ns).start_ns] if queued else []),
        slept.start_ns - one.let_in_ns,
        one.slept_ns - at(request, one.slept_ns).start_ns,
        one.lane.end_ns - one.done_ns,
    ]


def spans_of(request: Request, reason: str) -> list[Span]:
    return [span for span in request.spans if span.wait.reason == reason]


def at(request: Request, at_ns: int) -> Span:
    return next(span for span in request.spans if span.start_ns <= at_ns <= span.end_ns)


def handled_by(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Handled]:
    """Each request has its own path, by which it is known on all sides."""
    monkeypatch.setattr(StderrTail, "events_seen", [], raising=False)
    monkeypatch.setattr(traffic, "Client", StderrTail)
    sends = tuple(Send("GET", f"/cup/{number}") for number in range(REQUESTS))
    context = RunContext(plan=plan(REQUESTS, AT_ONCE, sends=sends, keep_answers=1_000))
    target, watched, output = Target(str(script(folder, text))), options(lanes=("brew",)), OutputBuffer()
    with closing(Session(target, watched, context, output)) as session:
        session.start()
        session.go()
        while session.poll(0.05):
            pass
        run, answers = session.result(), session.answers
    assert (run.outcome, run.notes) == (RunOutcome.OK, ()), output.text
    assert {request.status for request in run.requests} == {200}
    return joined(run, [json.loads(answer.body) for answer in answers])


def joined(run: Run, answers: list[dict[str, Any]]) -> list[Handled]:
    sent_ns = {event.number: event.sent_ns for event in StderrTail.events_seen if isinstance(event, Sent)}
    answered_ns = {
        event.number: event.at_ns for event in StderrTail.events_seen if isinstance(event, Answered)
    }
    marks = {answer["number"]: answer["marks"] for answer in answers}
    lanes = {lane.track: lane for lane in run.lanes}
    assert len(run.lanes) == len(lanes) == len(run.requests), "each request has its own track"
    handled = []
    for request in run.requests:
        _, path, _ = request.name.split()
        number = int(path.removeprefix("/cup/"))
        assert request.track is not None
        begun_ns, let_in_ns, slept_ns, done_ns = marks[number]
        handled.append(
            Handled(
                request=request,
                lane=lanes[request.track],
                begun_ns=begun_ns,
                let_in_ns=let_in_ns,
                slept_ns=slept_ns,
                done_ns=done_ns,
                sent_ns=sent_ns[number],
                answered_ns=answered_ns[number],
            )
        )
    return handled
