"""Closed and open loops against real servers: how many at once, when, and from when latency counts."""

from __future__ import annotations

import asyncio
import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from asyncdemo.load import Answered, Connected, Sent
from asyncdemo.load.engine import Engine
from tests.unit.load.running import load, load_here, load_with_a_hiccup, load_with_few_files
from tests.unit.load.serving import HELLO, HELLO_AND_BYE, Visit, answering, served

MS = 1_000_000


class AtOnce:
    """How many requests a server has had in hand at once."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.now = self.most = 0
        self._work = work
        self._lock = threading.Lock()

    def handle(self, visit: Visit) -> None:
        while visit.request() is not None:
            with self._lock:
                self.now += 1
                self.most = max(self.most, self.now)
            self._work()
            with self._lock:
                self.now -= 1
            visit.say(HELLO)


@pytest.mark.parametrize("keep_alive", [False, True])
def test_closed_loop_has_one_open_request_per_client(keep_alive: bool) -> None:
    """The server holds back its answers until all seven clients have asked."""
    at_once = AtOnce(threading.Barrier(7, timeout=60).wait)
    with served(at_once.handle) as server:
        result, _ = load(server.port, requests=35, clients=7, keep_alive=keep_alive)
    assert (at_once.most, result.open_at_once, result.answered) == (7, 7, 35)
    assert result.connections == server.connections == (7 if keep_alive else 35)
    assert result.late_ns.count == 0, "it is never late"
    with answering() as server:
        result, _ = load(server.port, requests=3, clients=50)
    assert (result.answered, server.connections) == (3, 3), "no more clients than requests"


def test_events_of_a_request_are_in_order_with_trace_and_port() -> None:
    seen = []

    def handle(visit: Visit) -> None:
        request = visit.request() or b""
        trace = request.partition(b"traceparent: 00-")[2][:32].decode()
        seen.append((trace, visit.socket.getpeername()[1]))
        visit.say(HELLO)

    with served(handle) as server:
        _, events = load(server.port, requests=40, clients=8, report=True)
    sent_by = []
    for number in range(40):
        sent, connection, answered = (event for event in events if event.number == number)
        assert isinstance(sent, Sent) and isinstance(connection, Connected) and isinstance(answered, Answered)
        assert sent.intended_ns <= sent.sent_ns <= connection.at_ns <= answered.at_ns
        sent_by.append((sent.trace_id, connection.port))
    assert sorted(sent_by) == sorted(seen) and len({trace for trace, _ in sent_by}) == 40
    answers = [event.at_ns for event in events if isinstance(event, Answered)]
    assert answers == sorted(answers)


def test_closed_loop_of_a_duration_ends_after_what_it_began() -> None:
    at_once = AtOnce(lambda: time.sleep(0.05))
    with served(at_once.handle) as server:
        result, _ = load(server.port, duration_s=0.3, clients=4)
    assert result.answered == result.requests >= 4
    assert result.answered_in_window <= result.answered <= result.answered_in_window + 4
    assert not result.errors
    assert result.wall_s >= result.window_s


HICCUP: dict[str, Any] = {"after_s": 0.1, "lasts_s": 0.5, "duration_s": 0.4, "rate": 1000.0}
"""Of the client, from well before the end of the window until well after it: 300 requests are then due."""


def test_late_requests_are_sent_after_the_end_and_count_from_due() -> None:
    with answering(HELLO_AND_BYE, once=True) as server:
        result, events = load_with_a_hiccup(server.port, **HICCUP)
    assert result.requests == result.answered == result.late_ns.count == 400
    sent = [event for event in events if isinstance(event, Sent)]
    start_ns = sent[0].intended_ns
    assert [event.intended_ns - start_ns for event in sent] == [number * MS for number in range(400)]
    assert sum(event.sent_ns - start_ns > 400 * MS for event in sent) > 128, "more than one burst"
    most_late_ns = max(event.sent_ns - event.intended_ns for event in sent)
    assert result.late_ns.most_ns == pytest.approx(most_late_ns, rel=0.002)
    assert result.histogram.most_ns >= most_late_ns * 0.99
    assert result.window_s <= 0.4 < result.wall_s, "the window was closed late, and is no longer for that"
    assert result.answered_in_window < 400


def test_what_is_too_late_at_the_end_is_a_timeout_and_never_sent() -> None:
    with answering(HELLO_AND_BYE, once=True) as server:
        result, events = load_with_a_hiccup(server.port, **HICCUP, timeout_s=0.15)
    assert result.requests == result.answered + result.errors["timeout"] == 400
    assert result.first_errors["timeout"] == "it was never sent: the client got to it too late"
    assert sum(isinstance(event, Sent) for event in events) < 400


def test_what_is_late_at_the_end_can_be_interrupted() -> None:
    with answering(HELLO_AND_BYE, once=True) as server:
        result, _ = load_with_a_hiccup(server.port, **HICCUP, interrupts=True)
    assert result.interrupted and result.requests < 400


def test_an_open_loop_does_not_wait_for_answers() -> None:
    """The first answer comes only once all have asked: a closed loop would stop there for ever."""
    all_here = threading.Barrier(20)

    def handle(visit: Visit) -> None:
        visit.request()
        all_here.wait(60)
        visit.say(HELLO)

    with served(handle) as server:
        result, _ = load(server.port, requests=20, rate=200.0)
    assert (result.answered, result.open_at_once) == (20, 20)


def test_an_open_loop_uses_kept_connections_again() -> None:
    with answering() as server:
        result, _ = load(server.port, requests=50, rate=500.0, keep_alive=True)
    assert result.answered == 50
    assert server.connections == result.connections < 50


def test_requests_over_the_file_limit_wait_and_the_wait_counts() -> None:
    """One connection at a time, 50 ms each, and twenty requests due at once."""
    at_once = AtOnce(lambda: time.sleep(0.05))
    with served(at_once.handle) as server:
        result = load_with_few_files(server.port, 1, requests=20, rate=10_000.0)
    assert (result.answered, at_once.most, result.open_at_once) == (20, 1, 1)
    assert result.histogram.most_ns > 10 * result.histogram.least_ns
    assert any("19 requests waited in the client" in note for note in result.notes)


def test_who_waits_too_long_for_a_connection_has_waited_too_long() -> None:
    at_once = AtOnce(lambda: time.sleep(0.2))
    with served(at_once.handle) as server:
        result = load_with_few_files(server.port, 1, requests=20, rate=10_000.0, timeout_s=0.5)
    assert result.requests == result.answered + result.errors["timeout"] == 20
    assert result.answered < 10  # it was time for two of them; on a busy machine the clock is looked at late
    assert result.wall_s < 20 * 0.2


@contextmanager
def answering_all_at_once(count: int) -> Iterator[int]:
    """A server that answers nobody before enough have asked: its port."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=4096)
    stopped = threading.Event()

    async def serve() -> None:
        all_asked = asyncio.Barrier(count)

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            await all_asked.wait()
            writer.write(HELLO)
            writer.close()
            await writer.wait_closed()

        async with await asyncio.start_server(handle, sock=listening, backlog=4096):
            await asyncio.to_thread(stopped.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        stopped.set()
        thread.join()


def test_ten_thousand_requests_queued_at_once_are_all_answered() -> None:
    """All connections are open before the first answer. Fewer where the system allows fewer files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = hard if hard != resource.RLIM_INFINITY else 10_240
    count = min(10_000, allowed - 500)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 400), hard))
    try:
        with answering_all_at_once(count) as port:
            result, _ = load(port, requests=count, clients=count, timeout_s=300)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (result.answered, result.open_at_once) == (count, count)


def test_server_that_never_answers_costs_only_one_timer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = 0
    expire = Engine._expire

    def counted(engine: Engine) -> None:
        nonlocal looks
        looks += 1
        expire(engine)

    monkeypatch.setattr(Engine, "_expire", counted)
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listening:
        port = listening.getsockname()[1]
        result, _ = load_here(port, requests=100, clients=4, timeout_s=0.05)
    assert result.errors == {"timeout": 100}
    assert looks < 200  # each gives up one request at the least, or comes a moment too early
