"""Scripts that end in every way there is: the outcome, their own code, and what was recorded until then."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from asyncdemo.model import RunOutcome
from tests.hostile.traced import trace

pytestmark = pytest.mark.slow

FAILED, OK, TIMEOUT = RunOutcome.FAILED, RunOutcome.OK, RunOutcome.TIMEOUT

WARM_UP = """
import asyncio, ctypes, os, signal, sys, threading, time

async def worker(n):
    await asyncio.sleep(0.01)

async def warm_up():
    await asyncio.gather(worker(1), worker(2))
    await asyncio.sleep(0.15)

asyncio.run(warm_up())
"""
"""Lanes that are over, and known to the parent, when the rest of the script begins."""


@dataclass(frozen=True)
class Ending:
    """text: what the script does after its warm-up. code: of the script. words: somewhere in what is said."""

    text: str
    code: int | None
    words: tuple[str, ...] = ()
    outcome: RunOutcome = FAILED
    options: tuple[str, ...] = ()


LIMIT = ("--timeout", "1")
LIMIT_WORDS = ("Stopped at its time limit of 1 s.",)

ENDINGS = {
    "well": Ending("", 0, outcome=OK),
    "sys.exit with words": Ending("sys.exit('no more coffee')", 1, ("no more coffee",)),
    "sys.exit in a task": Ending(
        "async def leave():\n    sys.exit(5)\nasync def main():\n    await leave()\nasyncio.run(main())", 5
    ),
    "uncaught exception": Ending(
        "{}['milk']", 1, ("KeyError: 'milk'", f"line {WARM_UP.count(chr(10)) + 1}, in <module>")
    ),
    "exception that cannot be shown": Ending(
        "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute", 1, ("Mute",)
    ),
    "BaseException in a task": Ending(
        "class Alarm(BaseException): pass\nasync def main():\n    raise Alarm('fire')\nasyncio.run(main())",
        1,
        ("Alarm: fire",),
    ),
    "os._exit from a thread": Ending(
        "threading.Thread(target=lambda: os._exit(4)).start()\ntime.sleep(60)", 4
    ),
    "os.abort": Ending("os.abort()", -signal.SIGABRT, ("signal SIGABRT",)),
    "segfault": Ending("ctypes.string_at(0)", -signal.SIGSEGV, ("signal SIGSEGV",)),
    "kill -9 itself": Ending("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ("signal SIGKILL",)),
    "SIGTERM to itself": Ending("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ("signal SIGTERM",)),
    "signal.alarm": Ending("signal.alarm(1)\ntime.sleep(60)", -signal.SIGALRM, ("signal SIGALRM",)),
    "KeyboardInterrupt of its own": Ending("raise KeyboardInterrupt", -signal.SIGINT, ("KeyboardInterrupt",)),
    "recursion without end": Ending("def deeper():\n    deeper()\ndeeper()", 1, ("RecursionError",)),
    "recursion that ends the C stack": Ending(
        "sys.setrecursionlimit(10**9)\n"
        "class Mirror:\n    def __repr__(self): return repr(self)\n"
        "repr(Mirror())",
        None,  # a segmentation fault, or since 3.12 an exception
    ),
    "raises in a thread": Ending(
        "def brew():\n    raise OSError('no water')\nt = threading.Thread(target=brew)\nt.start()\nt.join()",
        0,
        ("OSError: no water", "in brew"),
        outcome=OK,
    ),
    "raises while the interpreter ends": Ending(
        "import atexit\natexit.register(lambda: 1 / 0)", 0, ("ZeroDivisionError",), outcome=OK
    ),
    "spins in the event loop": Ending(
        "async def spin():\n    while True: pass\nasyncio.run(spin())", None, LIMIT_WORDS, TIMEOUT, LIMIT
    ),
    "a call in C that holds the GIL": Ending("sum(range(10**12))", None, LIMIT_WORDS, TIMEOUT, LIMIT),
    "waits for input": Ending(
        "sys.stdin.read(); os.read(os.pipe()[0], 1)", None, LIMIT_WORDS, TIMEOUT, LIMIT
    ),
    "ignores every signal that can be": Ending(
        "for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(n, signal.SIG_IGN)\n"
        "while True: time.sleep(0.01)",
        None,
        LIMIT_WORDS,
        TIMEOUT,
        LIMIT,
    ),
    "stops itself": Ending("os.kill(os.getpid(), signal.SIGSTOP)", None, LIMIT_WORDS, TIMEOUT, LIMIT),
    "never stops catching": Ending(
        "while True:\n    try:\n        time.sleep(60)\n    except BaseException:\n        pass",
        None,
        LIMIT_WORDS,
        TIMEOUT,
        LIMIT,
    ),
    "a thread that never ends": Ending(
        "threading.Thread(target=time.sleep, args=(600,)).start()", None, LIMIT_WORDS, TIMEOUT, LIMIT
    ),
    "an atexit that never ends": Ending(
        "import atexit\natexit.register(time.sleep, 600)", None, LIMIT_WORDS, TIMEOUT, LIMIT
    ),
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_every_ending_of_a_script_is_reported_with_what_it_did(tmp_path: Path, ending: Ending) -> None:
    traced = trace(tmp_path, WARM_UP + ending.text, *ending.options)
    run = traced.recorded
    assert run.outcome is ending.outcome
    assert traced.code == (0 if ending.outcome is OK else 1)
    if ending.code is not None:
        assert run.exit_code == ending.code
    for words in ending.words:
        assert words in traced.words
    assert {"Task-1 warm_up", "Task-2 worker", "Task-3 worker"} <= set(traced.lanes)
    ended = {lane.name: lane.outcome.value for lane in run.lanes}
    assert ended["Task-2 worker"] == "returned"


def test_deadlock_in_virtual_time_names_who_waits_where(tmp_path: Path) -> None:
    text = """
import asyncio

async def pour(cup, spoon):
    async with cup:
        await asyncio.sleep(60)
        async with spoon:
            pass

async def main():
    a, b = asyncio.Lock(), asyncio.Lock()
    await asyncio.gather(pour(a, b), pour(b, a))

asyncio.run(main())
"""
    traced = trace(tmp_path, text, "--virtual")
    assert traced.code == 1
    assert traced.recorded.outcome is FAILED
    script = tmp_path / "script.py"
    assert "Deadlock: no timer is set and nothing is pending" in traced.words
    assert f"Task-2 (pour) waits at {script}:7" in traced.words
    assert f"Task-3 (pour) waits at {script}:7" in traced.words
    assert "was made 2 times" not in traced.words  # both locks were waited for, in no time
    assert f"Task-1 (main) waits at {script}:12" in traced.words
