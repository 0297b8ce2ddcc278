"""The stack for real: nginx, pgbouncer and PostgreSQL are in the path, and nothing survives who opened it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from asyncdemo.lab.experiments import ExperimentContext
from asyncdemo.lab.experiments import twenty_one_pairs as module
from asyncdemo.lab.harness import NotStarted, Started
from asyncdemo.lab.harness.machine import choose_pinning, find
from asyncdemo.lab.harness.protocol.description import Size
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.results.configuration import Configuration
from asyncdemo.lab.results.record import dump_record, parse_record
from asyncdemo.lab.results.setup import Extent
from asyncdemo.lab.results.trial import TrialOutcome
from asyncdemo.lab.stack.pairs import PAIRS, contestant, is_row
from asyncdemo.lab.stack.start import Stack, open_stack
from tests.lab.contestants import alive, wait_until_gone
from tests.lab.measuring import undisturbed
from tests.support.servers import eventually

pytestmark = pytest.mark.lab

SOURCE = str(Path(__file__).parents[2] / "src")
APPS = Path(__file__).parents[2] / "lessons" / "07-measurement" / "25-rig-it" / "apps"
whole = pytest.mark.skipif(
    not (find("nginx") and find("pgbouncer")), reason="needs nginx and pgbouncer: make services"
)
OPENS = """
import json, time
from asyncdemo.lab.stack.start import open_stack
with open_stack() as stack:
    print(json.dumps(stack.pids()), flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with open_stack() as opened:
        yield opened


@contextmanager
def serving(stack: Stack, name: str, configuration: Configuration) -> Iterator[Started]:
    made = contestant(stack, PAIRS[name], APPS)
    with made.served.start({**configuration.knobs, **made.knobs}) as started:
        yield started


def asked(port: int) -> tuple[str, bytes]:
    """The server that answers says who it is."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/row")
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        return answer.headers.get("server", ""), body
    finally:
        connection.close()


def all_at_once(port: int, clients: int) -> list[bytes]:
    """Each asks three times."""
    together = threading.Barrier(clients)

    def client(_: int) -> list[bytes]:
        together.wait()
        return [asked(port)[1] for _ in range(3)]

    with ThreadPoolExecutor(clients) as pool:
        return [body for bodies in pool.map(client, range(clients)) for body in bodies]


@whole
@pytest.mark.parametrize("name", PAIRS)
def test_each_pair_answers_through_all_of_the_stack(stack: Stack, name: str) -> None:
    """And one worker of an asynchronous one waits for several rows at a time, a sync one for one."""
    pair = PAIRS[name]
    with serving(stack, name, Configuration(2, 1, 8, 100, 12)) as started:
        server, body = asked(started.port)
        assert server == "nginx" and is_row(body)
        assert all(is_row(body) for body in all_at_once(started.port, 12))
        sessions = stack.sessions()
        assert sessions == 2 if pair.is_sync else 3 <= sessions <= 8


@whole
@pytest.mark.parametrize(("name", "workers"), [("flask-gunicorn", 6), ("starlette-uvicorn", 1)])
def test_pgbouncer_opens_no_more_sessions_than_it_is_let(stack: Stack, name: str, workers: int) -> None:
    with serving(stack, name, Configuration(workers, workers, 3, 50, 12)) as started:
        assert len(all_at_once(started.port, 12)) == 36
        assert stack.pooler is not None and stack.pooler.allowed() == 3
        assert stack.sessions() == 3
        assert stack.database.connected() == 3, "PostgreSQL counts the same"


@whole
def test_contestant_starts_without_the_last_ones_sessions(stack: Stack) -> None:
    configuration = Configuration(4, 1, 8, 20, 12)
    for _ in range(2):
        with serving(stack, "falcon-uwsgi", configuration) as started:
            assert stack.sessions() == 0
            all_at_once(started.port, 8)
            assert stack.sessions() == 4


@whole
def test_sessions_are_kept_from_request_to_request(stack: Stack) -> None:
    """One that is given back within a transaction would be closed, and each request make a new process."""
    begun = "SELECT sessions FROM pg_stat_database WHERE datname = current_database()"
    with serving(stack, "flask-gunicorn", Configuration(2, 1, 8, 5, 12)) as started:
        all_at_once(started.port, 4)
        before = stack.database.value(begun)
        all_at_once(started.port, 8)
        assert stack.database.value(begun) - before <= 1


@whole
@pytest.mark.parametrize("name", ["flask-gunicorn", "starlette-uvicorn"])
def test_a_server_is_kept_to_its_processors(stack: Stack, name: str) -> None:
    """Although its workers were started on all of them."""
    pinning = choose_pinning()
    if not pinning.client:
        pytest.skip("one processor, or a system that cannot pin")
    before = os.sched_getaffinity(0)
    with pinning.of_server(), serving(stack, name, Configuration(3, 2, 8, 5, 12)) as started:
        assert {cpu for pid in started.pids() for cpu in os.sched_getaffinity(pid)} == {*pinning.server}
        assert {cpu for pid in stack.pids() for cpu in os.sched_getaffinity(pid)} == before
    assert os.sched_getaffinity(0) == before


@whole
def test_its_processes_are_known_and_run_unprivileged(stack: Stack) -> None:
    names = {_name(pid) for pid in stack.pids()}
    assert {"nginx", "pgbouncer", "postgres"} <= names
    if os.geteuid() == 0:
        owners = {(_name(pid), Path(f"/proc/{pid}").stat().st_uid) for pid in stack.pids()}
        assert not [name for name, owner in owners if owner == 0 and name != "nginx"]
        assert [owner for name, owner in owners if name == "nginx" and owner], "its workers"


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()


@whole
def test_nothing_of_it_survives_who_opened_it() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", OPENS],
        env=os.environ | {"PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        pids = json.loads(process.stdout.readline())
        assert len(pids) >= 5 and alive(pids) == pids
        process.send_signal(signal.SIGKILL)
        assert wait_until_gone(pids) == []
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_without_nginx_and_pgbouncer_it_says_so_and_serves() -> None:
    with open_stack(installed=lambda _: None) as stack:
        assert stack.missing.keys() == {"nginx", "pgbouncer"}
        assert stack.port == stack.server_port and stack.pooler is None and stack.proxy is None
        with serving(stack, "flask-gunicorn", Configuration(2, 1, 1, 20, 4)) as started:
            server, body = asked(started.port)
            assert server != "nginx" and is_row(body)
            assert all(is_row(body) for body in all_at_once(started.port, 4))


@whole
def test_a_part_that_dies_is_named_and_no_contestant_is_started() -> None:
    with open_stack() as stack:
        assert stack.died() == "" and stack.pooler is not None
        for pid in stack.pooler.server.pids():
            os.kill(pid, signal.SIGKILL)
        wait_until_gone(stack.pooler.server.pids())
        assert eventually(lambda: bool(stack.died()))
        assert stack.died() == "pgbouncer was ended by SIGKILL"
        with pytest.raises(NotStarted, match="pgbouncer was ended by SIGKILL"):
            contestant(stack, PAIRS["flask-gunicorn"], APPS).served.start(Configuration(2, 1, 8, 5, 4).knobs)


def test_a_short_run_from_the_first_check_to_the_record(stack: Stack) -> None:
    experiment = module._experiment(stack, ExperimentContext(APPS))
    settings = ("better-sync", "mine-long", "mine-at-50")
    size = Size(1, 0.5, 0.2, 2, settings=settings, arms=("flask-gunicorn", "falcon-uwsgi"))
    experiment = replace(experiment, sizes={Extent.QUICK: size})
    record = run(experiment, Extent.QUICK, bench=undisturbed(), seed=1)
    assert parse_record(dump_record(record)) == record
    assert {trial.outcome for trial in record.trials} == {TrialOutcome.MEASURED}
    arms = ("flask-gunicorn", "falcon-uwsgi", "flask-gunicorn-again")
    assert {(trial.arm, trial.setting) for trial in record.trials} == {*product(arms, settings)}
    assert all(item.held for item in record.verifications) and record.verifications
    for trial in record.trials:
        assert 0 < trial.counted["db_sessions"] <= 19
        assert trial.load is not None and set(trial.load.statuses) == {"200"}
        assert (trial.offered_per_s is not None) == (trial.setting == "mine-at-50")
    (row,) = (row for row in record.comparisons if (row.arm, row.setting) == ("falcon-uwsgi", "better-sync"))
    assert row.published is not None and row.published.ratio == 1.43
    assert row.bound is not None and row.bound.ratio == 1
    assert row.measured is not None
