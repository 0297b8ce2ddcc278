"""One recording: its limits, its end, and what a damaged stream of events leaves of it."""

from __future__ import annotations

import os
import resource
import signal
import socket
import sysconfig
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.capture import wire
from asyncdemo.errors import MissingError, UsageError
from asyncdemo.model import Run, RunOutcome, Site, State
from asyncdemo.recording import limits
from asyncdemo.recording.assembly import Assembly
from asyncdemo.recording.connections import EventConnections
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Recording, SpareChildren, Stdout, Target, record
from tests.hostile.traced import is_alive, until

BEFORE = """
import asyncio, os, signal, sys, time
async def before(): await asyncio.sleep(0.15)
asyncio.run(before())
"""

STUBBORN = """
signal.signal(signal.SIGINT, signal.SIG_IGN)
open(os.path.dirname(sys.argv[0]) + "/started", "w").close()
while True: time.sleep(0.01)
"""


def test_without_the_gil_nothing_is_recorded_unless_enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": 1}.get)
    with pytest.raises(MissingError, match="export PYTHON_GIL=1"):
        Recording(Target("script.py"), Options())
    monkeypatch.setenv("PYTHON_GIL", "1")
    Recording(Target("script.py"), Options()).close()


class Ears(OutputBuffer):
    """Also keeps which lanes there were and which lines blocked a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.blocked: list[Site | None] = []
        self.last_ns = 0

    def lane_opened(self, lane: int, name: str, at_ns: int, state: State) -> None:
        assert lane == len(self.opened)
        self.opened.append(name)

    def loop_blocked(self, since_ns: int, now_ns: int, site: Site | None, called_from: Site | None) -> None:
        self.blocked.append(site)

    def clock(self, now_ns: int) -> None:
        self.last_ns = max(self.last_ns, now_ns)


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Target]:
    def write(text: str) -> Target:
        path = tmp_path / "script.py"
        path.write_text(BEFORE + textwrap.dedent(text))
        return Target(str(path))

    return write


Write = Callable[[str], Target]


def going(recording: Recording, until_true: Callable[[], bool]) -> None:
    """Start the recording and poll it until the condition holds."""
    recording.start()
    recording.go()
    assert until(lambda: recording.poll(0.02) and until_true(), 30)


def rest(recording: Recording) -> Run:
    assert until(lambda: not recording.poll(0.05), 30)
    recording.close()
    return recording.result()


def names(run: Run) -> set[str]:
    return {lane.name for lane in run.lanes}


class TestEnd:
    def test_only_a_second_interrupt_ends_an_unconfined_script(
        self, script: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "_GRACE_S", 0.1)
        target = script("""
            def note(*_): open("noted", "w").close()
            os.chdir(os.path.dirname(sys.argv[0]))
            signal.signal(signal.SIGINT, note)
            open("started", "w").close()
            while True: time.sleep(0.01)
        """)
        with Recording(target, Options(confined=False)) as recording:
            going(recording, (tmp_path / "started").exists)
            recording.interrupt()
            assert until(lambda: recording.poll(0.02) and (tmp_path / "noted").exists(), 30)
            assert not until(lambda: not recording.poll(0.02), 0.5), "it may take as long as it needs"
            recording.interrupt()
            run = rest(recording)
        assert run.outcome is RunOutcome.INTERRUPTED
        assert run.exit_code is None, "it was ended, and never came to its own code"
        assert run.notes == ("Killed: it was still running when it was interrupted again.",)
        assert "Task-1 before" in names(run)

    def test_time_limit_is_suspended_while_stopped_by_ctrl_z(self, script: Write) -> None:
        ears = Ears()
        options = Options(stdout=Stdout.CAPTURE, timeout_s=60)
        with Recording(script('print("ready"); time.sleep(60)'), options, ears) as recording:
            going(recording, lambda: "ready" in ears.stdout)
            assert recording._limits.deadline is not None
            before = recording._limits.deadline
            recording.send_signal(signal.SIGSTOP)
            paused = time.monotonic()
            time.sleep(0.05)
            resumed = time.monotonic()
            recording.send_signal(signal.SIGCONT)
            assert recording._limits.deadline - before >= resumed - paused

    def test_a_signal_is_passed_on_as_it_is(self, script: Write) -> None:
        ears = Ears()
        target = script("""
            got = []
            def hear(number, _):
                print(signal.Signals(number).name)
                got.append(number)
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, hear)
            print("ready")
            while len(got) < 2: time.sleep(0.01)
        """)
        with Recording(target, Options(stdout=Stdout.CAPTURE, confined=False), ears) as recording:
            going(recording, lambda: "ready" in ears.stdout)
            recording.interrupt(signal.SIGTERM)
            assert until(lambda: recording.poll(0.02) and "SIGTERM" in ears.stdout, 30)
            recording.interrupt(signal.SIGHUP)
            run = rest(recording)
        assert (run.outcome, run.exit_code, run.notes) == (RunOutcome.INTERRUPTED, 0, ())
        assert ears.stdout.split() == ["ready", "SIGTERM", "SIGHUP"]

    @pytest.mark.parametrize(
        ("act", "outcome", "notes"),
        [
            (
                lambda recording: recording.interrupt(),
                RunOutcome.INTERRUPTED,
                ("Killed: it was still running 0.1 s after it was interrupted.",),
            ),
            (
                lambda recording: recording.end(grace_s=0.2),
                RunOutcome.FAILED,
                ("Killed: it was still running 0.2 s after it was asked to end.",),
            ),
            (
                lambda recording: (recording.end(grace_s=10_000), recording.interrupt()),
                RunOutcome.INTERRUPTED,
                ("Killed: it was still running when it was interrupted again.",),
            ),
        ],
        ids=["interrupted", "asked to end", "interrupted after it was asked to end"],
    )
    def test_one_that_does_not_end_is_killed_after_a_while(
        self,
        act: Callable[[Recording], object],
        outcome: RunOutcome,
        notes: tuple[str, ...],
        script: Write,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(limits, "_GRACE_S", 0.1)
        with Recording(script(STUBBORN), Options()) as recording:
            going(recording, (tmp_path / "started").exists)
            act(recording)
            run = rest(recording)
        assert (run.outcome, run.exit_code, run.notes) == (outcome, None, notes)

    def test_interrupt_before_the_script_says_so_without_our_frames(self, script: Write) -> None:
        ears = Ears()
        with Recording(script("print('began')"), Options(stdout=Stdout.CAPTURE), ears) as recording:
            recording.start()
            recording.interrupt()
            run = rest(recording)
        assert run.outcome is RunOutcome.INTERRUPTED
        assert run.notes == ("Stopped before the script started.",)
        assert ears.text == ""

    def test_a_script_that_is_asked_to_end_was_not_interrupted(self, script: Write, tmp_path: Path) -> None:
        target = script("""
            sleeps = [sys.executable, "-c", "import time; time.sleep(600)"]
            helper = os.spawnv(os.P_NOWAIT, sys.executable, sleeps)
            try:
                open(os.path.dirname(sys.argv[0]) + "/started", "w").close()
                time.sleep(600)
            except KeyboardInterrupt:
                time.sleep(0.3)
                ended, _ = os.waitpid(helper, os.WNOHANG)
                open(os.path.dirname(sys.argv[0]) + "/helper", "w").write(str(ended))
        """)
        with Recording(target, Options()) as recording:
            going(recording, (tmp_path / "started").exists)
            recording.end(grace_s=60)
            recording.end(grace_s=0)
            run = rest(recording)
        assert (run.outcome, run.exit_code, run.notes) == (RunOutcome.OK, 0, ())
        assert (tmp_path / "helper").read_text() == "0", "only the main process is asked"

    def test_closed_in_the_middle_it_gives_what_there_is(self, script: Write) -> None:
        ears = Ears()
        recording = Recording(script("time.sleep(600)"), Options(), ears)
        going(recording, lambda: "Task-1 before" in ears.opened)
        recording.close()
        recording.close()
        assert "Task-1 before" in names(recording.result())
        assert not recording.poll(0)

    def test_exception_in_the_middle_leaves_no_process_and_no_files(
        self, script: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pids: list[int] = []
        folders: list[str] = []
        plain_mkdtemp = tempfile.mkdtemp

        def mkdtemp(**options: Any) -> str:
            folders.append(plain_mkdtemp(**options))
            return folders[-1]

        def broken() -> None:
            with Recording(script("time.sleep(600)"), Options()) as recording:
                recording.start()
                assert recording._child is not None
                pids.append(recording._child.process.pid)
                raise KeyboardInterrupt

        monkeypatch.setattr(tempfile, "mkdtemp", mkdtemp)
        open_before = set(os.listdir("/dev/fd"))
        with pytest.raises(KeyboardInterrupt):
            broken()
        assert not is_alive(pids[0])
        assert not os.path.exists(folders[0])
        assert set(os.listdir("/dev/fd")) <= open_before

    @pytest.mark.parametrize("stdout", Stdout)
    def test_no_descriptor_and_no_thread_stays(self, script: Write, stdout: Stdout) -> None:
        target, options = script("print('x' * 100_000)"), Options(stdout=stdout)
        record(target, options)
        before, threads = len(os.listdir("/dev/fd")), threading.active_count()
        record(target, options)
        assert len(os.listdir("/dev/fd")) == before
        assert threading.active_count() == threads

    def test_wrong_use_raises_and_leaves_nothing(self, script: Write) -> None:
        with pytest.raises(UsageError, match="no knob CUPS"):
            record(script(""), Options(knobs={"CUPS": "1"}))
        with pytest.raises(UsageError, match=r"There is no file nowhere\.py"):
            record(Target("nowhere.py"), Options())

    def test_what_it_leaves_running_goes_on_unless_it_is_confined(
        self, script: Write, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        ears = Ears()

        def hears() -> bool:
            ears.output("stdout", capfd.readouterr().out)
            return "goes on" in ears.stdout

        target = script("""
            os.chdir(os.path.dirname(sys.argv[0]))
            if os.fork(): sys.exit(print("ends"))
            while not os.path.exists("over"): time.sleep(0.01)
            print("goes on")
            open("done", "w").close()
        """)
        run = record(target, Options(stdout=Stdout.CAPTURE, confined=False), ears)
        (tmp_path / "over").touch()
        assert until((tmp_path / "done").exists, 10), "it died of writing"
        assert until(hears, 10)
        assert (run.outcome, ears.stdout) == (RunOutcome.OK, "ends\ngoes on\n")
        assert "It left 1 process running." in run.notes


class TestLimits:
    def test_time(self, script: Write) -> None:
        run = record(script("while True: pass"), Options(timeout_s=0.5))
        assert (run.outcome, run.notes) == (RunOutcome.TIMEOUT, ("Stopped at its time limit of 0.5 s.",))
        assert "Task-1 before" in names(run)

    @pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="macOS says it more slowly")
    @pytest.mark.parametrize(
        "text",
        [
            "kept = []\nwhile True: kept.append(bytearray(b'x' * 10**6)); time.sleep(0.001)",
            "for _ in range(3): os.fork()\n"
            "kept = []\nwhile True: kept.append(bytearray(b'x' * 10**6)); time.sleep(0.001)",
        ],
        ids=["of one process", "of all together"],
    )
    def test_memory(self, script: Write, text: str) -> None:
        run = record(script(text), Options(memory_bytes=250_000_000, timeout_s=30))
        assert run.outcome is RunOutcome.FAILED
        assert run.notes[0] == "Stopped because it used more than 0.2 GB of memory."
        assert "Task-1 before" in names(run)

    def test_number_of_processes(self, script: Write, tmp_path: Path) -> None:
        text = f"""
            for _ in range(12):
                if os.fork() == 0:
                    os.setsid()
                    open(f"{tmp_path}/{{os.getpid()}}.pid", "w").close()
                    time.sleep(600)
            time.sleep(600)
        """
        run = record(script(text), Options(processes=10, timeout_s=30))
        assert run.outcome is RunOutcome.FAILED
        assert run.notes[0] == "Stopped because it started more than 10 processes."
        pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
        assert pids and until(lambda: not any(map(is_alive, pids)), 5)

    def test_only_a_confined_script_has_limits(self, script: Write) -> None:
        text = "time.sleep(0.3)"
        confined = Options(memory_bytes=1, processes=0)
        assert record(script(text), confined).outcome is RunOutcome.FAILED
        assert record(script(text), replace(confined, confined=False)).outcome is RunOutcome.OK


class TestOutput:
    def test_captured_output_is_given_as_text_of_its_stream(self, script: Write) -> None:
        ears = Ears()
        text = "print('caffè ☕')\nprint('no', file=sys.stderr)\nsys.stdout.buffer.write(b'\\xff!')"
        record(script(text), Options(stdout=Stdout.CAPTURE), ears)
        assert (ears.stdout, ears.stderr) == ("caffè ☕\n�!", "no\n")

    def test_endless_output_starves_neither_events_nor_limits(self, script: Write) -> None:
        ears = Ears()
        text = """
            async def count():
                for n in range(10**9):
                    await asyncio.create_task(asyncio.sleep(0))
                    os.write(1, b"x" * 65536)
            asyncio.run(count())
        """
        run = record(script(text), Options(stdout=Stdout.CAPTURE, timeout_s=1.5), ears)
        assert run.outcome is RunOutcome.TIMEOUT
        assert len(ears.opened) > 20
        assert run.tracks[-1].start_ns > run.tracks[2].start_ns
        assert ears.last_ns > 0

    def test_a_listener_that_is_slow_gets_all_of_it(self, script: Write) -> None:
        class Slow(Ears):
            def output(self, stream: str, text: str) -> None:
                time.sleep(0.001)
                super().output(stream, text)

        ears = Slow()
        record(script("print('y' * 900_000)"), Options(stdout=Stdout.CAPTURE), ears)
        assert ears.stdout.count("y") == 900_000

    def test_blocked_loop_is_reported_while_it_is_blocked(self, script: Write) -> None:
        ears = Ears()
        text = "async def block(): time.sleep(600)\nasyncio.run(block())"
        with Recording(script(text), Options(), ears) as recording:
            going(recording, lambda: bool(ears.blocked))
        site = ears.blocked[0]
        assert site is not None and site.function == "block"


class TestDamagedStream:
    """Whatever arrives, there is a run, and a note that says that it is not all."""

    @pytest.mark.parametrize(
        "garbage",
        [
            b"\xff" * 100,
            wire.frame(wire.NUMBERS, b"12345"),
            wire.numbers_frame([999, 1, 2, 3, 4, 5]),
            wire.frame(wire.MESSAGES, b"[" * 100_000),
            wire.json_frame(wire.MESSAGES, [["End", 5, 1, "returned", None, None, None]]),
        ],
    )
    def test_garbage(self, garbage: bytes) -> None:
        task = ["Task", 0, "Task-1", "brew", None, None, None, 1000, None, False]
        assembly = Assembly(named=False, threshold_ns=50_000_000)
        connections = EventConnections(assembly)
        ours, theirs = socket.socketpair()
        connections.open(ours, wire.FrameReader())
        with theirs:
            theirs.sendall(
                wire.json_frame(wire.MESSAGES, [["Ready", "3", {}, "real"], ["Start", 1000], task])
            )
            theirs.sendall(garbage)
            theirs.sendall(wire.json_frame(wire.MESSAGES, [["Finish", 5000]]))
        while connections:
            for one in connections:
                connections.read(one)
            connections.process_received()
        run = assembly.run(name="n", script="s.py", argv=(), outcome=RunOutcome.OK, exit_code=0)
        assert "Task-1 brew" in {f"{track.name} {track.function}" for track in run.tracks}
        assert any("The recording stops early" in note for note in run.notes)

    def test_a_script_that_writes_into_our_connection(self, script: Write) -> None:
        text = """
            for n in range(3, 1024):
                try: os.write(n, b"\\xff" * 64)
                except OSError: pass
            asyncio.run(before())
        """
        run = record(script(text), Options(timeout_s=30))
        assert run.outcome is RunOutcome.OK
        assert any("The recording stops early" in note for note in run.notes)
        assert "Task-1 before" in names(run)


def test_recording_works_with_more_open_files_than_select_allows(script: Write) -> None:
    most, (soft, hard) = 1024, resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < most + 200:
        pytest.skip("that many files cannot be opened here")
    ears = Ears()
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most + 200), hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= most:
            stack.callback(os.close, descriptor)
        stack.callback(os.close, descriptor)
        run = record(script("print('out')"), Options(stdout=Stdout.CAPTURE, timeout_s=30), ears)
    assert (run.exit_code, run.notes, ears.stdout) == (0, (), "out\n")
    assert "Task-1 before" in names(run)


def test_a_scripts_terminal_has_the_size_of_ours(script: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    ears = Ears()
    text = """
        print(*os.get_terminal_size())
        signal.signal(signal.SIGWINCH, lambda *_: print(*os.get_terminal_size()))
        print("ready")
        signal.pause()
    """
    monkeypatch.setattr("asyncdemo.recording.runner.terminal_size", lambda: (30, 90))
    with Recording(script(text), Options(stdout=Stdout.CAPTURE, stdin=False), ears) as recording:
        going(recording, lambda: "ready" in ears.stdout)
        monkeypatch.setattr("asyncdemo.recording.runner.terminal_size", lambda: (20, 60))
        assert rest(recording).exit_code == 0
    assert ears.stdout.split() == ["90", "30", "ready", "60", "20"]


def test_the_environment_is_for_the_script_alone(script: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was set for the variables of that name here does not reach it; nor does it reach us."""
    monkeypatch.setenv("BEAN", "robusta")
    ears = Ears()
    text = "import subprocess\nsubprocess.run('echo $BEAN $CUP; printenv BEAN', shell=True)"
    options = Options(
        stdout=Stdout.CAPTURE, stdin=False, environment={"BEAN": "arabica", "CUP": "große 'Tasse'"}
    )
    with SpareChildren() as spares, Recording(script(text), options, ears, spares.take()) as recording:
        recording.start()
        recording.go()
        rest(recording)
    assert ears.stdout == "arabica große 'Tasse'\narabica\n"
    assert "CUP" not in os.environ


def test_the_script_does_not_see_how_it_is_watched(script: Write) -> None:
    """But for one variable in its environment, which distinguishes what it leaves behind."""
    ears = Ears()
    text = "print(sorted(n for n in os.environ if 'ASYNC' in n.upper() or 'MALLOC' in n), sys.argv[1:])"
    target = Target(script(text).script, args=("a", "b"))
    record(target, Options(stdout=Stdout.CAPTURE), ears)
    assert ears.stdout == f"{[wire.ENV]} ['a', 'b']\n"


def test_script_that_becomes_a_fifo_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    os.mkfifo(script)
    monkeypatch.setattr("asyncdemo.recording.runner._check", lambda _: None)  # it is replaced after that
    monkeypatch.setattr("asyncdemo.recording.runner._START_TIMEOUT_S", 20.0)
    with pytest.raises(UsageError, match="Not a regular file"):
        record(Target(str(script)), Options())
