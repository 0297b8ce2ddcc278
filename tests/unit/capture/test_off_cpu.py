"""Threads that wait in calls which nobody can hook wait, and do not run."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.analysis.diagnose import where_they_wait
from asyncdemo.analysis.metrics.cpu import idle_while_running
from asyncdemo.capture.blocking import off_cpu
from asyncdemo.model import State
from asyncdemo.recording.runner import Options, Target, record
from tests.support.truth import Recorded, recorded

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="no thread's CPU clock can be read by another"
)

WAITS = {
    "select": ("select.select([reader], [], [])", "i/o"),
    "poll": ("poller.poll()", "i/o"),
    "epoll": ("epoll.poll()", "i/o"),
    "poll in a variable": ("mine = select.poll(); mine.register(reader); mine.poll()", ""),
    "poll in an attribute": ("Has.poller.poll()", ""),
    "selectors": ("selector.select()", "i/o"),
    "read": ("os.read(reader, 1)", "i/o"),
    "file": ("os.fdopen(os.dup(reader), 'rb').readline()", ""),
    "file in a for": ("while True:\n            for line in file: return", "i/o"),
    "SimpleQueue.get": ("items.get(timeout=30)", "empty queue"),
    "join": ("process.join()", "subprocess"),
    "waitpid": (
        "os.waitpid(os.spawnlp(os.P_NOWAIT, 'head', 'head', '-c1', f'/dev/fd/{reader}'), 0)",
        "subprocess",
    ),
    "signal": ("signal.sigtimedwait([signal.SIGUSR1], 0.3)", "signal"),
    "a raw lock": ("raw.acquire()", "outside Python"),
}
"""What a thread does, and what it waits for; "" if that depends on the version of Python."""

SCRIPT = """
    import _thread, multiprocessing, os, queue, select, selectors, signal, threading, time
    reader, writer = os.pipe()
    os.set_inheritable(reader, True)
    poller, epoll, selector = select.poll(), select.epoll(), selectors.DefaultSelector()
    poller.register(reader), epoll.register(reader, select.EPOLLIN)
    selector.register(reader, selectors.EVENT_READ)
    items = queue.SimpleQueue()
    file = open(os.dup(reader), "rb")
    class Has:
        poller = poller
    raw = _thread.allocate_lock()
    raw.acquire()
    process = multiprocessing.get_context("fork").Process(target=os.read, args=(reader, 1))
    if {joins}:
        process.start()
    def waits():
        {waits}
    thread = threading.Thread(target=waits, name="waits")
    thread.start()
    mark("early")
    time.sleep(0.2)
    mark("late")
    os.write(writer, b"\\n" * 3)
    items.put(1)
    raw.release()
    thread.join()
"""


def test_a_run_that_was_stopped_says_that_such_a_thread_waits(tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text("import os\nreader, _ = os.pipe()\nos.read(reader, 1)\n", encoding="utf-8")
    run = record(Target(str(script)), Options(timeout_s=0.5))
    assert where_they_wait(run) == ("MainThread waits for a file, pipe or socket at app.py:3.",)


def _is_mostly(trace: Recorded, name: str, state: State) -> bool:
    spans = trace.lane(name).spans
    whole_ns = sum(span.duration_ns for span in spans)
    return sum(span.duration_ns for span in spans if span.state is state) > whole_ns / 2


@pytest.mark.parametrize("name", WAITS)
def test_a_thread_in_a_call_that_cannot_be_hooked_waits(name: str, tmp_path: Path) -> None:
    waits, reason = WAITS[name]
    trace = recorded(tmp_path, SCRIPT.replace("{waits}", waits).replace("{joins}", str(name == "join")))
    seen = trace.at("waits", trace.between("early", "late"))
    assert seen in ([f"waiting ({reason})"] if reason else ["waiting (i/o)", "waiting (outside Python)"])
    assert _is_mostly(trace, "waits", State.WAITING)
    assert idle_while_running(trace.run).gil_ns < (trace.marks["late"] - trace.marks["early"]) / 2


def test_a_thread_that_ends_while_it_is_looked_at_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel lets its file be opened, and not be read any more."""
    goes = threading.Event()
    thread = threading.Thread(target=goes.wait)
    thread.start()
    place = Path(f"/proc/self/task/{thread.native_id}")
    really_open = off_cpu._open

    def open_and_end(*arguments: Any) -> int:
        file: int = really_open(*arguments)
        goes.set()
        thread.join()
        while place.exists():
            time.sleep(0.001)
        return file

    monkeypatch.setattr(off_cpu, "_open", open_and_end)
    assert not off_cpu._is_asleep(thread.native_id or 0)


def test_threads_that_share_the_gil_run(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import threading, time
        def computes():
            end = time.thread_time() + 0.2
            while time.thread_time() < end:
                pass
        threads = [threading.Thread(target=computes, name=f"thread-{n}") for n in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """,
    )
    for number in range(3):
        assert _is_mostly(trace, f"thread-{number}", State.RUNNING)
    assert idle_while_running(trace.run).gil_ns > 0


def test_loop_that_waits_for_events_is_recorded_once(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio, threading, time
        async def main():
            await asyncio.sleep(0.15)
        thread = threading.Thread(target=lambda: (time.sleep(0.03), asyncio.run(main())), name="hosts")
        thread.start()
        thread.join()
        """,
    )
    reasons = {span.wait.reason for lane in trace.run.tracks for span in lane.spans}
    assert "event loop" in reasons
    assert not reasons & {"outside Python", "i/o"}
