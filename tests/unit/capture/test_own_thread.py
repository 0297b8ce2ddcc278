"""The tracer's own thread: a script can't tell that it is there, nor harm it, nor be harmed by it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from asyncdemo.analysis.metrics import blocking_steps
from asyncdemo.capture.blocking import watchdog
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import Origins, Recorder
from asyncdemo.recording.runner import Options, Stdout, Target, record
from tests.support.plain_and_traced import alike

SINCE_3_12 = pytest.mark.skipif(sys.version_info < (3, 12), reason="Python before 3.12 has none of it")

SCRIPTS = {
    "a blocked signal stays pending": """
import os, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
os.kill(os.getpid(), signal.SIGUSR1)
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(0.1)
print(sorted(signal.sigpending()))
print(signal.sigwait({signal.SIGUSR1}), signal.sigwait({signal.SIGTERM}))
""",
    "a section is protected from Ctrl-C": """
import os, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
os.kill(os.getpid(), signal.SIGINT)
time.sleep(0.1)
print("protected")
try:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    time.sleep(5)
except KeyboardInterrupt:
    print("interrupted")
""",
    "masks are inherited as always": """
import signal, threading
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
show = lambda: print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
show()
thread = threading.Thread(target=show)
thread.start()
thread.join()
""",
    "no descriptor is left at exit": """
import resource, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
kept = []
while True:
    kept.append(socket.socket())
""",
    "no library can be found at exit": """
import os
if os.getuid() == 0:
    os.chroot(".")
print("end")
""",
    "it forks without another thread": """
import os, subprocess, warnings
warnings.simplefilter("error")
for _ in range(3):
    pid = os.fork()
    if not pid:
        os._exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(subprocess.run(["true"], preexec_fn=lambda: None).returncode)
""",
    "it forks with another thread": """
import os, threading, warnings
done = threading.Event()
thread = threading.Thread(target=done.wait)
thread.start()
for action in ("always", "error"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        try:
            pid = os.fork()
            if not pid:
                os._exit(3)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        except DeprecationWarning as warning:
            print("multi-threaded" in str(warning))
    print([(one.category, one.lineno) for one in caught])
done.set()
thread.join()
""",
    "it forks at several lines while warnings are errors": """
import os, warnings
warnings.simplefilter("error")
filters = list(warnings.filters)
for _ in range(30):
    os.fork() or os._exit(0)
    os.fork() or os._exit(0)
    os.fork() or os._exit(0 if warnings.filters == filters else 7)
    print([os.wait()[1] for _ in range(3)])
""",
    "other threads get exceptions": """
import ctypes, sys, threading, time
set_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc
for _ in range(100):
    for ident in sys._current_frames():
        if ident != threading.get_ident():
            set_exception(ctypes.c_ulong(ident), ctypes.py_object(LookupError))
    time.sleep(0.005)
print("end")
""",
    "garbage is collected in the script's thread": """
import threading, time
main, elsewhere, kept = threading.get_ident(), [], []

class Node:
    def __init__(self):
        self.itself = self
    def __del__(self):
        if threading.get_ident() != main:
            elsewhere.append(self)

for n in range(1500):
    Node()
    time.sleep(0.001)
print(len(elsewhere))
""",
    "what ends with a sampled frame": """
import asyncio, sys, threading, time
main, elsewhere = threading.get_ident(), []
if "asyncdemo" in sys.modules:
    from asyncdemo.capture.blocking import watchdog
    watchdog._look_for_events = lambda *_: time.sleep(0.1)  # it lets others run, if only for microseconds

class Thing:
    def __del__(self):
        if threading.get_ident() != main:
            elsewhere.append("elsewhere")

def blocks():
    thing = Thing()
    time.sleep(0.05)

async def steps():
    blocks()
    await asyncio.sleep(0.2)

asyncio.run(steps())
print(elsewhere)
""",
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=list(SCRIPTS))
def test_script_does_what_it_does_without_our_thread(script: str, tmp_path: Path) -> None:
    alike(tmp_path, script)


def test_fork_in_a_context_with_its_own_filters_warns_of_nothing(tmp_path: Path) -> None:
    script = """
import os, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    if os.fork() == 0:
        os._exit(0)
    print(os.wait()[1])
print(caught)
"""
    alike(tmp_path, script, environment={"PYTHON_CONTEXT_AWARE_WARNINGS": "1"})


TOOLS = """
import sys, threading, time
seen, main = [], threading.get_ident()

def trace(frame, event, argument):
    if threading.get_ident() != main:
        seen.append(event)
        raise ValueError
    return trace

def watch(*_):
    if threading.get_ident() != main:
        seen.append("monitored")
        threading.Event().wait()  # for ever

threading.settrace_all_threads(trace)
threading.setprofile_all_threads(trace)
time.sleep(0.1)
threading.setprofile_all_threads(None)
threading.settrace_all_threads(None)
monitoring = sys.monitoring
monitoring.use_tool_id(3, "test")
events = monitoring.events
for event in (events.PY_START, events.LINE, events.CALL):
    monitoring.register_callback(3, event, watch)
monitoring.set_events(3, events.PY_START | events.LINE | events.CALL)
time.sleep(0.1)
monitoring.set_events(3, 0)
print(seen)
"""


@SINCE_3_12
def test_no_tool_of_the_script_is_called_in_our_thread(tmp_path: Path) -> None:
    alike(tmp_path, TOOLS)


UNTIL_THE_END = """
import os, sys, threading
main, held, seen = threading.get_ident(), threading.Lock(), []

def watch(code, *_):
    if threading.get_ident() != main:
        seen.append(code.co_qualname)
        {does}

monitoring = sys.monitoring
monitoring.use_tool_id(3, "test")
events = monitoring.events
for event in (events.PY_START, events.PY_RETURN, events.PY_UNWIND, events.LINE, events.CALL, events.RAISE):
    monitoring.register_callback(3, event, watch)
monitoring.set_events(
    3, events.PY_START | events.PY_RETURN | events.PY_UNWIND | events.LINE | events.CALL | events.RAISE
)
held.acquire()
for _ in range(3):
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
print(seen)
"""


@SINCE_3_12
@pytest.mark.parametrize("does", ["raise ValueError", "held.acquire()"])
def test_tool_that_stays_on_sees_no_fork_nor_exit(does: str, tmp_path: Path) -> None:
    alike(tmp_path, UNTIL_THE_END.format(does=does))


def test_script_runs_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(watchdog, "_start_new_thread", start)
    recorder, noted = Recorder(Origins()), list[str]()

    def failed(name: str, error: BaseException) -> bool:
        noted.append(f"{name}: {error}")
        return True

    ours = watchdog.Watchdog(recorder, lambda _: None, failed)
    ours.prepare()
    ours.start(Loops(recorder))
    ours.end()
    assert noted == ["the tracer's thread: can't start new thread"]


BLOCKS = """
import asyncio, os, time

async def blocks():
    time.sleep(0.1)

pid = os.fork()
if not pid:
    os._exit(0)
os.waitpid(pid, 0)
asyncio.run(blocks())
"""


def test_line_that_blocks_is_seen_after_a_fork(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(BLOCKS)
    (step,) = blocking_steps(record(Target(str(path)), Options(stdout=Stdout.CAPTURE)))
    assert step.site is not None and step.site.line == 5


FAULTS = """
import asyncio.base_events  # so that it is not the tracer that is asked
import time
from asyncdemo.capture import recorder
whole, times = recorder.Recorder.offer, []

def fails(self, go_on):
    times.append(1)
    if len(times) < 4:
        raise {error}
    return whole(self, go_on)

recorder.Recorder.offer = fails
time.sleep(0.4)
print(len(times) > 4)
"""


@pytest.mark.parametrize("error", ["LookupError('lost')", "KeyboardInterrupt", "SystemExit(3)"])
def test_fault_in_our_thread_is_survived_and_noted(error: str, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(FAULTS.format(error=error))
    output: list[str] = []
    run = record(Target(str(path)), Options(stdout=Stdout.CAPTURE))
    assert run.exit_code == 0, output
    noted = [note for note in run.notes if "the tracer's thread" in note]
    assert len(noted) == (error.startswith("LookupError"))
