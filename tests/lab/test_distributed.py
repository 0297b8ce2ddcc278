"""A master and three workers as real processes, against a real server; what is left when one is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest

import asyncdemo
from asyncdemo.lab.distributed.shares import count_p, gaps_p
from asyncdemo.load import Plan, Send
from asyncdemo.load.arrivals import arrivals_ns
from asyncdemo.serving.ports import free_port
from tests.lab.contestants import wait_until_gone
from tests.support.servers import eventually

pytestmark = pytest.mark.lab

RATE, DURATION_S, WORKERS, SEED = 240, 6, 3, 11
LEVEL = 0.001
"""What is meant is that of the seed. What is sent comes a little later: by far less than the gap of 4 ms."""
PATIENCE_S = 90.0


class Server(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def __init__(self) -> None:
        self.asked = 0
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.asked += 1
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@dataclass
class Party:
    """A master and its workers. folder: of what they write."""

    folder: Path
    server: Server
    port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, *of_master: str, workers: int = WORKERS) -> None:
        url = f"http://127.0.0.1:{self.server.server_port}/"
        self._start("master", "master", url, "--workers", str(workers), *of_master)
        for number in range(workers):
            self._start(f"worker {number}", "worker")

    def _start(self, name: str, *arguments: str) -> None:
        with open(self.folder / f"{name}.txt", "wb") as output:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-P", "-m", "asyncdemo.lab.distributed", *arguments, f"--port={self.port}"],
                env=os.environ | {"PYTHONPATH": str(Path(asyncdemo.__file__).parents[1])},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def said(self, name: str = "master") -> str:
        return (self.folder / f"{name}.txt").read_text(encoding="utf-8")

    def ended(self, name: str = "master") -> int:
        return self.processes[name].wait(PATIENCE_S)

    def pids(self) -> list[int]:
        """Of all of them that run, and of the load clients."""
        found = []
        for process in self.processes.values():
            with contextlib.suppress(psutil.NoSuchProcess):
                parent = psutil.Process(process.pid)
                found += [parent.pid, *(child.pid for child in parent.children(recursive=True))]
        return found

    def until(self, what: Callable[[], bool]) -> None:
        assert eventually(what, PATIENCE_S), self.said()

    def close(self) -> None:
        pids = self.pids()
        for process in self.processes.values():
            process.kill()
            process.wait()
        for pid in wait_until_gone(pids):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def party(tmp_path: Path, server: Server) -> Iterator[Party]:
    made = Party(tmp_path, server)
    yield made
    made.close()


def test_workers_send_poisson_at_the_given_rate_and_end_alone(
    party: Party,
) -> None:
    file, asked = party.folder / "result.json", party.server.asked
    party.start(f"--rate={RATE}", f"--duration={DURATION_S}", f"--seed={SEED}", f"--save={file}")
    party.until(lambda: party.server.asked > asked)
    pids = party.pids()
    assert [party.ended(name) for name in party.processes] == [0] * (1 + WORKERS)
    assert wait_until_gone(pids) == []

    saved = json.loads(file.read_text(encoding="utf-8"))
    workers = saved["workers"]
    assert [worker["worker"] for worker in workers] == list(range(WORKERS))
    assert len({worker["plan"]["seed"] for worker in workers}) == WORKERS
    for worker in workers:
        plan = Plan(
            "any",
            1,
            (Send("GET", "/"),),
            duration_s=DURATION_S,
            rate=RATE / WORKERS,
            arrivals="poisson",
            seed=worker["plan"]["seed"],
        )
        assert worker["arrivals_ns"] == list(arrivals_ns(plan)), "what was recorded is what was meant"
        late_ns = [sent - due for sent, due in zip(worker["sent_ns"], worker["arrivals_ns"], strict=True)]
        assert min(late_ns) >= 0 and max(late_ns) > 0, "nothing goes early; it is what was really sent"
        assert gaps_p(sorted(worker["sent_ns"]), RATE / WORKERS) > LEVEL, "each of them is Poisson, too"
    together = sorted(sent for worker in workers for sent in worker["sent_ns"])
    assert count_p(len(together), RATE * DURATION_S) > LEVEL
    assert gaps_p(together, RATE) > LEVEL
    assert party.server.asked - asked == len(together) == saved["merged"]["requests"]
    said = party.said()
    (row,) = (line for line in said.splitlines() if line.startswith("GET") and "(0.00%)" in line)
    assert "open loop: /" in row and str(len(together)) in row.split(), "Locust's own table has them all"
    assert "Open loop, 3 workers, latency from the intended send" in said


def test_nobody_stays_when_the_master_is_killed(party: Party) -> None:
    asked = party.server.asked
    party.start(f"--rate={RATE}", "--duration=300")
    party.until(lambda: party.server.asked > asked + RATE)
    pids = party.pids()
    assert len(pids) >= 1 + 2 * WORKERS, "the master; the workers, each with its load client"
    party.processes["master"].kill()
    for name in party.processes:
        party.ended(name)
    assert wait_until_gone(pids) == []


def test_killed_worker_is_reported_and_its_load_client_ends(party: Party) -> None:
    asked = party.server.asked
    party.start(f"--rate={RATE}", "--duration=8")
    party.until(lambda: party.server.asked > asked + RATE)
    lost = party.processes["worker 1"]
    clients = [child.pid for child in psutil.Process(lost.pid).children(recursive=True)]
    assert clients
    lost.kill()
    assert wait_until_gone(clients) == []
    assert party.ended() == 1
    assert "sent nothing: it is gone" in party.said()
    assert "Open loop, 2 workers" in party.said()


def test_locusts_own_users_are_labelled_as_a_closed_loop(party: Party) -> None:
    party.start("--closed-loop=4", "--duration=2", workers=1)
    assert party.ended() == 0
    assert "closed loop: /" in party.said()
    assert "open loop" not in party.said()
