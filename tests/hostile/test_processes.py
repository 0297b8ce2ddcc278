"""Scripts that start processes and leave them behind: if it's ended, they end too, else they go on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from asyncdemo.model import RunOutcome
from asyncdemo.recording.runner import Options, Target, record
from tests.hostile.traced import is_alive, trace, until

LINGERING = """
import os, signal, subprocess, sys, time

def linger(name):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with open("pids", "a") as file:
        file.write(f"{os.getpid()}\\n")
    print(name, "lingers", flush=True)
    time.sleep(600)

def wait_for(count):
    while not os.path.exists("pids") or len(open("pids").readlines()) < count:
        time.sleep(0.01)
"""
"""``linger`` notes its pid and ignores every signal; ``wait_for`` waits until there are enough of them."""


def lingering(folder: Path, patience_s: float = 3) -> list[int]:
    """Those that noted themselves and are still there after this time."""
    pids = [int(line) for line in (folder / "pids").read_text().split()]
    assert pids, "the script started nothing"
    until(lambda: not any(map(is_alive, pids)), patience_s)
    return [pid for pid in pids if is_alive(pid)]


# Of what is made in the last moment only what has the run's token in its environment is found.
STARTS = {
    "a fork in its own session": "if os.fork() == 0:\n    os.setsid()\n    linger('child')\nwait_for(1)",
    "a daemon": (
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        here = os.getcwd()\n"
        "        os.chdir('/')\n"
        "        os.chdir(here)\n"
        "        null = os.open(os.devnull, os.O_RDWR)\n"
        "        for n in (0, 1, 2): os.dup2(null, n)\n"
        "        os.closerange(3, 1024)\n"
        "        linger('daemon')\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "wait_for(1)"
    ),
    "several, each by the one before": (
        "def chain(depth):\n"
        "    if depth and os.fork() == 0:\n"
        "        chain(depth - 1)\n"
        "    linger(depth)\n"
        "if os.fork() == 0:\n"
        "    chain(3)\n"
        "wait_for(4)"
    ),
    "another program in its own session": (
        "subprocess.Popen([sys.executable, '-c', open(sys.argv[0]).read().partition('# here')[0]"
        " + 'linger(1)'], start_new_session=True)\n# here\nwait_for(1)"
    ),
    "another program that knows nothing of us": (
        "subprocess.Popen([sys.executable, '-c', open(sys.argv[0]).read().partition('# here')[0]"
        " + 'linger(1)'], start_new_session=True, env={})\n# here\nwait_for(1)\ntime.sleep(0.5)"
    ),
}


def starting(name: str) -> str:
    start = STARTS[name]
    if "here" in start:
        start = start.replace("subprocess.Popen", "# here\nsubprocess.Popen").replace(
            "\n# here\nwait", "\nwait"
        )
    return LINGERING + start


@pytest.mark.slow
@pytest.mark.parametrize("name", STARTS)
def test_what_a_script_starts_ends_with_it_at_a_time_limit(tmp_path: Path, name: str) -> None:
    traced = trace(tmp_path, starting(name) + "\nwhile True: time.sleep(1)", "--timeout", "2")
    assert lingering(tmp_path) == []
    assert traced.recorded.lanes


@pytest.mark.slow
@pytest.mark.parametrize("end", ["", "\nraise SystemExit(3)"], ids=["ends", "raises"])
@pytest.mark.parametrize("name", STARTS)
def test_of_a_confined_script_nothing_is_left(tmp_path: Path, name: str, end: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import os\nos.chdir({os.fspath(tmp_path)!r})\n{starting(name)}{end}")
    run = record(Target(os.fspath(script)), Options(timeout_s=30))
    assert run.exit_code == (3 if end else 0)
    assert lingering(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", STARTS)
def test_what_a_script_leaves_running_goes_on(tmp_path: Path, name: str) -> None:
    try:
        traced = trace(tmp_path, starting(name), may_leave=True)
        left = lingering(tmp_path, 0.2)
    finally:
        for pid in lingering(tmp_path, 0):
            os.kill(pid, signal.SIGKILL)
    assert traced.code == 0
    assert len(left) == len((tmp_path / "pids").read_text().split())
    # what has neither our token nor, any more, a parent is not found
    assert "knows nothing" in name or f"It left {len(left)} process" in traced.words


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_that_hangs(tmp_path: Path, method: str) -> None:
    text = f"""
import multiprocessing, os, time

def work():
    with open("pids", "a") as file:
        file.write(f"{{os.getpid()}}\\n")
    time.sleep(600)

if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
    process = context.Process(target=work)
    process.start()
    process.join()
"""
    traced = trace(tmp_path, text, "--timeout", "4")
    assert traced.code == 1
    assert traced.recorded.outcome is RunOutcome.TIMEOUT
    assert lingering(tmp_path) == []


def test_a_process_pool_whose_worker_is_killed(tmp_path: Path) -> None:
    text = """
import concurrent.futures, os, signal

def work():
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        print(pool.submit(work).result())
"""
    traced = trace(tmp_path, text)
    assert traced.code == 1
    assert "BrokenProcessPool" in traced.words
    assert traced.recorded.exit_code == 1


def test_processes_that_keep_making_processes(tmp_path: Path) -> None:
    """Each is replaced by two as soon as it ends: all have to be ended faster than they multiply."""
    text = (
        LINGERING
        + """
def multiply(depth):
    if depth:
        for _ in range(2):
            if os.fork() == 0:
                os.setsid()
                multiply(depth - 1)
    linger(depth)

multiply(4)
"""
    )
    traced = trace(tmp_path, text, "--timeout", "2")
    assert traced.recorded.outcome is RunOutcome.TIMEOUT
    assert lingering(tmp_path) == []
