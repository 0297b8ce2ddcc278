"""Responses of every shape, from servers that close, keep, break off or never answer."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import partial

import pytest

from asyncdemo.load import Answered, Connected, Event, Result, Send, Sent
from tests.unit.load.running import load as load_in_a_process
from tests.unit.load.running import load_here
from tests.unit.load.serving import HELLO, HELLO_AND_BYE, Visit, answering, served, unused_port

Load = Callable[..., tuple[Result, list[Event]]]


@pytest.fixture(params=["uvloop", "asyncio"])
def load(request: pytest.FixtureRequest) -> Load:
    """On the fastest loop there is, as everybody uses it; and on the loop that every Python has."""
    return partial(load_here, engine=request.param)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
UNTIL_CLOSED = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nhello"


@pytest.mark.parametrize("keep_alive", [False, True])
@pytest.mark.parametrize(
    ("response", "status", "body"),
    [
        (HELLO, 200, b"hello"),
        (CHUNKED, 200, b"hello"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, b""),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b""),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", 304, b""),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + HELLO, 200, b"hello"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + CHUNKED, 200, b"hello"),
    ],
)
def test_a_whole_response_is_an_answer(
    response: bytes, status: int, body: bytes, keep_alive: bool, load: Load
) -> None:
    with answering(response) as server:
        result, events = load(
            server.port, requests=6, clients=2, keep_alive=keep_alive, report=True, keep_answers=100
        )
    assert (result.statuses, result.errors) == ({status: 6}, {})
    answers = [event for event in events if isinstance(event, Answered)]
    assert {(answer.status, answer.error, answer.body) for answer in answers} == {(status, None, body)}
    assert server.connections == (2 if keep_alive else 6)


@pytest.mark.parametrize("report", [False, True])
def test_head_has_no_body_and_alternates_with_get(report: bool, load: Load) -> None:
    def handle(visit: Visit) -> None:
        while (request := visit.request()) is not None:
            visit.say(HELLO.removesuffix(b"hello") if request.startswith(b"HEAD") else HELLO)

    with served(handle) as server:
        sends = (Send("HEAD", "/"), Send("HEAD", "/again"), Send("GET", "/"), Send("GET", "/"))
        result, _ = load(server.port, requests=9, sends=sends, keep_alive=True, report=report)
    assert (result.statuses, result.errors, server.connections) == ({200: 9}, {}, 1)


def test_a_body_may_end_with_the_connection(load: Load) -> None:
    with answering(UNTIL_CLOSED, once=True) as server:
        result, events = load(server.port, requests=3, keep_alive=True, report=True, keep_answers=100)
    assert (result.statuses, result.errors) == ({200: 3}, {})
    answers = [event for event in events if isinstance(event, Answered)]
    assert [(answer.body, answer.content_type) for answer in answers] == [(b"hello", "text/html")] * 3


@pytest.mark.parametrize("response", [HELLO_AND_BYE, HELLO])
def test_server_that_closes_after_each_response_is_reconnected(response: bytes, load: Load) -> None:
    """With the second it closes without a word, perhaps just as the next request arrives."""
    with answering(response, once=True) as server:
        result, _ = load(server.port, requests=30, clients=3, keep_alive=True)
    assert (result.statuses, result.errors) == ({200: 30}, {})
    assert server.connections == result.connections


@pytest.mark.parametrize(
    ("method", "statuses", "errors", "retried"),
    [("GET", {200: 2}, {}, 1), ("POST", {200: 1}, {"closed": 1}, 0)],
)
def test_only_safe_requests_are_repeated_on_a_closed_connection(
    method: str, statuses: dict[int, int], errors: dict[str, int], retried: int, load: Load
) -> None:
    def handle(visit: Visit) -> None:
        visit.request()
        visit.say(HELLO)
        if visit.number == 0:
            visit.request()  # asked a second time, it closes without a response

    with served(handle) as server:
        sends = (Send(method, "/"),)
        result, events = load(server.port, requests=2, sends=sends, keep_alive=True, report=True)
    assert (result.statuses, result.errors, result.retried) == (statuses, errors, retried)
    assert [event.number for event in events if isinstance(event, Sent)] == [0, 1]
    assert sum(isinstance(event, Connected) for event in events) == server.connections == 1 + retried


def test_every_byte_of_an_answer_survives_up_to_the_cut() -> None:
    body = bytes(range(256))
    response = b"HTTP/1.1 200 OK\r\nContent-Length: 260\r\n\r\n" + body + b"more"
    with answering(response) as server:
        _, events = load_in_a_process(server.port, report=True, keep_answers=256)
    assert [event.body for event in events if isinstance(event, Answered)] == [body]


# --- errors by kind ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        (b"", "closed", "without a response"),
        (HELLO[:20], "closed", "in the middle of the response"),
        (HELLO[:-2], "closed", "in the middle of the response"),
        (CHUNKED[:-3], "closed", "in the middle of the response"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "protocol", "not HTTP"),
        (b"HTTP/1.1 999999 What\r\n\r\n", "protocol", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello", "protocol", "not HTTP"),
        (CHUNKED.replace(b"3\r\nhel", b"z\r\nhel"), "protocol", "not HTTP"),
        (
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
            "protocol",
            "switched",
        ),
    ],
)
@pytest.mark.parametrize("keep_alive", [False, True])
def test_what_is_no_whole_response_is_an_error_of_its_kind(
    said: bytes, kind: str, words: str, keep_alive: bool, load: Load
) -> None:
    with answering(said, once=True) as server:
        result, events = load(server.port, requests=4, clients=2, keep_alive=keep_alive, report=True)
    assert (result.answered, result.errors, result.failed) == (0, {kind: 4}, 4)
    assert words in result.first_errors[kind]
    assert {event.error for event in events if isinstance(event, Answered)} == {kind}


def test_reset_and_close_are_distinguished(load: Load) -> None:
    def handle(visit: Visit) -> None:
        visit.request()
        visit.reset()

    with served(handle) as server:
        result, _ = load(server.port, requests=4, clients=2)
    assert result.errors == {"reset": 4}


@pytest.mark.parametrize("loop", [{"clients": 2}, {"rate": 1000.0}])
def test_nobody_there(loop: dict[str, float], load: Load) -> None:
    result, events = load(unused_port(), requests=4, report=True, **loop)
    assert (result.errors, result.connections) == ({"refused": 4}, 4)
    assert [event.error for event in events if isinstance(event, Answered)] == ["refused"] * 4
    assert not [event for event in events if isinstance(event, Connected)]


def test_no_response_in_time(load: Load) -> None:
    with answering(b"") as server:
        result, _ = load(server.port, requests=6, clients=3, timeout_s=0.2)
    assert result.errors == {"timeout": 6}
    assert "within 0.2 s" in result.first_errors["timeout"]


@pytest.mark.parametrize("more", [b"and more", HELLO.replace(b"200", b"500")])
def test_surplus_bytes_end_the_connection_and_not_the_answer(more: bytes, load: Load) -> None:
    with answering(HELLO + more) as server:
        result, _ = load(server.port, requests=3, keep_alive=True)
    assert (result.statuses, result.errors, server.connections) == ({200: 3}, {}, 3)


def test_connections_that_cannot_even_be_made_in_time(load: Load) -> None:
    """Nobody accepts, and the system's queue for this is full after a few."""
    with socket.create_server(("127.0.0.1", 0), backlog=1) as listening:
        result, _ = load(listening.getsockname()[1], requests=12, clients=12, timeout_s=0.5)
    assert result.errors == {"timeout": 12}
    assert result.connects.count < 12


def test_kept_connections_that_the_server_closes_cost_no_request(load: Load) -> None:
    with answering(HELLO, once=True) as server:
        result, _ = load(server.port, requests=20, rate=100.0, keep_alive=True)
    assert (result.statuses, result.errors, result.connections) == ({200: 20}, {}, 20)
