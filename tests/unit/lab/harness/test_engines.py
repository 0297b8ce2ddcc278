"""What wrk reports, read into what a trial keeps, and when a percentile is quoted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness.engines import latencies_ms
from asyncdemo.lab.harness.wrk import Wrk, command, read_output
from asyncdemo.load import Plan, Send

WRK = """Running 1s test @ http://127.0.0.1:35457/
  1 threads and 4 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    69.81ms   19.58ms   1.20s    76.67%
    Req/Sec    56.50     15.23    80.00     50.00%
  Latency Distribution
     50%  640.00us
     75%   68.03ms
     90%  102.07ms
     99%    1.19s
  60000 requests in 1.07m, 6.84KB read
  Socket errors: connect 0, read 3, write 0, timeout 1197
  Non-2xx or 3xx responses: 69
Requests/sec:     56.00
Transfer/sec:      6.38KB
"""


def test_wrk_is_read_with_its_units_and_what_failed() -> None:
    measured = read_output(WRK)
    load = measured.load
    assert (load.answered, load.throughput_per_s) == (60000, 56.0)
    assert load.wall_s == pytest.approx(64.2)
    assert load.requests == 61200
    assert load.errors == {"read": 3, "timeout": 1197, "status not 2xx or 3xx": 69}
    assert load.latency_ms == {"mean": 69.81, "50": 0.64, "75": 68.03, "90": 102.07, "99": 1190, "100": 1200}
    assert measured.p99_ms == 1190


@given(st.integers(0, 10**6), st.lists(st.sampled_from([50.0, 90.0, 99.0, 99.9, 100.0]), unique=True))
def test_a_percentile_is_quoted_with_a_hundred_answers_beyond_it(count: int, percents: list[float]) -> None:
    latencies = latencies_ms(count, 2.0, 1.0, dict.fromkeys(percents, 3.0))
    quoted = {float(name) for name in latencies if name not in {"mean", "0"}}
    expected = {percent for percent in percents if percent == 100 or count * (100 - percent) / 100 >= 100}
    assert quoted == (expected if count else set())
    assert ("mean" in latencies) == (count > 0)


def a_plan(**more: object) -> Plan:
    values: dict[str, object] = {"sends": (Send("GET", "/x"),), "clients": 4, "duration_s": 2.0, **more}
    return Plan("127.0.0.1", 8000, **values)  # type: ignore[arg-type]


def test_wrk_gets_the_planned_load() -> None:
    assert command(a_plan()) == [
        *("wrk", "-c4", "-t1", "-d2", "--latency", "--timeout=30", "-H", "Connection: close"),
        "http://127.0.0.1:8000/x",
    ]
    assert "Connection: close" not in command(a_plan(keep_alive=True))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (0, "wrk printed something unexpected: Benchmarking\nunable"),
        (104, "wrk ended with exit code 104 and said: unable"),
    ],
)
def test_failure_of_wrk_is_reported(
    code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "wrk"
    broken.write_text(f"#!/bin/sh\necho Benchmarking; echo unable; exit {code}\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with Wrk().prepared(a_plan()) as sending:
        sending.go()
        while not sending.finished(1):
            pass
        with pytest.raises(AsyncdemoError, match=said):
            sending.measured()


@pytest.mark.parametrize(
    "plan",
    [
        a_plan(clients=None, rate=10.0),
        a_plan(requests=10, duration_s=None),
        a_plan(sends=(Send("POST", "/x"),)),
        a_plan(sends=(Send("GET", "/x"), Send("GET", "/y"))),
    ],
)
def test_plan_beyond_wrk_is_refused_not_changed(plan: Plan) -> None:
    with pytest.raises((AssertionError, ValueError)):
        command(plan)
