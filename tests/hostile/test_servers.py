"""Servers killed, starved, held up or flooded: what was recorded stays, and nothing is left running."""

from __future__ import annotations

import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from asyncdemo.analysis.metrics import measure
from asyncdemo.model import Outcome, Run, RunOutcome
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.services import Services
from asyncdemo.serving import RunContext, Session
from tests.hostile.traced import MARK, nothing_left
from tests.support.servers import KINDS, environ_of
from tests.unit.serving.staging import FLASK, SANIC, SLEEPS, plan, run_session, script

pytestmark = pytest.mark.slow

WORKERS = SANIC.replace("single_process=True", "workers=2")

slow = SLEEPS.replace("0.01", "0.05")


@pytest.fixture(autouse=True)
def leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test starts has the mark in its environment, and must be gone at its end."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    with nothing_left(mark):
        yield


def words(run: Run) -> str:
    return " ".join(run.notes)


def loaded(**more: object) -> RunContext:
    return RunContext(plan=plan(**more))  # type: ignore[arg-type]


def once(when: Callable[[Session], bool], does: Callable[[Session], None]) -> Callable[[Session], None]:
    """Between polls: done as soon as it may be."""
    left = [does]

    def poke(session: Session) -> None:
        if left and when(session):
            left.pop()(session)

    return poke


def answered(run: Run) -> int:
    return sum(request.status == 200 for request in run.requests)


# -- killed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("server", [FLASK, SANIC, WORKERS], ids=["flask", "sanic", "sanic with workers"])
def test_a_server_that_is_killed_in_mid_run(server: str, tmp_path: Path) -> None:
    """The main process is: its workers, if it has any, are left behind, and must not stay."""

    def kill_it(session: Session) -> None:
        assert session._recording is not None and session._recording._child is not None
        session._recording._child.process.kill()

    text = server.replace(SLEEPS, slow)
    poke = once(lambda session: answered(session.result()) > 60, kill_it)
    run = run_session(script(tmp_path, text), loaded(requests=5_000, clients=10), poke)
    assert (run.outcome, run.exit_code) == (RunOutcome.FAILED, -signal.SIGKILL)
    assert "The script was ended by signal SIGKILL" in words(run)
    assert "The server ended by itself, with exit code -9, after" in words(run)
    assert answered(run) > 60
    assert {request.error for request in run.requests if request.status is None} <= {
        "reset",
        "refused",
        "closed",
        "interrupted",
    }
    returned = sum(lane.outcome is Outcome.RETURNED for lane in run.lanes)
    assert returned > 30, "all but what was not yet on its way from the server"


# -- a service that stops between two calls ------------------------------------------------------------

CALLS = {
    "s3": """
import boto3

client = boto3.client("s3", config=__import__("botocore.config").config.Config(retries={"max_attempts": 0}))
def call():
    client.put_object(Bucket="asyncdemo", Key="tea", Body=b"green")
""",
    "redis": """
import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"], retry=None)
def call():
    client.set("tea", "green")
""",
    "postgres": """
import psycopg

client = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
def call():
    client.execute("insert into review values (1, 5)")
""",
}
TWICE = """
import os, pathlib, time
{}
call()
pathlib.Path("{called}").touch()
while not pathlib.Path("{gone}").exists():
    time.sleep(0.01)
call()
"""
OWN_WORDS = {"s3": "EndpointConnectionError", "redis": "redis.exceptions.", "postgres": "psycopg."}


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_a_service_that_stops_between_two_calls(name: str, kind: str, tmp_path: Path) -> None:
    called, gone = tmp_path / "called", tmp_path / "gone"
    text = TWICE.replace("{}", CALLS[name]).replace("{called}", str(called)).replace("{gone}", str(gone))
    output = OutputBuffer()
    with Services([name], environ_of(name, kind)) as services:

        def stop_it(_: Session) -> None:
            services.kill(name)
            deadline_s = time.monotonic() + 30
            while services.died() is None:
                assert time.monotonic() < deadline_s
                time.sleep(0.01)
            gone.touch()

        poke = once(lambda _: called.exists(), stop_it)
        run = run_session(script(tmp_path, text), RunContext(services), poke, output, lanes=("call",))
        death = services.died()
    assert run.outcome is RunOutcome.FAILED
    assert death is not None and "has died: its server was ended by SIGKILL" in death
    assert death in run.notes
    assert OWN_WORDS[name] in output.stderr, "what the client library says of it"
    assert [lane.outcome for lane in run.lanes] == [Outcome.RETURNED, Outcome.RAISED]


# -- slow clients ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("server", [FLASK, SANIC], ids=["flask", "sanic"])
def test_a_client_that_sends_byte_by_byte_holds_up_nobody_else(server: str, tmp_path: Path) -> None:
    head = b"POST /upload HTTP/1.1\r\nHost: tea\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntea"
    got: list[bytes] = []

    def dribble(port: int) -> None:
        with socket.create_connection(("127.0.0.1", port)) as client:
            for byte in head:
                client.sendall(bytes([byte]))
                time.sleep(0.005)
            while more := client.recv(10_000):
                got.append(more)

    threads: list[threading.Thread] = []

    def come(session: Session) -> None:
        threads.append(threading.Thread(target=dribble, args=(session._port,)))
        threads[0].start()

    poke = once(lambda session: bool(session.result().requests), come)
    run = run_session(script(tmp_path, server), loaded(requests=600, clients=5), poke)
    threads[0].join()
    assert (run.outcome, run.notes) == (RunOutcome.OK, ())
    assert answered(run) == len(run.requests) == 600
    assert b"".join(got).startswith(b"HTTP/1.1 200 OK"), "it was answered, too"
    assert len(run.lanes) == 601, "its handler is a lane, but it is no request of the load"


# -- ten thousand at the same time ---------------------------------------------------------------------


def test_ten_thousand_requests_at_once_are_all_there(tmp_path: Path) -> None:
    text = (
        SANIC.replace('app = Sanic("tea")', 'app = Sanic("tea")\ngate = asyncio.Semaphore(100)')
        .replace("    await asyncio", "    async with gate:\n        await asyncio")
        .replace("access_log=False", "access_log=False, backlog=4096")
    )
    run = run_session(script(tmp_path, text), loaded(requests=10_000, clients=10_000, timeout_s=50.0))
    assert (run.outcome, run.notes) == (RunOutcome.OK, ())
    assert answered(run) == len(run.requests) == len(run.lanes) == 10_000
    metrics = measure(run)
    assert metrics.peak == 100 and metrics.open > 100
    assert len({request.name for request in run.requests}) == 10_000
    assert all(request.handled_ns is not None for request in run.requests)
