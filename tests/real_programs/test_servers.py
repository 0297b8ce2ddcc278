"""Servers that start workers of their own: each worker's handlers are recorded, and none is left running."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import socket
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.model import Lane, Outcome, Run, RunOutcome, State
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Recording, Stdout, Target
from tests.hostile.traced import PATIENCE_S, is_alive, until

pytestmark = pytest.mark.slow

SANIC = """
import asyncio, os
from sanic import Sanic, response

PAUSE_S = 5.0
app = Sanic("Cafe")

@app.get("/cup/<number:int>")
async def brew(request, number):
    await asyncio.sleep(PAUSE_S)
    loop = type(asyncio.get_running_loop()).__module__
    return response.json({"number": number, "pid": os.getpid(), "loop": loop})

if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]), motd=False, access_log=False, workers=2)
"""
HYPERCORN = """
import asyncio, os
from hypercorn.config import Config
from hypercorn.run import run
from quart import Quart

PAUSE_S = 5.0
app = Quart(__name__)

@app.get("/cup/<int:number>")
async def brew(number):
    await asyncio.sleep(PAUSE_S)
    return {"number": number, "pid": os.getpid(), "loop": type(asyncio.get_running_loop()).__module__}

if __name__ == "__main__":
    config = Config()
    config.bind = ["127.0.0.1:" + os.environ["PORT"]]
    config.application_path = "server:app"
    config.workers = 2
    run(config)
"""
SERVERS = {
    "Sanic": ("sanic", SANIC),
    "Hypercorn": ("hypercorn", HYPERCORN),
}


@dataclass
class Server:
    """A server that is being recorded."""

    recording: Recording
    port: int
    answers: list[dict[str, Any]] = field(default_factory=list)
    pids: set[int] = field(default_factory=set)
    """All that it ever was."""

    def get(self, number: int) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/cup/{number}", timeout=PATIENCE_S) as got:
            answer: dict[str, Any] = json.load(got)
        return answer

    def ask(self, numbers: Sequence[int]) -> None:
        """All at the same time, from ten threads, while the recording goes on."""
        with ThreadPoolExecutor(10) as threads:
            asked = [threads.submit(self.get, number) for number in numbers]
            assert until(lambda: self.recording.poll(0.02) and all(one.done() for one in asked), 120)
            self.answers += [one.result() for one in asked]
        self.pids |= self.recording.pids()

    def up(self) -> bool:
        """Asked until it answers for the first time."""
        assert self.recording.poll(0.05), "it has ended"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    @property
    def workers(self) -> Counter[int]:
        """pid -> answers it gave."""
        return Counter(answer["pid"] for answer in self.answers)

    def ends(self) -> Run:
        self.pids |= self.recording.pids()
        self.recording.end(grace_s=PATIENCE_S)
        return self.rest()

    def rest(self) -> Run:
        assert until(lambda: not self.recording.poll(0.05))
        return self.recording.result()


@contextlib.contextmanager
def serving(folder: Path, package: str, text: str) -> Iterator[Server]:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    (folder / "server.py").write_text(text)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    options = Options(
        lanes=("brew",),
        knobs={"PAUSE_S": "0.02"},
        environment={"PORT": str(port)},
        follow=True,
        stdin=False,
        stdout=Stdout.CAPTURE,
        timeout_s=120,
    )
    output = OutputBuffer()
    with Recording(Target(str(folder / "server.py")), options, output) as recording:
        server = Server(recording, port)
        recording.start()
        recording.go()
        assert until(server.up), output.text
        yield server
    assert until(lambda: not any(map(is_alive, server.pids))), "something is left running"


def per_process(run: Run) -> Counter[int]:
    return Counter(run.tracks[lane.track].process for lane in run.lanes)


def slept(lane: Lane) -> bool:
    return any(span.state is State.WAITING and span.wait.reason == "sleep" for span in lane.spans)


@pytest.mark.parametrize("name", SERVERS)
def test_the_handlers_of_every_worker_are_recorded(name: str, tmp_path: Path) -> None:
    """Though it is asked to end as soon as they have answered."""
    with serving(tmp_path, *SERVERS[name]) as server:
        for start in range(0, 1000, 20):
            server.ask(range(start, start + 20))
            if len(server.workers) == 2:
                break
        run = server.ends()
    assert (run.outcome, run.exit_code, run.notes) == (RunOutcome.OK, 0, ())
    assert run.processes == 3
    assert sorted(per_process(run).values()) == sorted(server.workers.values())
    assert set(per_process(run)) == {1, 2}
    assert all(lane.outcome is Outcome.RETURNED and slept(lane) for lane in run.lanes)
    if name == "Sanic" and importlib.util.find_spec("uvloop"):
        assert {answer["loop"] for answer in server.answers} == {"uvloop"}


@pytest.mark.parametrize("name", SERVERS)
def test_interrupted_in_the_middle_it_leaves_nothing(name: str, tmp_path: Path) -> None:
    with serving(tmp_path, *SERVERS[name]) as server:
        server.ask(range(20))
        server.recording.interrupt()
        run = server.rest()
    assert run.outcome is RunOutcome.INTERRUPTED
    assert sum(per_process(run).values()) == 20
    assert not any("ended without notice" in note for note in run.notes)
