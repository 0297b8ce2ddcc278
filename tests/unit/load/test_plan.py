"""Plans: what makes no sense is refused with what to change; the rest travels as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.load import Plan, Send

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
