"""The client's process: heard while it runs, interrupted, ended, killed, orphaned; nothing stays behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from asyncdemo.errors import EXIT_FAILED, EXIT_MISSING, EXIT_USAGE, MissingError
from asyncdemo.load import Answered, Client, Result, Send, Sent
from asyncdemo.load import needed as needed_packages
from asyncdemo.load.command import run_command
from asyncdemo.packages import install_command
from tests.lab.contestants import alive, wait_until_gone
from tests.unit.load.running import PATIENCE_S, listen, plan_for
from tests.unit.load.serving import HELLO, Server, Visit, answering, served, unused_port

SOURCE = Path(__file__).parents[3] / "src"


@contextmanager
def silent_after(answers: int) -> Iterator[Server]:
    """A server that answers the first requests, and none of the others."""
    left = threading.Semaphore(answers)

    def handle(visit: Visit) -> None:
        while visit.request() is not None:
            if left.acquire(blocking=False):
                visit.say(HELLO)

    with served(handle) as server:
        yield server


def hear(client: Client, kind: type[Sent] | type[Answered], count: int) -> None:
    """Until that many such events have come."""
    heard = 0
    while heard < count:
        assert not client.finished, client.failure
        heard += sum(isinstance(event, kind) for event in client.read(PATIENCE_S))


def test_events_arrive_during_the_run_and_select_can_await_them() -> None:
    with silent_after(5) as server, Client(plan_for(server.port, requests=50, report=True)) as client:
        answered = 0
        while answered < 5:
            assert select.select([client], [], [], PATIENCE_S)[0] == [client]
            answered += sum(isinstance(event, Answered) for event in client.read())
        assert not client.finished and client.result is None


def test_single_requests_are_reported_only_on_request() -> None:
    with answering() as server, Client(plan_for(server.port, requests=3)) as client:
        assert listen(client) == []
        assert client.result is not None and client.result.answered == 3


def test_an_interrupted_load_lets_go_and_reports_what_there_is() -> None:
    with (
        silent_after(5) as server,
        Client(plan_for(server.port, requests=50, clients=4, report=True)) as client,
    ):
        hear(client, Answered, 5)
        client.interrupt()
        rest = listen(client)
        result = client.result
    assert result is not None
    assert (result.answered, result.errors, result.interrupted) == (5, {"interrupted": 4}, True)
    errors = [event.error for event in rest if isinstance(event, Answered)]
    assert errors == ["interrupted"] * 4


def test_a_client_that_is_held_sends_nothing_before_it_may() -> None:
    with answering() as server, Client(plan_for(server.port, requests=3), hold=True) as client:
        assert client.read(0.5) == []
        assert (client.finished, server.connections) == (False, 0)
        client.go()
        listen(client)
        assert client.result is not None and client.result.answered == 3


def test_a_client_that_is_held_can_be_interrupted() -> None:
    with answering() as server, Client(plan_for(server.port, requests=3), hold=True) as client:
        client.interrupt()
        client.go()
        listen(client)
        assert client.result is not None, client.failure
        assert (client.result.requests, client.result.interrupted, server.connections) == (0, True, 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts_too(number: signal.Signals) -> None:
    with silent_after(5) as server, Client(plan_for(server.port, requests=50, report=True)) as client:
        hear(client, Answered, 5)
        os.kill(client.pid, number)
        listen(client)
        assert client.result is not None, client.failure
        assert (client.result.answered, client.result.interrupted) == (5, True)


def test_a_client_that_is_killed_says_how_it_ended() -> None:
    with silent_after(1) as server, Client(plan_for(server.port, requests=2, report=True)) as client:
        hear(client, Answered, 1)
        os.kill(client.pid, signal.SIGKILL)
        listen(client)
        assert client.result is None
        assert client.failure == "the load client ended with signal 9 and no result"


def test_closing_ends_the_process_also_twice() -> None:
    with silent_after(1) as server:
        client = Client(plan_for(server.port, requests=2, report=True))
        hear(client, Answered, 1)
        pid = client.pid
        client.close()
        client.close()
        client.interrupt()
        assert client.finished and client.failure is not None
        assert client.read() == []
    assert not alive([pid])


@pytest.mark.parametrize("words", ["I am here too", "null"])
def test_what_is_not_the_clients_own_word_is_shown(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"print({words!r}, flush=True)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Client(plan_for(80), hold=True) as client:
        listen(client)
        assert client.failure == f"the load client sent an unexpected message: {words}"


def test_unknown_host_or_impossible_request_is_a_one_line_error() -> None:
    for plan, words in (
        (plan_for(80, sends=(Send("GET", "no slash"),)), "must begin with /"),
        (plan_for(80, requests=10**7, clients=10**7), "ulimit -Hn"),
    ):
        with Client(plan) as client:
            listen(client)
            assert client.result is None
            assert client.failure is not None and words in client.failure
            assert "\n" not in client.failure


def test_a_reader_who_does_not_read_does_not_hold_up_the_load() -> None:
    """The events fill the pipe many times; the load is still over before the first is read."""
    with (
        answering() as server,
        Client(plan_for(server.port, requests=3000, clients=8, report=True)) as client,
    ):
        deadline = time.monotonic() + PATIENCE_S
        while len(server.requests) < 3000:
            assert time.monotonic() < deadline, "the load stands still"
            time.sleep(0.02)
        events = listen(client)
        assert client.result is not None and client.result.answered == 3000
    assert sum(isinstance(event, Answered) for event in events) == 3000


@pytest.mark.parametrize("is_held", [False, True])
def test_it_ends_when_its_parent_is_gone(is_held: bool, tmp_path: Path) -> None:
    """Another child of the dead has inherited the pipe, so nobody is notified of its end."""
    parent = tmp_path / "parent.py"
    parent.write_text(
        "import os, subprocess, sys, time\n"
        "from asyncdemo.load import Client, Plan, Send\n"
        "plan = Plan('127.0.0.1', int(sys.argv[1]), (Send('GET', '/'),), requests=9, clients=1)\n"
        "client = Client(plan, hold=sys.argv[2] == 'True')\n"
        "os.set_inheritable(client._process.stdin.fileno(), True)\n"
        "other = subprocess.Popen(['sleep', '60'], close_fds=False, stdout=subprocess.DEVNULL).pid\n"
        "print(client._process.pid, other, flush=True)\n"
        "time.sleep(60)\n"
    )
    with silent_after(0) as server:
        command = [sys.executable, str(parent), str(server.port), str(is_held)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
            assert process.stdout is not None
            pid, other = map(int, process.stdout.readline().split())
            try:
                assert alive([pid])
                process.kill()
                process.wait()
                assert wait_until_gone([pid]) == []
            finally:
                os.kill(other, signal.SIGKILL)


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}


def run_module(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "asyncdemo.load", *arguments]
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE_S, check=False
    )


def test_a_plan_may_come_from_a_pipe_that_then_ends() -> None:
    with answering() as server:
        done = run_module(stdin=plan_for(server.port, requests=3, report=True).to_json())
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert Result.from_json(messages[-1]["result"]).answered == 3
    assert sum(len(message.get("events", ())) for message in messages) == 9
    assert done.returncode == 0 and done.stderr == ""


def test_what_is_no_plan_is_a_failure_in_words() -> None:
    done = run_module(stdin="hello\n")
    assert "this is not a plan" in json.loads(done.stdout)["failure"]
    assert done.returncode == EXIT_USAGE and done.stderr == ""


def test_missing_package_is_named_with_the_installing_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(needed_packages, "find_spec", lambda name: None if name == "httptools" else object())
    with pytest.raises(MissingError) as missing:
        Client(plan_for(80))
    assert missing.value.exit_code == EXIT_MISSING
    assert "the load client needs httptools. To install" in str(missing.value)
    assert install_command("course") in str(missing.value)
    assert "\n" not in str(missing.value)


def test_a_learners_own_module_of_a_standard_name_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('wrong one')")
    monkeypatch.chdir(tmp_path)
    with answering() as server, Client(plan_for(server.port)) as client:
        listen(client)
        assert client.result is not None, client.failure


# --- the command for people ---------------------------------------------------------------------------


def test_the_command_says_it_in_a_few_lines() -> None:
    with answering() as server:
        done = run_module(
            f"http://127.0.0.1:{server.port}/films/?page=2", "-n", "20", "-c", "4", "-H", "X-A: b"
        )
    assert done.returncode == 0, done.stderr
    assert "requests   20, answered 20 (20 × 200)" in done.stdout
    assert "at most 4 at the same time" in done.stdout
    assert "p99 " in done.stdout
    assert [b"\r\nX-A: b\r\n" in request for request in server.requests] == [True] * 20
    assert {request.split()[1] for request in server.requests} == {b"/films/?page=2"}


def test_command_posts_a_file_in_an_open_loop_and_prints_json(tmp_path: Path) -> None:
    body = tmp_path / "body.bin"
    body.write_bytes(b"\x00\xff12")
    with answering() as server:
        url = f"http://localhost:{server.port}"
        options = ["--rate", "200", "--poisson", "-n", "10", "-X", "POST", "--data", f"@{body}", "--json"]
        done = run_module(url, *options)
    result = Result.from_json(json.loads(done.stdout))
    assert (result.answered, result.late_ns.count) == (10, 10)
    assert all(
        request.startswith(b"POST / ") and request.endswith(b"\x00\xff12") for request in server.requests
    )


def test_the_command_fails_if_requests_fail_and_says_how() -> None:
    done = run_module(f"http://127.0.0.1:{unused_port()}/", "-n", "3")
    assert done.returncode == 1
    assert "failed     3 × refused" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["https://127.0.0.1/"], EXIT_USAGE, "must begin with http://"),
        (["http://127.0.0.1:99999/"], EXIT_USAGE, "is not a URL"),
        (["http://127.0.0.1/", "-c", "0"], EXIT_USAGE, "clients is 0"),
        (["http://127.0.0.1/", "-H", "nothing"], EXIT_USAGE, "has no colon"),
        (["http://127.0.0.1/", "--data", "@/no/such/file"], EXIT_USAGE, "cannot be read"),
        (["http://no-such-host.invalid/"], EXIT_FAILED, "is not known"),
    ],
)
def test_wrong_use_of_the_command_is_a_line(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(arguments) == code
    text = capsys.readouterr().err
    assert words in text and len(text.splitlines()) == 1


def test_ctrl_c_shows_what_there_is() -> None:
    with silent_after(5) as server:
        command = [sys.executable, "-m", "asyncdemo.load", f"http://127.0.0.1:{server.port}/", "-c", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
            deadline = time.monotonic() + PATIENCE_S
            while server.connections < 6 and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "answered 5" in said
    assert "failed     1 × interrupted" in said
    assert "these are the results so far" in said
