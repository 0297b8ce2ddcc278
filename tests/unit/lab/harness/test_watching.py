"""What a window cost, and what others used meanwhile: the arithmetic of two readings, and real processes."""

from __future__ import annotations

import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.lab.harness import watching
from asyncdemo.lab.harness.watching import Reading, Watch, read_system, system_between
from asyncdemo.lab.results.trial import Memory
from asyncdemo.recording.processes import ProcessTree

seconds = st.floats(0, 100)


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "cpu_count", lambda: 2)


@given(seconds, seconds)
def test_foreign_is_what_the_experiment_did_not_use(own_s: float, foreign_s: float) -> None:
    first, last = Reading(0.0, 7.0, {}), Reading(100.0, 7.0 + own_s + foreign_s, {})
    share = system_between(first, last, own_s).foreign_cpu
    assert share is not None and share == pytest.approx(foreign_s / 200, abs=1e-9)


def test_shares_and_counts_are_differences_or_unknown() -> None:
    first = Reading(0.0, 0.0, {"cpu": 5.0, "io": 1.0, "ListenOverflows": 10, "TCPSynRetrans": 3})
    last = Reading(10.0, 0.0, {"cpu": 6.0, "ListenOverflows": 12, "TCPSynRetrans": 3})
    seen = system_between(first, last, 0.0)
    assert (seen.pressure_cpu, seen.pressure_io, seen.pressure_memory) == (0.1, None, None)
    assert (seen.listen_overflows, seen.syn_retransmissions) == (2, 0)
    assert system_between(first, Reading(1.0, 0.0, {}), 0.0).listen_overflows is None


def test_busy_is_what_was_not_idle_whatever_was_counted_as_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux samples user and system at its ticks, and may miss what lies between two of them."""

    def read(idle_s: float) -> Reading:
        times = SimpleNamespace(user=99.0, system=99.0, idle=idle_s, iowait=1.0, softirq=0.5)
        monkeypatch.setattr(psutil, "cpu_times", lambda: times)
        return read_system()

    first = read(10.0)
    time.sleep(0.2)
    last = read(10.3)
    assert last.busy_s - first.busy_s == pytest.approx(2 * (last.at_s - first.at_s) - 0.3)


def test_the_most_memory_of_a_window_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_SHARE", 0)
    memories = iter([Memory(100, 10, 5), Memory(900, 50), Memory(300, 20, 8)])
    monkeypatch.setattr(watching, "memory", lambda pids, proportional: next(memories))
    watch = Watch(tuple, tuple)
    watch.begin()
    time.sleep(0.3)
    watch.sample()
    server, _ = watch.end()
    assert server.before == Memory(100, 10, 5)
    assert server.most == Memory(900, 50, 8)


SPIN = """
import time
while time.process_time() < 0.3: pass
print(flush=True)
input()
"""


def test_process_belongs_to_the_server_the_experiment_or_nobody() -> None:
    """A process that uses 0.3 s of CPU, seen three ways at once."""
    with subprocess.Popen(
        [sys.executable, "-c", SPIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        pid = process.pid
        serving = Watch(lambda: [pid], tuple)
        ours = Watch(tuple, lambda: [pid])
        strangers = Watch(tuple, tuple)
        watches = (serving, ours, strangers)
        for watch in watches:
            watch.begin()
        assert process.stdout is not None
        process.stdout.readline()
        seen = [watch.end() for watch in watches]
        process.communicate(b"\n")
    assert seen[0][0].cpu_s >= 0.2
    assert seen[0][0].most is not None and seen[0][0].most.resident_bytes > 1_000_000
    assert seen[1][0].cpu_s == 0 and seen[1][0].most is None
    foreign = [system.foreign_cpu for _, system in seen]
    assert all(share is not None for share in foreign)
    assert foreign[2] is not None and foreign[0] is not None and foreign[2] > foreign[0]


COMING_AND_GOING = """
import os, resource, signal, sys, time

def burn(s):
    end_s = time.process_time() + s
    while time.process_time() < end_s: pass

def say(*words):
    print(*words, flush=True)
    os.read(0, 1)

def child(*work):
    pid = os.fork()
    if not pid:
        for part in work: part()
        os._exit(0)
    return pid

def wait(pid):
    os.waitpid(pid, 0)

def used():
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)

def some(): burn(0.2)
def seen(): say("look")

def unseen():
    for _ in range(8): wait(child(lambda: burn(0.05)))

def in_the_middle():
    for _ in range(2): wait(child(some, seen, some))

def grandchildren():
    wait(child(lambda: wait(child(some, seen)), some, seen))

def together():
    wait(child(lambda: wait(child(some, seen, some))))

def not_waited_for():
    pid = child(some, seen)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    seen()
    wait(pid)
    seen()

def nobody_waits():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    pid = child(some, seen)
    try: wait(pid)
    except ChildProcessError: pass
    return 0.2  # as nobody is notified

def orphan():
    ended, ends = os.pipe()
    def loses_its_parent():
        parent = os.getppid()
        some()
        while os.getppid() == parent: time.sleep(0.01)
        seen()
    wait(child(lambda: child(loses_its_parent), seen))
    os.close(ends)
    os.read(ended, 1)
    return 0.2  # as its new parent is notified, and not we

if sys.argv[1] == "there_before":
    there = child(lambda: burn(0.4), seen, some)

def there_before():
    wait(there)
    return -0.4  # before it was watched

if sys.argv[1] != "there_before":
    say("begin")
before_s = used()
more_s = globals()[sys.argv[1]]() or 0.0
say("used", used() - before_s + more_s)
"""


@pytest.mark.parametrize(
    "case",
    [
        "unseen",
        "in_the_middle",
        "grandchildren",
        "together",
        "not_waited_for",
        "nobody_waits",
        "orphan",
        "there_before",
    ],
)
def test_each_process_that_comes_and_goes_counts_once(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As workers that are restarted, or a PostgreSQL whose clients keep no connection."""
    # a reading that took long, on a busy machine, would put off the next one until who it is for has ended
    monkeypatch.setattr(watching, "_SHARE", 0)
    with subprocess.Popen(
        [sys.executable, "-c", COMING_AND_GOING, case], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        family = ProcessTree(process, "")

        def pids() -> tuple[int, ...]:
            family.refresh()
            return (process.pid, *family.pids)

        process.stdout.readline()
        watch = Watch(pids, tuple)
        watch.begin()
        said: list[bytes] = []
        while not said or said[0] != b"used":
            process.stdin.write(b"\n")
            process.stdin.flush()
            said = process.stdout.readline().split()
            time.sleep(0.3)
            watch.sample()
        server, _ = watch.end()
        process.communicate(b"\n")
    assert server.cpu_s == pytest.approx(float(said[1]), rel=0.15)


def test_what_the_lab_waited_for_is_not_its_own() -> None:
    """Its servers and services are counted as themselves; so is whatever else was its child."""
    watch = Watch(tuple, tuple)
    watch.begin()
    burn = "import time\nwhile time.process_time() < 1: pass"
    subprocess.run([sys.executable, "-c", burn], check=True)
    watch.end()
    assert watch._own.used_s < 1
