"""Several workers' shares of a load: divided, put together, and tested for being Poisson."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.lab.distributed.__main__ import locust_command, main, parser
from asyncdemo.lab.distributed.shares import Share, Stopwatch, count_p, divide, gaps_p, merge, superpose
from asyncdemo.load import Plan, Result, Send
from asyncdemo.load.arrivals import arrivals_ns
from asyncdemo.load.events import Answered, Sent
from asyncdemo.load.histogram import Histogram

WHOLE = Plan(
    "127.0.0.1", 80, (Send("GET", "/"),), duration_s=20, rate=300, arrivals="poisson", seed=7, report=True
)
LEVEL = 0.01


def result(latencies_ns: list[int], **more: object) -> Result:
    histogram = Histogram.of(latencies_ns)
    whole = Result(
        requests=len(latencies_ns),
        answered=len(latencies_ns),
        statuses={200: len(latencies_ns)},
        errors={},
        first_errors={},
        wall_s=20.1,
        window_s=20,
        answered_in_window=len(latencies_ns),
        histogram=histogram,
        connects=Histogram.of([1000]),
        late_ns=Histogram.of([2000]),
        cpu_s=1.0,
        retried=0,
        connections=3,
        open_at_once=2,
        engine="uvloop, timerfd",
    )
    return replace(whole, **more)  # type: ignore[arg-type]


def scheduled(plan: Plan) -> list[int]:
    return list(arrivals_ns(plan))


def shares(plans: list[Plan]) -> list[Share]:
    found = []
    for worker, plan in enumerate(plans):
        arrivals = scheduled(plan)
        draw = random.Random(worker)
        latencies = [round(draw.expovariate(1 / 2e6)) for _ in arrivals]
        found.append(Share(worker, plan, result(latencies), arrivals, arrivals, latencies))
    return found


def test_rate_is_divided_and_each_worker_has_its_own_arrivals() -> None:
    plans = divide(WHOLE, 3)
    assert [plan.rate for plan in plans] == [100, 100, 100]
    assert len({plan.seed for plan in plans}) == 3
    assert {replace(plan, rate=300, seed=7) for plan in plans} == {WHOLE}
    assert divide(WHOLE, 3) == plans, "the same seed, the same load"


def test_a_stream_that_is_not_poisson_is_not_divided() -> None:
    with pytest.raises(UsageError, match="only Poisson"):
        divide(replace(WHOLE, arrivals="uniform"), 2)


def test_the_sum_is_poisson_and_what_is_none_is_found_out() -> None:
    arrivals = superpose(shares(divide(WHOLE, 3)))
    assert arrivals == sorted(arrivals)
    assert count_p(len(arrivals), 6000) > LEVEL
    assert gaps_p(arrivals, 300) > LEVEL
    assert gaps_p(arrivals, 330) < LEVEL, "another rate"
    assert gaps_p(scheduled(replace(WHOLE, arrivals="uniform")), 300) < LEVEL
    (one, *_) = divide(WHOLE, 3)
    assert gaps_p(superpose(shares([one, one, one])), 300) < LEVEL, "one seed for all: bursts of three"


def test_worker_that_sends_at_wrong_times_is_found_out() -> None:
    """Only at every tenth of a second."""
    late = [
        replace(share, sent_ns=[-(-arrival // 100_000_000) * 100_000_000 for arrival in share.arrivals_ns])
        for share in shares(divide(WHOLE, 3))
    ]
    assert gaps_p(superpose(late), 300) < LEVEL


def test_a_count_far_from_the_expected_one_is_improbable() -> None:
    assert count_p(6000, 6000) == 1
    assert count_p(6000 + 77, 6000) == pytest.approx(0.32, abs=0.01), "a standard deviation"
    assert count_p(5700, 6000) < LEVEL
    assert count_p(6300, 6000) < LEVEL


def test_merged_is_the_histogram_of_all_latencies() -> None:
    parts = shares(divide(WHOLE, 3))
    together = merge(parts)
    union = Histogram.of(latency for part in parts for latency in part.latencies_ns)
    assert list(together.histogram._decoded.counts) == list(union._decoded.counts)
    assert together.requests == sum(len(part.arrivals_ns) for part in parts)
    assert together.statuses == {200: together.requests}
    assert (together.connects.count, together.late_ns.count, together.connections) == (3, 3, 9)
    assert together.window_s == 20 and together.cpu_s == 3


def test_what_failed_is_added_up_too() -> None:
    (first, second, _) = shares(divide(WHOLE, 3))
    early = result([], errors={"timeout": 2}, first_errors={"timeout": "one"}, interrupted=True)
    late = result([], errors={"timeout": 1, "reset": 4}, first_errors={"timeout": "two", "reset": "three"})
    together = merge([replace(first, result=early), replace(second, result=late)])
    assert together.errors == {"timeout": 3, "reset": 4}
    assert together.first_errors == {"timeout": "one", "reset": "three"}
    assert together.interrupted


def test_a_share_travels_whole() -> None:
    (share, *_) = shares(divide(WHOLE, 2))
    there = Share.from_wire(share.to_wire())
    assert there.to_wire() == share.to_wire()
    assert (there.worker, there.plan) == (share.worker, share.plan)
    assert list(there.arrivals_ns) == list(share.arrivals_ns)
    assert list(there.sent_ns) == list(share.sent_ns)
    assert there.result.histogram.encoded == share.result.histogram.encoded


def test_a_stopwatch_knows_when_the_load_began() -> None:
    began_ns = 5_000_000_000
    arrivals = scheduled(WHOLE)[:3]
    watch = Stopwatch(WHOLE)
    for number, arrival in enumerate(arrivals):
        heard = watch.handle(Sent(number, "", "GET /", began_ns + arrival, began_ns + arrival + 9, 0))
        assert heard is None
    # Out of order, and the last of them without an answer.
    assert watch.handle(Answered(1, began_ns + arrivals[1] + 4_000_000, 200, None)) == (4.0, None)
    assert watch.handle(Answered(0, began_ns + arrivals[0] + 2_000_000, 200, None)) == (2.0, None)
    assert watch.handle(Answered(2, began_ns + arrivals[2] + 8_000_000, None, "timeout")) == (8.0, "timeout")
    share = watch.share(1, result([2_000_000, 4_000_000]))
    assert list(share.arrivals_ns) == arrivals
    assert list(share.sent_ns) == [arrival + 9 for arrival in arrivals]
    assert list(share.latencies_ns) == [2_000_000, 4_000_000, -1]


UNDER_GEVENT = """
from gevent import monkey, sleep, with_timeout
monkey.patch_all()
from asyncdemo.load import Client, Plan, Send

def until_ready():
    while not client.ready:
        client.read()
        sleep(0.01)

with Client(Plan("127.0.0.1", 9, (Send("GET", "/"),), rate=1.0, duration_s=1.0), hold=True) as client:
    with_timeout(30, until_ready)
"""


@pytest.mark.slow
def test_load_client_can_be_read_under_gevent_as_in_locust() -> None:
    """A read there that waits for the end would wait for ever."""
    pytest.importorskip("gevent")
    subprocess.run([sys.executable, "-c", UNDER_GEVENT], check=True, timeout=60)


def words(*arguments: str) -> str:
    return " ".join(locust_command(parser().parse_args(arguments)))


def test_a_master_has_a_user_for_each_worker() -> None:
    text = words("master", "http://10.0.0.5:8000/hello?a=1", "--workers", "3", "--rate", "500")
    assert "--master --master-bind-host 127.0.0.1 --master-bind-port 5557" in text
    assert "--expect-workers 3 --users 3 --spawn-rate 3" in text
    assert "--host http://10.0.0.5:8000 --path /hello?a=1" in text
    assert text.endswith("--duration 30 --seed 0 --timeout 30 --headless --only-summary --rate 500 OpenLoop")


def test_an_open_loop_takes_all_of_its_options() -> None:
    given = ("--seed", "3", "--timeout", "2", "--keep-alive", "--save", "/result.json")
    text = words("master", "http://10.0.0.5/", "--workers", "2", "--rate", "5", *given)
    assert "--seed 3 --timeout 2 --keep-alive --save /result.json --headless" in text


def test_locusts_own_users_are_named_a_closed_loop() -> None:
    closed = ("--closed-loop", "40", "--duration", "5", "--web", "8089")
    text = words("master", "http://10.0.0.5:8000/", "--workers", "2", *closed)
    assert "--users 40" in text and "--autostart --web-host 127.0.0.1 --web-port 8089" in text
    assert text.endswith("--run-time 5s ClosedLoop")


def test_a_worker_needs_the_master_only() -> None:
    assert words("worker", "10.0.0.4").endswith(" --worker --master-host 10.0.0.4 --master-port 5557")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["https://10.0.0.5/", "--rate", "5", "--workers", "2"], "must begin with http://"),
        (["http://10.0.0.5/", "--closed-loop", "0", "--workers", "2"], "clients is 0"),
        (["http://10.0.0.5/", "--rate", "5", "--workers", "0"], "--workers is 0"),
        (
            ["http://10.0.0.5/", "--closed-loop", "4", "--workers", "2", "--keep-alive", "--save", "a.json"],
            "--keep-alive, --save: with --rate only",
        ),
    ],
)
def test_invalid_settings_are_reported_before_locust_begins(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asyncdemo.lab.distributed.__main__.find_spec", lambda _: object())
    monkeypatch.setattr("os.execv", lambda *_: 0)
    assert main(["master", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1
