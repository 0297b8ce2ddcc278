"""Nothing of a recording is missing without being said, however the script ends and however slow we are."""

from __future__ import annotations

import errno
import os
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.analysis.metrics import measure
from asyncdemo.model import Outcome, Run, RunOutcome, State
from asyncdemo.recording import backlog, connections
from asyncdemo.recording.assembly import Assembly
from asyncdemo.recording.backlog import Backlog
from asyncdemo.recording.connections import EventConnections
from asyncdemo.recording.runner import Options, Recording, Stdout, Target

COUNTS = """
import asyncio, os, signal, sys, threading, time

done = open(sys.argv[1], "ab", buffering=0)

async def worker(sleeps):
    for _ in range(sleeps):
        os.write(done.fileno(), b".")  # a step begins
        await asyncio.sleep(0)
    os.write(done.fileno(), b".")

async def main(tasks=20, sleeps=500):
    await asyncio.gather(*(worker(sleeps) for _ in range(tasks)))

"""
BY_ITSELF = {
    "returns": "asyncio.run(main())",
    "raises": "asyncio.run(main())\nraise ValueError",
    "sys.exit": "asyncio.run(main())\nsys.exit(3)",
    "os._exit": "asyncio.run(main())\nos._exit(3)",
    "os._exit in a step": "async def leave():\n    await main()\n    os._exit(3)\nasyncio.run(leave())",
    "sys.exit in a thread": """
        thread = threading.Thread(target=lambda: (asyncio.run(main()), sys.exit(3)))
        thread.start()
    """,
    "a daemon thread goes on": """
        def spin():
            while True:
                time.sleep(0.0001)
        threading.Thread(target=spin, daemon=True).start()
        asyncio.run(main())
    """,
    "a fork ends first": """
        asyncio.run(main())
        pid = os.fork()
        if pid == 0:
            sys.exit()
        os.waitpid(pid, 0)
        asyncio.run(main())
    """,
    "a fork lives on": """
        asyncio.run(main())
        if os.fork() == 0:
            time.sleep(60)
    """,
}
BY_FORCE = {
    "SIGTERM": "asyncio.run(main())\nos.kill(os.getpid(), signal.SIGTERM)",
    "SIGKILL": "asyncio.run(main())\nos.kill(os.getpid(), signal.SIGKILL)",
    "another program takes its place": "asyncio.run(main())\nos.execv('/bin/sh', ['sh', '-c', 'exit 0'])",
    "its time limit": "asyncio.run(main(sleeps=10**9))",
}

Traced = Callable[..., tuple[Run, int]]


@pytest.fixture
def traced(tmp_path: Path) -> Traced:
    """Runs a script; (run, how many steps its workers began by their own count)."""

    def trace(
        ending: str, more: Callable[[Recording], None] = lambda _: None, **options: Any
    ) -> tuple[Run, int]:
        path, counted = tmp_path / "script.py", tmp_path / "count"
        path.write_text(COUNTS + textwrap.dedent(ending))
        chosen = Options(stdout=Stdout.CAPTURE, **options)
        with Recording(Target(str(path), args=(str(counted),)), chosen) as recording:
            recording.start()
            recording.go()
            while recording.poll(0.05):
                more(recording)
            return recording.result(), counted.stat().st_size

    return trace


def recorded_steps(run: Run) -> int:
    return sum(track.steps for track in run.tracks if track.function == "worker")


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes us much longer to understand what is recorded than the script to do it."""
    slow_down(monkeypatch, lambda payload: 0.3)


def slow_down(monkeypatch: pytest.MonkeyPatch, takes_s: Callable[[bytes], float]) -> None:
    quick = Assembly.feed

    def feed(self: Assembly, kind: bytes, payload: bytes, process: int = 0) -> None:
        if self.script.ready:
            time.sleep(takes_s(payload))
        quick(self, kind, payload, process)

    monkeypatch.setattr(Assembly, "feed", feed)


@pytest.mark.parametrize("ending", BY_ITSELF.values(), ids=list(BY_ITSELF))
def test_it_ends_by_itself(ending: str, traced: Traced) -> None:
    run, counted = traced(ending)
    assert recorded_steps(run) == counted > 0
    assert ("fork" in ending) == any("forks are not recorded" in note for note in run.notes)
    assert ("os._exit" in ending) == any("may be missing" in note for note in run.notes)


GAPS = "import asyncdemo.capture.recorder as recorder\nrecorder.MOST_UNSENT = -1\n"
"""Each step is one too many."""


@pytest.mark.parametrize(
    ("how", "steps_of_main"), [("returns", 2), ("os._exit in a step", 1), ("a fork ends first", 4)]
)
def test_steps_in_gaps_are_all_counted(how: str, steps_of_main: int, traced: Traced) -> None:
    run, counted = traced(GAPS + textwrap.dedent(BY_ITSELF[how]))
    assert recorded_steps(run) < measure(run).steps == counted + steps_of_main
    assert run.gaps and not run.is_whole


def test_gap_ends_once_the_recorder_has_caught_up(traced: Traced, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_BEHIND", 20_000)
    slow_down(monkeypatch, lambda payload: len(payload) / 500_000)
    run, counted = traced(
        """
        import gc
        gap, = [one for one in gc.get_objects() if type(one).__module__ == "asyncdemo.capture.gaps"]
        async def step(awaited):
            await awaited
            os.write(done.fileno(), b".")
        async def meanwhile():
            os.write(done.fileno(), b".")
            while not gap.is_open:
                await step(main(sleeps=100))
            await step(main(sleeps=100))
            while gap.is_open:
                await step(asyncio.sleep(0.05))
            await step(main(tasks=1, sleeps=10))
        asyncio.run(meanwhile())
        """
    )
    assert recorded_steps(run) < measure(run).steps == counted
    last = max(
        (track for track in run.tracks if track.function == "worker"), key=lambda track: track.start_ns
    )
    assert last.steps == 11 and State.UNKNOWN not in {span.state for span in last.spans}


@pytest.mark.parametrize("ending", BY_FORCE.values(), ids=list(BY_FORCE))
def test_it_is_ended(ending: str, traced: Traced) -> None:
    """What was under way in its memory is gone; that something may be is said, and never more is there."""
    run, counted = traced(ending, timeout_s=1.5 if "10**9" in ending else None)
    assert 0 <= recorded_steps(run) <= counted
    said = ("may be missing", "Stopped at its time limit", "replaced itself with another program")
    assert any(words in note for note in run.notes for words in said)


@pytest.mark.usefixtures("slow")
class TestWeAreSlow:
    def test_all_of_it_is_waited_for(self, traced: Traced) -> None:
        run, counted = traced("asyncio.run(main(sleeps=300))")
        assert recorded_steps(run) == counted == 20 * 301
        assert run.notes == ()
        assert all(track.outcome is not Outcome.OPEN for track in run.tracks)

    def test_of_what_a_limit_ends_all_that_was_sent(self, traced: Traced) -> None:
        run, counted = traced("asyncio.run(main(sleeps=10**9))", timeout_s=1)
        assert run.outcome is RunOutcome.TIMEOUT
        assert 0 < recorded_steps(run) <= counted
        ends_ns = max(track.end_ns for track in run.tracks) - min(track.start_ns for track in run.tracks)
        said = any("The recording ends" in note for note in run.notes)
        assert said or ends_ns > 0.8e9


@pytest.mark.parametrize("already", ["nothing", "some of it"])
def test_abandoned_wait_says_what_is_missing(
    already: str, traced: Traced, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nothing_more = tmp_path / "nothing more"

    def interrupt_once_it_has_ended(recording: Recording) -> None:
        if already == "nothing" or recording._assembly.script.received_until_ns:
            monkeypatch.setattr(EventConnections, "process_received", lambda _: None)
            nothing_more.touch()
        if recording.exit_code is not None:
            recording.interrupt()

    run, counted = traced(
        f"""
        asyncio.run(main())
        while not os.path.exists({str(nothing_more)!r}):
            time.sleep(0.01)
        asyncio.run(main())
        """,
        interrupt_once_it_has_ended,
    )
    assert counted == 2 * 20 * 501
    assert recorded_steps(run) <= counted / 2
    assert run.outcome is RunOutcome.INTERRUPTED
    assert any(note.startswith("The recording ends ") for note in run.notes)


def test_script_outlives_its_reader_and_the_recording_says_where(
    traced: Traced, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As if we were stopped: what would pile up in the script is bounded."""
    taking, counts = EventConnections.__iter__, tmp_path / "count"

    def take_nothing_while_it_works(self: EventConnections) -> Any:
        works = counts.exists() and 0 < counts.stat().st_size < 20 * 4001
        return iter(()) if works else taking(self)

    monkeypatch.setattr(EventConnections, "__iter__", take_nothing_while_it_works)
    run, counted = traced(
        """
        import asyncdemo.capture.outbox as outbox
        outbox.MOST_WAITING = 1 << 20
        asyncio.run(main(sleeps=4000))
        """
    )
    assert counted == 20 * 4001, "the script did all it had to do"
    assert 0 < recorded_steps(run) < counted
    assert any("asyncdemo stopped reading the events" in note for note in run.notes)


class TestBacklog:
    def test_it_gives_back_what_it_was_given(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(backlog, "_IN_MEMORY", 100)
        waiting, given, taken = Backlog(), b"", b""
        for size in (40, 50, 60, 70, 10, 300_000, 5):
            data = os.urandom(size)
            given += data
            waiting.put(data)
            if size == 70:
                taken += waiting.take()
        while waiting:
            taken += waiting.take()
        assert taken == given
        assert not waiting.full and waiting.take() == b""
        waiting.put(b"again")
        assert waiting.take() == b"again"

    def test_full_disk_loses_nothing_and_no_more_is_requested(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def no_room() -> Any:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(backlog, "_IN_MEMORY", 100)
        monkeypatch.setattr(tempfile, "TemporaryFile", no_room)
        waiting = Backlog()
        waiting.put(b"a" * 90)
        full = [waiting.full]
        waiting.put(b"b" * 90)
        full.append(waiting.full)
        waiting.put(b"c")
        assert waiting.take() + waiting.take() + waiting.take() == b"a" * 90 + b"b" * 90 + b"c"
        full.append(waiting.full)
        assert full == [False, True, False]
        assert not waiting
