"""What load programs report, read into what a trial keeps."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness.cross_checks import PROGRAMS, Program, read_ab, read_oha, read_wrk
from asyncdemo.lab.harness.engines import latencies_ms
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
AB = """Benchmarking 127.0.0.1 (be patient).....done

Concurrency Level:      4
Time taken for tests:   0.319 seconds
Complete requests:      50000
Failed requests:        4
   (Connect: 0, Receive: 2, Length: 0, Exceptions: 2)
Non-2xx responses:      7
Total transferred:      5650 bytes
Requests per second:    156.85 [#/sec] (mean)
Time per request:       25.502 [ms] (mean)

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.1      0       0
Processing:    21   23   4.9     21      39
Total:         21   23   4.9     21      40

Percentage of the requests served within a certain time (ms)
  50%     21
  99%     39
 100%     40 (longest request)
"""
OHA = {
    "summary": {"total": 2.0, "requestsPerSec": 50.0, "average": 0.02, "slowest": 0.2, "fastest": 0.01},
    "latencyPercentiles": {"p50": 0.015, "p99": 0.1, "p99.9": None},
    "statusCodeDistribution": {"200": 20000},
    "errorDistribution": {"aborted due to deadline": 4, "connection closed": 2},
}


def test_wrk_is_read_with_its_units_and_what_failed() -> None:
    measured = read_wrk(WRK)
    load = measured.load
    assert (load.answered, load.throughput_per_s) == (60000, 56.0)
    assert load.wall_s == pytest.approx(64.2)
    assert load.requests == 61200
    assert load.errors == {"read": 3, "timeout": 1197, "status not 2xx or 3xx": 69}
    assert load.latency_ms == {"mean": 69.81, "50": 0.64, "75": 68.03, "90": 102.07, "99": 1190, "100": 1200}
    assert measured.p99_ms == 1190


def test_ab_is_read_with_what_failed() -> None:
    load = read_ab(AB).load
    assert (load.requests, load.answered) == (50000, 49998), "those that failed are complete to it, too"
    assert (load.wall_s, load.throughput_per_s) == (0.319, 156.85)
    assert load.errors == {"failed": 2, "status not 2xx or 3xx": 7}
    assert load.latency_ms == {"mean": 23, "0": 21, "50": 21, "99": 39, "100": 40}


def test_oha_is_read_and_what_it_let_go_at_the_end_is_no_error() -> None:
    load = read_oha(json.dumps(OHA)).load
    assert (load.answered, load.wall_s, load.throughput_per_s) == (20000, 2.0, 50.0)
    assert load.errors == {"connection closed": 2}
    assert load.statuses == {"200": 20000}
    assert load.latency_ms == {"mean": 20, "0": 10, "50": 15, "99": 100, "100": 200}


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


COMMANDS = {program.name: program.command for program in PROGRAMS}


def test_each_program_is_asked_for_the_same_load() -> None:
    assert COMMANDS["wrk"](a_plan()) == [
        *("wrk", "-c4", "-t1", "-d2", "--latency", "--timeout=30", "-H", "Connection: close"),
        "http://127.0.0.1:8000/x",
    ]
    assert COMMANDS["ab"](a_plan(keep_alive=True, requests=50, duration_s=None)) == [
        *("ab", "-c4", "-n50", "-s30", "-q", "-l", "-r", "-k"),
        "http://127.0.0.1:8000/x",
    ]
    assert COMMANDS["oha"](a_plan(clients=None, rate=100.0, keep_alive=True)) == [
        *("oha", "-c", "200", "-z2s", "-q", "100", "--latency-correction", "--output-format", "json"),
        *("--no-tui", "http://127.0.0.1:8000/x"),
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (0, "printed something unexpected: Benchmarking\nunable"),
        (104, "ended with exit code 104 and said: unable"),
    ],
)
def test_a_program_that_fails_or_is_not_understood_is_told(program: Program, code: int, said: str) -> None:
    broken = ["sh", "-c", f"echo Benchmarking; echo unable; exit {code}"]
    with replace(program, command=lambda _: broken).prepared(a_plan()) as sending:
        sending.go()
        while not sending.finished(1):
            pass
        with pytest.raises(AsyncdemoError, match=said):
            sending.measured()


@pytest.mark.parametrize(
    ("name", "plan"),
    [
        ("wrk", a_plan(clients=None, rate=10.0)),
        ("ab", a_plan(clients=None, rate=10.0)),
        ("oha", a_plan(clients=None, rate=10.0, arrivals="poisson")),
        ("wrk", a_plan(requests=10, duration_s=None)),
        ("wrk", a_plan(sends=(Send("POST", "/x"),))),
        ("ab", a_plan(sends=(Send("GET", "/x"), Send("GET", "/y")))),
    ],
)
def test_what_a_program_cannot_do_is_refused_not_changed(name: str, plan: Plan) -> None:
    with pytest.raises((AssertionError, ValueError)):
        COMMANDS[name](plan)
