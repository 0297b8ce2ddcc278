"""A contestant that misbehaves is reported with what it did, and nothing of it stays."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import psutil
import pytest

from asyncdemo.lab.harness import NotStarted, PortKept, Unavailable
from asyncdemo.lab.harness.rollcall import RollCall, look, look_with_psutil
from asyncdemo.lab.results.trial import TrialOutcome
from asyncdemo.packages import install_command
from asyncdemo.serving.ports import HOST, free_port
from tests.lab.contestants import get, hello, script, wait_until_gone
from tests.support.servers import eventually

pytestmark = pytest.mark.slow

# Its arguments: the port, and what a test tells it.
SERVE: Final = """
import http.server, os, signal, socket, sys, threading, time

class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *arguments):
        pass

def server():
    http.server.HTTPServer.request_queue_size = 64
    return http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Hello)
"""
LONG_S: Final = 8.0
"""Enough for a small script to listen, on a busy machine too."""
SHORT_S: Final = 3.0
"""For one that never does."""


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody else listens: this process."""
    with socket.create_server((HOST, 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize(
    ("text", "deadline_s", "outcome", "words"),
    [
        (
            "import sys\nprint('loading')\nsys.exit('no database')",
            LONG_S,
            TrialOutcome.DIED,
            "exit code 1 .*\n  loading\n  no database",
        ),
        (
            "import time\nprint('waiting', flush=True)\ntime.sleep(600)",
            SHORT_S,
            TrialOutcome.HUNG,
            "does not listen .*\n  waiting",
        ),
        (
            "import socket, sys\n"
            "server = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
            "kept = [server.accept() for _ in range(1000)]\n",
            LONG_S,
            TrialOutcome.HUNG,
            "0 of 2 workers answer",
        ),
        (SERVE + "server().serve_forever()", LONG_S, TrialOutcome.HUNG, "1 of 2 workers answer"),
    ],
)
def test_server_that_is_never_ready_is_ended_with_its_last_words(
    tmp_path: Path, text: str, deadline_s: float, outcome: TrialOutcome, words: str
) -> None:
    (tmp_path / "pid").touch()
    head = f"import os, pathlib\npathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
    with pytest.raises(NotStarted, match=words) as caught:
        replace(script(tmp_path, head + text), deadline_s=deadline_s).start({"workers": 2})
    assert caught.value.outcome is outcome
    assert wait_until_gone([int((tmp_path / "pid").read_text())]) == []


@pytest.mark.parametrize(
    ("who", "words"), [("server", "was ended by SIGKILL"), ("guard", "has lost the process that guards it")]
)
def test_server_that_ends_unexpectedly_is_dead_and_fully_ended(who: str, words: str) -> None:
    with hello("flask").start({}) as server:
        assert server.died() == ""
        (pid,) = server.pids()
        killed = pid if who == "server" else psutil.Process(pid).ppid()
        os.kill(killed, signal.SIGKILL)
        assert wait_until_gone([killed]) == []
        assert eventually(lambda: bool(server.died()))
        assert server.died() == words
    assert wait_until_gone([pid]) == []


def test_server_has_as_many_connections_as_the_system_allows(tmp_path: Path) -> None:
    text = SERVE + (
        "import resource\n"
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE), flush=True)\n"
        "server().serve_forever()\n"
    )
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limits[1], 512), limits[1]))
    try:
        with script(tmp_path, text).start({}) as server:
            soft, hard = map(int, server.log().split())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert soft == min(hard, 65536)


def test_last_lines_of_a_servers_output_are_shown(tmp_path: Path) -> None:
    text = SERVE + "for n in range(1000): print('line', n)\nserver().serve_forever()"
    with script(tmp_path, text).start({}) as server:
        lines = server.log().splitlines()
    assert lines[-1] == "line 999"
    assert len(lines) < 50


def test_a_program_that_is_not_there_was_not_started(tmp_path: Path) -> None:
    served = script(tmp_path, "")
    program = replace(served.program, command="no-such-program {port}")
    with pytest.raises(NotStarted, match="no-such-program: No such file") as caught:
        replace(served, program=program).start({})
    assert caught.value.outcome is TrialOutcome.NOT_STARTED


def test_missing_package_makes_a_contestant_unavailable() -> None:
    with pytest.raises(Unavailable, match="no-such-package is not installed: ") as unavailable:
        replace(hello("flask"), packages=("no-such-package",)).start({})
    assert str(unavailable.value).endswith(install_command("lab"))


def test_a_port_that_somebody_else_has_is_left_for_another(taken: int) -> None:
    ports = iter([taken, free_port()])
    served = replace(hello("flask"), free_port=lambda: next(ports))
    with served.start({}) as server:
        assert server.port != taken
        assert get(server.port) == "hello"


def test_the_answers_of_another_server_are_not_taken_for_its_own(taken: int, tmp_path: Path) -> None:
    served = script(tmp_path, "import time\ntime.sleep(600)")
    with pytest.raises(NotStarted, match=f"Another program listens on its port, {taken}"):
        replace(served, free_port=lambda: taken).start({})


@pytest.mark.skipif(sys.platform != "linux", reason="where the system shares a port among processes evenly")
def test_a_port_that_is_shared_with_another_server_is_noticed(tmp_path: Path) -> None:
    text = SERVE + (
        "class Shared(http.server.ThreadingHTTPServer):\n"
        "    allow_reuse_port = True\n"
        "    def server_bind(self):\n"
        "        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
        "        super().server_bind()\n"
        "Shared(('127.0.0.1', int(sys.argv[1])), Hello).serve_forever()\n"
    )
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(NotStarted, match="Another program listens on its port"):
            replace(script(tmp_path, text), free_port=lambda: port).start({})


def test_port_passed_to_another_process_is_reported(tmp_path: Path) -> None:
    """The listening socket is passed on to this process, which is none of the server's."""
    text = SERVE + (
        "serving = server()\n"
        "with socket.socket(socket.AF_UNIX) as friend:\n"
        "    friend.connect(sys.argv[2])\n"
        "    socket.send_fds(friend, [b'x'], [serving.fileno()])\n"
        "serving.serve_forever()\n"
    )
    received: list[int] = []
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.bind(str(tmp_path / "s"))
        waiting.listen()

        def receive() -> None:
            with waiting.accept()[0] as connection:
                received.extend(socket.recv_fds(connection, 1, 1)[1])

        thread = threading.Thread(target=receive)
        thread.start()
        server = script(tmp_path, text, str(tmp_path / "s")).start({})
        thread.join()
        try:
            with pytest.raises(PortKept, match=f"still holds its port, {server.port}") as caught, server:
                assert get(server.port) == "hello"
        finally:
            os.close(received[0])
    assert caught.value.outcome is TrialOutcome.PORT_KEPT


def test_processes_that_keep_the_port_are_reported_and_killed(tmp_path: Path) -> None:
    text = SERVE + (
        "serving = server()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    serving.serve_forever()\n"
        "time.sleep(600)\n"
    )
    server = script(tmp_path, text).start({})
    pids = server.pids()
    assert len(pids) == 2
    with pytest.raises(PortKept, match="1 of its processes still held its port"), server:
        pass
    assert wait_until_gone(pids) == []
    with pytest.raises(KeyError), script(tmp_path, text).start({}):
        raise KeyError  # which is not hidden by what the end says


def test_one_that_heeds_no_signal_is_killed(tmp_path: Path) -> None:
    text = SERVE + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nserver().serve_forever()"
    with script(tmp_path, text).start({}) as server:
        pids = server.pids()
    assert wait_until_gone(pids) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such a one is found by its environment")
def test_a_process_that_leaves_its_group_and_parent_is_ended_too(tmp_path: Path) -> None:
    text = SERVE + (
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        os.execve(sys.executable, [sys.executable, '-c', 'import time; time.sleep(600)'], {})\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "server().serve_forever()\n"
    )
    with script(tmp_path, text).start({}) as server:
        pids = server.pids()
        assert len(pids) == 2
    assert wait_until_gone(pids) == []


# Prints what is alive, stops one worker as the roll call does for a moment, and waits to be killed.
LAB: Final = """
import os, psutil, signal, sys, time
from tests.lab.contestants import hello
server = hello(sys.argv[1]).start({"workers": int(sys.argv[2])})
pids = server.pids()
os.kill(pids[-1], signal.SIGSTOP)
print(*pids, psutil.Process(pids[0]).ppid(), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize(("name", "workers"), [("flask", 1), ("hypercorn", 2), ("sanic", 2)])
def test_no_server_survives_a_lab_that_is_killed(name: str, workers: int) -> None:
    paths = os.pathsep.join([str(Path(__file__).resolve().parents[2]), *sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", LAB, name, str(workers)],
        env=os.environ | {"PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
    ) as lab:
        assert lab.stdout is not None
        pids = [int(pid) for pid in lab.stdout.readline().split()]
        assert len(pids) > workers
        lab.kill()
        assert wait_until_gone(pids) == []


def test_server_knobs_stay_with_it_and_others_reach_the_app() -> None:
    with hello("flask").start({"delay_ms": 20, "backlog": 7}) as server:
        assert get(server.port, "/knob") == "20"
        assert "--backlog 7" in server.command
        assert server.command.startswith("LAB_DELAY_MS=20 python serve_flask.py in_flask:app")


def test_settings_from_the_environment_are_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_DELAY_MS", "30")
    monkeypatch.setenv("FLASK_DEBUG", "1")
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    with hello("flask").start({}) as server:
        assert get(server.port, "/knob") == "none"


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_the_loop_is_a_knob(loop: str) -> None:
    with hello("sanic").start({"loop": loop}) as server:
        assert get(server.port, "/loop") == loop


def test_workers_are_distinguished_by_psutil_too() -> None:
    """As on systems without /proc."""
    with hello("hypercorn").start({"workers": 2}) as server:
        roll = RollCall(server.port, server.pids, seen=look_with_psutil)
        for _ in range(20):
            roll.ask(2 - len(roll.answered))
        assert len(roll.answered) == 2
        assert (
            look(server.port, server.pids).listeners == look_with_psutil(server.port, server.pids).listeners
        )
