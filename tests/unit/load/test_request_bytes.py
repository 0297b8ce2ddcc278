"""Requests as bytes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.load import Plan, Send
from asyncdemo.load.request_bytes import RequestMaker


def maker(*sends: Send, **fields: Any) -> RequestMaker:
    whole = {"host": "127.0.0.1", "port": 8080, "requests": 1, "clients": 1, "traces": False, **fields}
    return RequestMaker(Plan(sends=sends, **whole))


def test_a_get_has_what_http_asks_for_and_no_more() -> None:
    assert maker(Send("GET", "/")).make(0) == (
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n\r\n"
    )


def test_a_body_has_its_length_and_keep_alive_says_nothing() -> None:
    send = Send("POST", "/upload?x=1", (("Content-Type", "text/plain"),), b"12345")
    assert maker(send, keep_alive=True).make(0) == (
        b"POST /upload?x=1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Length: 5\r\n"
        b"Content-Type: text/plain\r\n\r\n12345"
    )


def test_a_post_without_a_body_says_so() -> None:
    assert b"\r\nContent-Length: 0\r\n" in maker(Send("POST", "/")).make(0)


def test_a_host_that_is_given_is_taken_and_an_ipv6_address_stands_in_brackets() -> None:
    request = maker(Send("GET", "/", (("host", "films.example"),))).make(0)
    assert request.lower().count(b"host:") == 1 and b"films.example" in request
    assert b"Host: [::1]:8080\r\n" in maker(Send("GET", "/"), host="::1").make(0)


def test_sends_take_turns() -> None:
    both = maker(Send("GET", "/a"), Send("GET", "/b"))
    assert [both.make(number).split()[1] for number in range(4)] == [b"/a", b"/b", b"/a", b"/b"]


def test_every_request_has_a_trace_of_its_own_as_w3c_writes_them() -> None:
    made = maker(Send("POST", "/", body=b"x"), traces=True)
    traces = set()
    parents = set()
    for number in range(5000):
        field = re.search(
            rb"\r\ntraceparent: 00-([0-9a-f]{32})-([0-9a-f]{16})-01\r\n\r\nx$", made.make(number)
        )
        assert field is not None
        assert field[1].decode() == made.last_trace_id
        traces.add(field[1])
        parents.add(field[2])
    assert len(traces) == len(parents) == 5000


def test_two_runs_share_no_trace() -> None:
    first, second = (maker(Send("GET", "/"), traces=True) for _ in range(2))
    assert {first.make(n) for n in range(1000)}.isdisjoint(second.make(n) for n in range(1000))


def test_without_traces_there_is_no_trace() -> None:
    made = maker(Send("GET", "/"))
    made.make(0)
    assert made.last_trace_id == ""


@pytest.mark.parametrize(
    ("send", "words"),
    [
        (Send("GET IT", "/"), "'GET IT' is not an HTTP method"),
        (Send("", "/"), "'' is not an HTTP method"),
        (Send("GET", "films"), "must begin with /"),
        (Send("GET", "/a b"), "%20 for a space"),
        (Send("GET", "/ä"), "%20 for a space"),
        (Send("GET", "/\r\nX: y"), "%20 for a space"),
        (Send("GET", "/", (("a b", "c"),)), "'a b' is not the name of a header"),
        (Send("GET", "/", (("", "c"),)), "'' is not the name of a header"),
        (Send("GET", "/", (("a", "c\r\nd: e"),)), "a character that no header can have"),
        (Send("GET", "/", (("a", "\N{SNOWMAN}"),)), "a character that no header can have"),
        (Send("GET", "/", (("Connection", "close"),)), "connection of GET / is set by the client itself"),
        (Send("GET", "/", (("TraceParent", "x"),)), "traceparent of GET / is set by the client itself"),
    ],
)
def test_what_would_be_another_request_than_meant_is_refused(send: Send, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        maker(send)
    assert words in str(refused.value)
