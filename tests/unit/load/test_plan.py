"""Plans and the bytes of their requests: what makes no sense is refused, with what to change."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.load import Plan, Send
from asyncdemo.load.request_bytes import RequestMaker

GET = Send("GET", "/")


def plan(**changes: Any) -> Plan:
    fields: dict[str, Any] = {"host": "127.0.0.1", "port": 80, "sends": (GET,), "requests": 1, "clients": 1}
    return Plan(**(fields | changes))


def test_a_plan_is_the_same_after_it_travelled() -> None:
    whole = plan(
        sends=(GET, Send("POST", "/upload", (("Content-Type", "image/png"),), bytes(range(256)))),
        clients=None,
        rate=99.5,
        arrivals="poisson",
        seed=7,
        duration_s=1.5,
        keep_alive=True,
        cpus=(0, 1),
    )
    line = whole.to_json()
    assert "\n" not in line
    assert Plan.from_json(line) == whole


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"host": ""}, "host is empty"),
        ({"port": 0}, "port is 0; it must be from 1 to 65535"),
        ({"port": 70000}, "port is 70000"),
        ({"sends": ()}, "nothing to send"),
        ({"rate": 5.0}, "give either clients (how many at the same time) or rate"),
        ({"clients": None}, "give either clients (how many at the same time) or rate"),
        ({"requests": None}, "give requests or duration_s"),
        ({"requests": 0}, "requests is 0; it must be at least 1"),
        ({"clients": -1}, "clients is -1; it must be at least 1"),
        ({"clients": None, "rate": 0.0}, "rate is 0.0; it must be a number above 0"),
        ({"clients": None, "rate": float("nan")}, "rate is nan"),
        ({"clients": None, "rate": float("inf")}, "rate is inf"),
        ({"duration_s": -1.0}, "duration_s is -1.0"),
        ({"timeout_s": 0}, "timeout_s is 0"),
        ({"arrivals": "bursts"}, "arrivals is 'bursts'; it must be one of uniform, poisson"),
        ({"keep_answers": -1}, "keep_answers is -1"),
    ],
)
def test_nonsense_is_refused_with_what_to_change(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        plan(**changes)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"host": "x"}',
        '{"sends": [{}]}',
        '{"sends": 5}',
        json.dumps({"host": "x", "port": 1, "sends": [{"method": "GET", "path": "/"}], "wish": 1}),
    ],
)
def test_what_is_no_plan_is_said_to_be_none(text: str) -> None:
    with pytest.raises(UsageError, match="this is not a plan"):
        Plan.from_json(text)


def test_a_request_is_named_without_its_query() -> None:
    assert Send("GET", "/films/?page=2").name == "GET /films/"


# --- bytes ------------------------------------------------------------------------------------------


def maker(*sends: Send, **changes: Any) -> RequestMaker:
    return RequestMaker(plan(**{"sends": sends, "port": 8080, "traces": False, **changes}))


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


def test_given_host_is_used_and_ipv6_is_in_brackets() -> None:
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
    first, second = (maker(GET, traces=True) for _ in range(2))
    assert {first.make(n) for n in range(1000)}.isdisjoint(second.make(n) for n in range(1000))
    assert maker(GET).last_trace_id == ""


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
