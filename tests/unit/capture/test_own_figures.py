"""Scripts that measure themselves: the figures of a run against what the script itself counted and timed.

A time of the script's own is a bound. Not for: states at single moments (``test_blocked_loop``).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.analysis.metrics import blocking_steps, measure
from asyncdemo.model import Run
from asyncdemo.testing.checks import CheckFailed, Seen
from tests.support.truth import printed, recorded

NAPS = """
import asyncio, json, os, signal, socket, sys, time

napped = []  # [kind, ns]
kind = ""

def nap():
    start = time.perf_counter_ns()
    time.sleep(0.08)
    napped.append([kind, time.perf_counter_ns() - start])

class Naps(asyncio.Protocol):
    def data_received(self, data):
        nap()

async def data_received():
    server = await asyncio.get_running_loop().create_server(Naps, "127.0.0.1", 0)
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    writer.write(b"x")
    await napped_once()
    writer.close()
    server.close()

async def call_soon():
    asyncio.get_running_loop().call_soon(nap)

async def call_later():
    asyncio.get_running_loop().call_later(0.01, nap)

async def from_a_thread():
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, loop.call_soon_threadsafe, nap)

async def done_callback():
    future = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda _: nap())
    future.set_result(None)

async def add_reader():
    ours, theirs = socket.socketpair()
    loop = asyncio.get_running_loop()

    def readable():
        loop.remove_reader(ours)
        nap()

    loop.add_reader(ours, readable)
    theirs.send(b"x")
    await napped_once()
    ours.close()
    theirs.close()

async def signal_handler():
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, nap)
    os.kill(os.getpid(), signal.SIGUSR1)

async def step():
    nap()

async def napped_once():
    while not napped or napped[-1][0] != kind:
        await asyncio.sleep(0.01)

async def main():
    global kind
    for kind in sys.argv[2:]:
        await globals()[kind]()
        await napped_once()

if sys.argv[1] == "uvloop":
    import uvloop
    runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
else:
    runner = asyncio.Runner()
with runner:
    runner.run(main())
print(json.dumps(napped))
"""
KINDS = ("call_soon", "call_later", "from_a_thread", "done_callback", "step", "add_reader", "signal_handler")
ON_ASYNCIO_ONLY = ("data_received",)
"""uvloop calls it past all that can be observed."""


@pytest.mark.parametrize(("loop", "kinds"), [("asyncio", KINDS + ON_ASYNCIO_ONLY), ("uvloop", KINDS)])
def test_whatever_blocks_the_loop_is_counted(tmp_path: Path, loop: str, kinds: tuple[str, ...]) -> None:
    if loop == "uvloop":
        pytest.importorskip("uvloop")
    trace = recorded(tmp_path, NAPS, args=[loop, *kinds])
    napping = [step for step in blocking_steps(trace.run) if step.site and step.site.function == "nap"]
    assert len(napping) == len(kinds)
    for step, (kind, asked_ns) in zip(napping, printed(trace), strict=True):
        assert step.end_ns - step.start_ns >= asked_ns, kind
        assert step.reason == "sleep" and (step.track is not None) == (kind == "step"), kind
    metrics = measure(trace.run)
    assert metrics.blocked_ns >= sum(step.held_ns for step in napping)
    assert metrics.blocks >= len(kinds)
    (finding,) = [found for found in diagnose(trace.run) if found.kind == "blocks-the-loop"]
    assert f"{len(kinds)} times" in finding.message
    with pytest.raises(CheckFailed):
        Seen(trace.run).never_blocked()


NO_CPU = """
import ctypes, json, sys, threading, time

released, kept = ctypes.CDLL(None).usleep, ctypes.PyDLL(None).usleep
cpu_ns = []

def waits():
    released(200_000)  # in C, where nothing observes it; the GIL is free
    cpu_ns.append(time.thread_time_ns())

def computes():
    while time.thread_time_ns() < 200_000_000:
        pass
    cpu_ns.append(time.thread_time_ns())

threads = [threading.Thread(target=globals()[name]) for name in sys.argv[1:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(cpu_ns))
"""


class TestNotObserved:
    def test_threads_that_wait_in_c_do_not_wait_for_the_gil(self, tmp_path: Path) -> None:
        trace = recorded(tmp_path, NO_CPU, args=["waits", "waits", "waits"])
        idle = measure(trace.run).idle
        in_c_ns = _outside_python_ns(trace.run) + idle.unobserved_ns
        assert in_c_ns > 10 * idle.gil_ns
        assert in_c_ns > 3 * 150_000_000  # the script asked for 3 times 200

    def test_they_wait_no_longer_than_another_computes(self, tmp_path: Path) -> None:
        trace = recorded(tmp_path, NO_CPU, args=["waits", "computes"])
        idle = measure(trace.run).idle
        assert idle.gil_ns <= 2 * sum(printed(trace))
        in_c_ns = _outside_python_ns(trace.run) + idle.unobserved_ns
        assert idle.gil_ns + in_c_ns > 150_000_000  # the script asked for 200 without CPU


def _outside_python_ns(run: Run) -> int:
    """As threads whose CPU clock stood still were seen to wait, where the system tells."""
    return sum(
        span.duration_ns
        for track in run.tracks
        for span in track.spans
        if span.wait.reason == "outside Python"
    )
