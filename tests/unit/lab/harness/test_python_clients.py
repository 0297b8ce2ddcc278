"""aiohttp and httpx as engines: the same plan, and a result that a trial can keep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab import harness
from asyncdemo.lab.harness.engines import ClientEngine, Engine, Measured, found_python_clients
from asyncdemo.lab.harness.served_app import served_script
from asyncdemo.load import Plan, Send

NULL = served_script("null", Path(harness.__file__).with_name("null_server.py"))
PLAN = Plan("127.0.0.1", 1, (Send("GET", "/"),), clients=3, requests=60, timeout_s=20, keep_alive=True)


@contextmanager
def null_server() -> Iterator[int]:
    with NULL.start({}) as started:
        yield started.port


def sent(engine: Engine, plan: Plan) -> Measured:
    with engine.prepared(plan) as sending:
        (pid,) = sending.pids
        assert pid > 0
        sending.go()
        while not sending.finished(0.2):
            pass
        return sending.measured()


clients = pytest.mark.parametrize("client", found_python_clients(), ids=lambda client: client.name)


@pytest.mark.slow
@clients
def test_a_closed_loop_an_open_loop_and_nobody_who_answers(client: Engine) -> None:
    opened = replace(PLAN, clients=None, requests=None, rate=40.0, duration_s=0.5)
    with null_server() as port:
        measured = sent(client, replace(PLAN, port=port))
        closing = sent(client, replace(PLAN, port=port, keep_alive=False, clients=1, requests=5)).load
        at_a_rate = sent(client, replace(opened, port=port)).load
    load = measured.load
    assert (load.requests, load.answered, load.statuses, load.errors) == (60, 60, {"200": 60}, {})
    assert load.open_at_once == 3 and load.engine == client.name
    assert load.client_cpu_s and load.latency_ms["0"] <= load.latency_ms["mean"] <= load.latency_ms["100"]
    assert measured.histograms is not None and measured.histograms.latency and measured.p99_ms
    assert closing.answered == 5 and closing.open_at_once == 1
    assert (at_a_rate.requests, at_a_rate.answered) == (20, 20) and at_a_rate.window_s > 0.49
    assert at_a_rate.lag_p99_ms is not None
    alone = sent(client, replace(PLAN, port=port, requests=4)).load
    assert (alone.requests, alone.answered, alone.errors) == (4, 0, {"client": 4})
    assert "Connect" in alone.first_errors["client"]


@pytest.mark.slow
def test_one_that_cannot_start_says_why() -> None:
    gone = ClientEngine("urllib9", ("asyncdemo.lab.harness.python_client", "urllib9"))
    with pytest.raises(AsyncdemoError, match=r"ended with exit code 1 .* No module named 'urllib9'"):
        sent(gone, PLAN)


@pytest.mark.slow
@clients
def test_one_that_is_let_go_of_leaves_nothing(client: Engine) -> None:
    import psutil

    with null_server() as port:
        endless = replace(PLAN, port=port, requests=None, duration_s=600.0)
        with client.prepared(endless) as sending:
            sending.go()
            assert not sending.finished(0.1)
            (pid,) = sending.pids
    assert not psutil.pid_exists(pid)
