"""A server and its load as one run: with Flask and Sanic, and however either of them ends."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from asyncdemo.load import Send
from asyncdemo.model import Outcome, Run, RunOutcome
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Target
from asyncdemo.serving import RunContext, Session, readiness
from asyncdemo.serving import session as sessions
from asyncdemo.serving.ports import free_port
from tests.hostile.traced import is_alive, until
from tests.unit.serving.staging import FLASK, SANIC, SLEEPS, options, plan, run_session, script

DEAF = FLASK.replace(
    "    app.run(", "    import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n    app.run("
)
both = pytest.mark.parametrize("server", [FLASK, SANIC], ids=["flask", "sanic"])


def loaded(**more: object) -> RunContext:
    return RunContext(plan=plan(**more))  # type: ignore[arg-type]


def words(run: Run) -> str:
    return " ".join(run.notes)


# -- a run as it should be ---------------------------------------------------------------------------


@both
def test_run_of_a_server_has_its_requests_handlers_and_all_knobs(tmp_path: Path, server: str) -> None:
    context = RunContext(plan=plan(requests=40, clients=20), knobs={"CLIENTS": 20})
    run = run_session(script(tmp_path, server), context, knobs={"SLEEPS_S": "0.02"})
    assert (run.outcome, run.exit_code, run.notes) == (RunOutcome.OK, 0, ())
    assert (run.knobs["CLIENTS"], run.knobs["SLEEPS_S"]) == (20, 0.02)
    assert len(run.requests) == len(run.lanes) == 40
    assert {request.status for request in run.requests} == {200}
    assert {request.outcome for request in run.requests} == {Outcome.RETURNED}
    assert [request.name for request in run.requests] == [f"POST /upload {n}" for n in range(1, 41)]
    assert {lane.function for lane in run.lanes} == {"upload"}
    assert run.rows == run.requests
    for request in run.requests:
        spans = list(request.spans)
        assert spans[0].start_ns == request.start_ns and spans[-1].end_ns == request.end_ns
        assert request.accepted_ns is not None and request.handled_ns is not None
        assert request.start_ns <= request.accepted_ns <= request.handled_ns <= request.end_ns


def test_answers_come_in_the_order_of_the_requests(tmp_path: Path) -> None:
    sends = tuple(Send("POST", "/upload", (), b"x" * size) for size in (1, 2, 3))
    context = loaded(requests=9, clients=3, sends=sends, keep_answers=100)
    with closing(Session(Target(str(script(tmp_path, FLASK))), options(), context)) as session:
        session.start()
        session.go()
        while session.poll(0.02):
            pass
        assert len(session.answers) == len(session.result().requests) == 9
        for place, answer in enumerate(session.answers):
            assert answer[:4] == ("POST", "/upload", 200, "application/json")
            assert f'"bytes":{place % 3 + 1}' in answer.body.decode().replace(" ", "")


@pytest.mark.slow
def test_the_time_limit_of_a_server_begins_when_it_is_ready(tmp_path: Path) -> None:
    slow = FLASK.replace("import os,", "import time; time.sleep(2)\nimport os,")
    context = loaded(requests=2, clients=1)
    run = run_session(script(tmp_path, slow.replace(SLEEPS, "SLEEPS_S = 3.5")), context, timeout_s=8.0)
    assert run.outcome is RunOutcome.OK, run.notes


@pytest.mark.slow
def test_server_that_keeps_a_silent_connection_is_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "_PATIENCE_S", 60.0)
    text = """
        import asyncio, os
        from hypercorn.asyncio import serve
        from hypercorn.config import Config
        from quart import Quart

        Config.keep_alive_timeout = 60
        app = Quart("tea")

        @app.before_request
        async def upload():
            return {"ok": True}

        config = Config.from_mapping(bind=[f"127.0.0.1:{os.environ['PORT']}"], graceful_timeout=1)
        asyncio.run(serve(app, config))
    """
    seen = run_session(script(tmp_path, text))
    assert seen.outcome is RunOutcome.OK, seen.notes
    assert {request.status for request in seen.requests} == {200}
    assert len(seen.lanes) == 10, "nothing but the requests came to the program"


# -- servers that do not come to it -----------------------------------------------------------------


def test_a_server_that_fails_at_once_says_why(tmp_path: Path) -> None:
    output = OutputBuffer()
    text = FLASK.replace('app = Flask("tea")', 'raise LookupError("no tea here")')
    run = run_session(script(tmp_path, text), output=output)
    assert (run.outcome, run.exit_code) == (RunOutcome.FAILED, 1)
    assert "ended by itself, with exit code 1, before it accepted connections" in words(run)
    assert "LookupError: no tea here" in words(run)
    assert "Traceback" in output.stderr
    assert not run.requests


NEVER_LISTENS = "import time\ndef upload(): pass\ntime.sleep(60)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def upload(): pass\nprint('done')", "with exit code 0, before it accepted connections"),
        ("def upload(:\n    pass", "has a syntax error"),
        (NEVER_LISTENS, "accepted no connections on port"),
    ],
    ids=["no server", "no Python", "never listens"],
)
def test_script_that_is_no_server_is_reported(
    text: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_READY_S", 3.0)
    run = run_session(script(tmp_path, text))
    assert run.outcome is RunOutcome.FAILED
    assert expected in run.notes[0]


def test_server_that_is_not_ready_in_time_is_ended(tmp_path: Path) -> None:
    run = run_session(script(tmp_path, NEVER_LISTENS), timeout_s=1.0)
    assert run.outcome is RunOutcome.TIMEOUT
    assert "time limit of 1 s" in words(run) and "ended by itself" not in words(run)


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="who listens cannot be known")
def test_server_on_another_port_gets_a_hint_about_port(tmp_path: Path) -> None:
    run = run_session(script(tmp_path, FLASK.replace("port=PORT", "port=0")))
    assert run.outcome is RunOutcome.FAILED
    assert "not on the port in the environment variable PORT" in words(run)


@pytest.mark.parametrize(
    ("does", "code"),
    [
        ("os._exit(3) if request.data else None", 3),
        # it drops its connections before it is gone
        ("os.closerange(3, 64), time.sleep(0.2), os._exit(4)", 4),
    ],
)
def test_server_that_ends_before_all_is_answered_has_failed(tmp_path: Path, does: str, code: int) -> None:
    run = run_session(script(tmp_path, FLASK.replace("time.sleep(SLEEPS_S)", does)))
    assert (run.outcome, run.exit_code) == (RunOutcome.FAILED, code)
    assert f"ended by itself, with exit code {code}, after 0 of" in words(run)


@pytest.mark.slow
def test_a_server_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_GRACE_S", 1.0)
    run = run_session(script(tmp_path, DEAF))
    assert run.outcome is RunOutcome.FAILED
    assert "was still running 1 s after it was asked to end" in words(run)
    assert {request.status for request in run.requests} == {200}


@pytest.mark.slow
@pytest.mark.parametrize("code", [3, 130])
def test_a_server_may_end_with_what_an_interrupt_gives(tmp_path: Path, code: int) -> None:
    text = FLASK + f"    sys.exit({code})\n"
    assert run_session(script(tmp_path, text)).outcome is RunOutcome.OK


@pytest.mark.slow
def test_server_that_ignores_ctrl_c_can_still_be_ended(tmp_path: Path) -> None:
    """As a shell does that for what it starts in the background, and with it for all that this starts."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run = run_session(script(tmp_path, FLASK))
    finally:
        signal.signal(signal.SIGINT, before)
    assert (run.outcome, run.notes) == (RunOutcome.OK, ())


def test_server_that_ends_badly_after_all_answers_has_failed(tmp_path: Path) -> None:
    text = FLASK + "    raise OSError('the pool was closed already')\n"
    run = run_session(script(tmp_path, text))
    assert (run.outcome, run.exit_code) == (RunOutcome.FAILED, 1)
    assert "with exit code 1" in words(run) and "the pool was closed already" in words(run)
    assert {request.status for request in run.requests} == {200}


def test_the_interrupt_that_we_ask_for_is_no_failure(tmp_path: Path) -> None:
    """asyncio.run raises KeyboardInterrupt, so Python ends by SIGINT itself."""
    text = """
        import asyncio, os

        async def upload(reader, writer):
            if await reader.readline():
                writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok")
            writer.close()

        async def main():
            server = await asyncio.start_server(upload, "127.0.0.1", int(os.environ["PORT"]))
            async with server:
                await server.serve_forever()

        asyncio.run(main())
    """
    run = run_session(script(tmp_path, text))
    assert (run.outcome, run.exit_code) == (RunOutcome.OK, -signal.SIGINT)
    assert {request.status for request in run.requests} == {200}


def test_a_server_at_its_time_limit_says_who_is_stuck(tmp_path: Path) -> None:
    text = SANIC.replace("asyncio.sleep(SLEEPS_S)", "asyncio.Event().wait()")
    run = run_session(script(tmp_path, text), loaded(requests=3, clients=3), timeout_s=2.0)
    assert run.outcome is RunOutcome.TIMEOUT
    assert "time limit of 2 s" in words(run)
    assert {stuck.function for stuck in run.stuck} >= {"connection_task"}
    assert any("Event().wait()" in stuck.source for stuck in run.stuck)
    assert {request.error for request in run.requests} == {"interrupted"}


# -- the port ------------------------------------------------------------------------------------------


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody else listens, and answers nobody."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_a_port_that_somebody_else_got_is_replaced_by_another(
    tmp_path: Path, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = iter([taken])
    monkeypatch.setattr(sessions, "free_port", lambda: next(ports, None) or free_port())
    run = run_session(script(tmp_path, FLASK))
    assert (run.outcome, run.notes) == (RunOutcome.OK, ())
    assert len(run.requests) == 10


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="who listens cannot be known")
@pytest.mark.parametrize("text", [FLASK, NEVER_LISTENS], ids=["a server", "never listens"])
def test_retaken_port_is_reported_and_its_owner_gets_no_load(
    text: str, tmp_path: Path, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "free_port", lambda: taken)
    run = run_session(script(tmp_path, text))
    assert run.outcome is RunOutcome.FAILED
    assert f"Another program took port {taken}" in words(run)
    assert not run.requests


# -- Ctrl-C ----------------------------------------------------------------------------------------------


def interrupted_when(when: Callable[[Session], bool], times: int = 1) -> Callable[[Session], None]:
    left = times

    def poke(session: Session) -> None:
        nonlocal left
        if left and when(session):
            left -= 1
            session.interrupt()

    return poke


@pytest.mark.slow
@both
def test_ctrl_c_under_load_keeps_what_was_recorded(tmp_path: Path, server: str) -> None:
    poke = interrupted_when(lambda session: len(session.result().requests) > 20)
    run = run_session(script(tmp_path, server), loaded(requests=100_000, clients=5), poke)
    assert run.outcome is RunOutcome.INTERRUPTED
    assert 20 < len(run.requests) < 100_000
    assert {r.error for r in run.requests if r.status is None} <= {"interrupted"}
    assert sum(request.status == 200 for request in run.requests) > 10


@pytest.mark.slow
@pytest.mark.parametrize("polls", [0, 1, 5, 20, 40, 80])
@both
def test_ctrl_c_at_any_point_ends_it(tmp_path: Path, server: str, polls: int) -> None:
    count = iter(range(10_000))
    poke = interrupted_when(lambda _: next(count) == polls)
    run = run_session(script(tmp_path, server), loaded(requests=100_000), poke)
    assert run.outcome is RunOutcome.INTERRUPTED
    assert "ended by itself" not in words(run)


def test_ctrl_c_while_workers_are_awaited_ends_it(tmp_path: Path) -> None:
    poke = interrupted_when(lambda session: session._workers is not None)
    run = run_session(script(tmp_path, SANIC), RunContext(plan=plan(), workers=3), poke)
    assert run.outcome is RunOutcome.INTERRUPTED and not run.requests


def test_server_that_ends_while_workers_are_awaited_has_failed(tmp_path: Path) -> None:
    timer = "    import threading; threading.Timer(2, os._exit, [5]).start()\n"
    run = run_session(
        script(tmp_path, FLASK.replace("    app.run(", timer + "    app.run(")),
        RunContext(plan=plan(), workers=3),
    )
    assert (run.outcome, run.exit_code) == (RunOutcome.FAILED, 5)
    assert "with exit code 5, before it accepted connections" in words(run)


def test_ctrl_c_before_it_begins_ends_it(tmp_path: Path) -> None:
    with closing(Session(Target(str(script(tmp_path, FLASK))), options(), loaded())) as session:
        session.start()
        session.interrupt()
        assert until(lambda: not session.poll(0.05))
        assert session.result().outcome is RunOutcome.INTERRUPTED


@pytest.mark.slow
def test_a_second_ctrl_c_does_not_wait(tmp_path: Path) -> None:
    begun = time.monotonic()
    poke = interrupted_when(lambda session: bool(session.result().requests), times=3)
    run = run_session(script(tmp_path, DEAF), loaded(requests=100_000), poke)
    assert run.outcome is RunOutcome.INTERRUPTED
    assert time.monotonic() - begun < 30


@pytest.mark.slow
def test_nothing_is_left_of_a_session_that_is_closed_in_mid_run(tmp_path: Path) -> None:
    session = Session(Target(str(script(tmp_path, SANIC))), options(), loaded(requests=100_000))
    session.start()
    session.go()
    assert until(lambda: session.poll(0.02) and bool(session.result().requests))
    assert session._recording is not None and session._traffic is not None
    pids = {*session._recording.pids(), session._traffic.client._process.pid}
    session.close()
    session.close()
    assert until(lambda: not any(map(is_alive, pids)))
