"""Processes that a script starts with multiprocessing's spawn: recorded, and running as they would anyway."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from asyncdemo.capture import wire
from asyncdemo.model import Outcome, ResourceKind, Run, RunOutcome
from asyncdemo.recording.runner import Call, Options, Recording, Stdout, Target, record
from tests.hostile.traced import is_alive, until
from tests.support.plain_and_traced import PYTHON, plain, traced

STARTS = """
import asyncio, multiprocessing, os, signal, sys, threading, time
CUPS = 1

def brew(number):
    time.sleep(0.02)

async def pour(number):
    await asyncio.sleep(0.02)

async def both():
    await asyncio.gather(*(pour(number) for number in range(CUPS)))

def work(number):
    for _ in range(CUPS):
        brew(number)
    asyncio.run(both())

def start(function, *arguments, **options):
    process = multiprocessing.get_context("spawn").Process(target=function, args=arguments, **options)
    process.start()
    return process
"""
TWO_WORK = """
if __name__ == "__main__":
    for process in [start(work, number) for number in range(2)]:
        process.join()
    brew(9)
"""
LOOKS_ABOUT = """
def look(queue):
    here, main = sys.modules[__name__], sys.modules["__main__"]
    print(__name__, __file__, here is main, sorted(vars(main)), flush=True)
    print(sys.argv, sys.path, sys.flags, os.getcwd(), sorted(set(os.environ) - {"ASYNCDEMO_RUN"}))
    print([thread.name for thread in threading.enumerate()], multiprocessing.current_process().name)
    print([signal.getsignal(number) for number in signal.valid_signals()], sys.excepthook, sys.meta_path[-1:])
    print(sorted(number for number in map(int, os.listdir("/dev/fd")) if number < 200))
    print(multiprocessing.spawn.get_command_line, sorted(dir(multiprocessing.spawn)), flush=True)
    queue.put(CUPS)

def fail():
    raise ValueError("no beans")

def leave():
    sys.exit(3)

if __name__ == "__main__":
    queue = multiprocessing.get_context("spawn").SimpleQueue()
    for function, arguments in ((look, (queue,)), (fail, ()), (leave, ())):
        process = start(function, *arguments)
        process.join()
        print(process.exitcode, flush=True)
    print(queue.get())
"""

Write = Callable[[str], Path]


@pytest.fixture
def script(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "script.py"
        path.write_text(STARTS + textwrap.dedent(text))
        return path

    return write


def followed(path: Path, *lanes: str, **options: object) -> Run:
    return record(Target(str(path)), Options(follow=True, lanes=lanes, timeout_s=60, **options))  # type: ignore[arg-type]


def calls(run: Run) -> list[tuple[int, str, str]]:
    return sorted((run.tracks[lane.track].process, lane.name, lane.outcome.value) for lane in run.lanes)


class TestTheyAreRecorded:
    def test_with_the_lanes_and_knobs_of_the_script(self, script: Write) -> None:
        folder = script(TWO_WORK).parent
        _, run = traced("script.py", folder=folder, lanes=("brew", "pour"), follow=True, knobs={"CUPS": "2"})
        assert (run.outcome, run.notes, run.processes) == (RunOutcome.OK, (), 3)
        numbers = {process: name[-2] for process, name, _ in calls(run) if name.startswith("brew")}
        assert calls(run) == sorted(
            (process, name, "returned")
            for process, names in (
                (0, ["brew(9)"]),
                *((p, [f"brew({numbers[p]})"] * 2 + ["pour(0)", "pour(1)"]) for p in (1, 2)),
            )
            for name in names
        )
        assert {numbers[1], numbers[2]} == {"0", "1"}
        main = next(track for track in run.tracks if track.process == 0)
        others = [track for track in run.tracks if track.process]
        assert all(main.start_ns < track.start_ns <= track.end_ns < main.end_ns for track in others)

    def test_their_rows_say_whose_they_are(self, script: Write) -> None:
        text = (
            "if __name__ == '__main__':\n    start(brew, 1, name='kitchen').join()\n    start(brew, 2).join()"
        )
        run = followed(script(text))
        rows = [lane.name for lane in run.lanes]
        assert rows == ["MainThread", "MainThread (kitchen)", "MainThread (SpawnProcess-2)"]
        assert [track.name for track in run.tracks if track.name.startswith("Main")] == ["MainThread"] * 3

    def test_what_is_limited_and_what_blocks_belongs_to_one_of_them(self, script: Write) -> None:
        """Also if it was started by another one of them."""
        run = followed(
            script("""
                async def queue_up():
                    gate = asyncio.Semaphore(1)
                    async def through():
                        async with gate:
                            time.sleep(0.2)
                            await asyncio.sleep(0.02)
                    await asyncio.gather(through(), through())

                def serve(others):
                    asyncio.run(queue_up())
                    if others:
                        start(serve, others - 1).join()

                if __name__ == "__main__":
                    serve(2)
            """)
        )
        gates = [one for one in run.resources if one.kind is ResourceKind.SEMAPHORE]
        assert [gate.process for gate in gates] == [0, 1, 2]
        for gate in gates:
            assert {run.tracks[slot.track].process for slot in gate.slots} == {gate.process}
            waited = {
                run.tracks[lane.track].process
                for lane in run.lanes
                for span in lane.spans
                if span.wait.resource == gate.index
            }
            assert waited == {gate.process}
        blocked = [
            (run.tracks[step.track].process, step.called_from and step.called_from.function)
            for step in run.slow_steps
            if step.track is not None and step.reason == "sleep"
        ]
        assert blocked == [(process, "queue_up.<locals>.through") for process in (0, 0, 1, 1, 2, 2)]

    @pytest.mark.parametrize(
        "pool",
        [
            "with multiprocessing.get_context('spawn').Pool(2) as pool:\n        pool.map(brew, range(6))\n"
            "        pool.close()\n        pool.join()",
            "from concurrent.futures import ProcessPoolExecutor\n"
            "    with ProcessPoolExecutor(2, multiprocessing.get_context('spawn')) as pool:\n"
            "        list(pool.map(brew, range(6)))",
        ],
        ids=["Pool", "ProcessPoolExecutor"],
    )
    def test_the_workers_of_pools(self, script: Write, pool: str) -> None:
        run = followed(script(f"if __name__ == '__main__':\n    {pool}"), "brew")
        assert {name for _, name, _ in calls(run)} == {f"brew({number})" for number in range(6)}
        assert {process for process, _, _ in calls(run)} <= {1, 2} and run.processes == 3

    def test_none_that_serve_multiprocessing_itself(self, script: Write) -> None:
        run = followed(
            script("""
                def count(shared):
                    shared["cups"] = 7
                    brew(1)

                if __name__ == "__main__":
                    multiprocessing.set_start_method("spawn")
                    with multiprocessing.Manager() as manager:
                        shared = manager.dict()
                        start(count, shared).join()
                        assert shared["cups"] == 7
            """),
            "brew",
        )
        assert (run.outcome, run.processes, calls(run)) == (RunOutcome.OK, 2, [(1, "brew(1)", "returned")])

    def test_where_the_script_is_imported_under_its_own_name(self, script: Write) -> None:
        """As servers do that are given ``module:app``, in the script's process too."""
        run = followed(
            script("""
                def serve(number):
                    import script
                    assert script is not sys.modules["__main__"]
                    script.brew(number)

                if __name__ == "__main__":
                    serve(1)
                    start(serve, 2).join()
            """),
            "brew",
        )
        assert calls(run) == [(0, "brew(1)", "returned"), (1, "brew(2)", "returned")]

    def test_a_module_that_runs_as_with_m(self, script: Write) -> None:
        path = script(TWO_WORK)
        (path.parent / "cafe").mkdir()
        path.rename(path.parent / "cafe" / "bar.py")
        seen, run = traced("-m", "cafe.bar", folder=path.parent, lanes=("brew",), follow=True)
        assert seen.exit_code == 0
        assert [process for process, _, _ in calls(run)] == [0, 1, 2]

    def test_those_that_a_called_function_starts(self, script: Write) -> None:
        path = script("def open_up():\n    for process in [start(work, 1), start(work, 2)]: process.join()")
        call = Call("script", "open_up", lanes={"script": ["brew"]}, path=(str(path.parent), *sys.path))
        run = record(Target(str(path), call=call), Options(follow=True, timeout_s=60))
        assert [process for process, _, _ in calls(run)] == [1, 2]

    def test_in_a_process_that_was_started_ahead(self, script: Write) -> None:
        from asyncdemo.recording.runner import SpareChildren

        options = Options(follow=True, lanes=("brew",), stdout=Stdout.CAPTURE, stdin=False, timeout_s=60)
        with SpareChildren() as spares:
            assert until(lambda: spares.fill(1))
            with Recording(Target(str(script(TWO_WORK))), options, None, spares.take()) as recording:
                recording.start()
                recording.go()
                while recording.poll(0.1):
                    pass
                run = recording.result()
        assert [process for process, _, _ in calls(run)] == [0, 1, 2]

    def test_time_is_real(self, script: Write) -> None:
        run = followed(script(TWO_WORK), virtual=True)
        assert (run.clock, run.notes) == ("real", ())


class TestTheyRunAsTheyWould:
    @pytest.mark.parametrize("importable", [False, True])
    def test_nothing_changes(self, script: Write, importable: bool) -> None:
        """Nor does it if the tracer is on the script's own import path."""
        folder = script(LOOKS_ABOUT).parent
        environment = {"PYTHONPATH": str(Path(wire.__file__).parents[2]) if importable else ""}
        expected = plain("script.py", "a", folder=folder, environment=environment)
        assert "'--multiprocessing-fork'" not in expected.stdout and "no beans" in expected.stderr
        seen, run = traced(
            "script.py", "a", folder=folder, lanes=("look",), follow=True, environment=environment
        )
        assert seen == expected
        assert run.processes == 4
        ends = [(t.process, t.outcome) for t in run.tracks if t.name == "MainThread"]
        assert ends == [
            (0, Outcome.RETURNED),
            (1, Outcome.RETURNED),
            (2, Outcome.RAISED),
            (3, Outcome.RETURNED),
        ]

    @pytest.mark.parametrize("follow", [False, True])
    def test_objects_that_multiprocessing_shares(self, script: Write, follow: bool) -> None:
        """What makes a lock is sent to another process, by its name."""
        text = """
            def use(lock, rlock):
                with lock, rlock, threading.Lock(), threading.RLock():
                    print("both", flush=True)

            if __name__ == "__main__":
                multiprocessing.set_start_method("spawn")
                with multiprocessing.Manager() as manager:
                    locks = manager.Lock(), manager.RLock()
                    start(use, *locks).join()
        """
        seen, _ = traced("script.py", folder=script(text).parent, follow=follow)
        assert (seen.exit_code, seen.stdout, seen.stderr) == (0, "both\n", "")

    def test_an_error_while_the_script_is_loaded_again(self, script: Write) -> None:
        text = """
            if __name__ == "__mp_main__":
                import nowhere

            if __name__ == "__main__":
                process = start(brew, 1)
                process.join()
                print(process.exitcode)
        """
        folder = script(text).parent
        seen, _ = traced("script.py", folder=folder, follow=True)
        assert seen == plain("script.py", folder=folder)

    @pytest.mark.parametrize(
        "text", ["del os.environ['ASYNCDEMO_RUN']", "os.environ['ASYNCDEMO_RUN'] = 'x:y'"]
    )
    def test_one_that_cannot_find_us_is_not_observed(self, script: Write, text: str) -> None:
        run = followed(
            script(f"if __name__ == '__main__':\n    {text}\n    start(brew, 1).join()\n    brew(2)"), "brew"
        )
        assert (run.outcome, run.processes, calls(run)) == (RunOutcome.OK, 1, [(0, "brew(2)", "returned")])

    def test_a_script_that_was_edited_meanwhile(self, script: Write) -> None:
        text = """
            if __name__ == "__main__":
                with open(__file__) as file:
                    text = file.read()
                with open(__file__, "w") as file:
                    file.write(text.replace("brew", "infuse"))
                process = start(work, 1)
                process.join()
                assert process.exitcode == 0
        """
        run = followed(script(text), "brew")
        assert run.outcome is RunOutcome.OK
        assert any("process 1: There is no function brew" in note for note in run.notes)


WORK = Path(wire.__file__).parent / "boot" / "importlib_bootstrap.py"


def work(environment: str | None) -> str:
    """What the boot file does with this in its environment, and this code."""
    command = [PYTHON, str(WORK), "import sys; print('ran', sys.argv)", "--multiprocessing-fork"]
    plain_environment = {name: value for name, value in os.environ.items() if name != wire.ENV}
    extra = {} if environment is None else {wire.ENV: environment}
    done = subprocess.run(
        command, env={**plain_environment, **extra}, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("environment", [None, "", "/nowhere/at/all#token"])
def test_nobody_there(environment: str | None) -> None:
    assert work(environment) == "ran ['-c', '--multiprocessing-fork']\n"


def test_somebody_who_says_nothing_and_goes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("door")
        door.listen()
        door.settimeout(60)
        address = "door#token"
        process = subprocess.Popen(
            [PYTHON, str(WORK), "print('ran')"], env={**os.environ, wire.ENV: address}, stdout=subprocess.PIPE
        )
        caller, _ = door.accept()
        caller.recv(1)
        caller.close()
        assert process.communicate(timeout=60)[0] == b"ran\n"


SAID_NOTHING = (
    " ended without notice: it was killed, called os._exit(), or closed the tracer's connection. "
    "Its last events may be missing."
)


class TestEnds:
    def test_killed_one_costs_its_own_later_events(self, script: Write) -> None:
        run = followed(
            script("""
                def die():
                    brew(1)
                    time.sleep(0.3)
                    os.kill(os.getpid(), signal.SIGKILL)

                if __name__ == "__main__":
                    process = start(die, name="doomed")
                    process.join()
                    assert process.exitcode == -signal.SIGKILL
                    start(brew, 2).join()
                    brew(3)
            """),
            "brew",
        )
        assert calls(run) == [
            (0, "brew(3)", "returned"),
            (1, "brew(1)", "returned"),
            (2, "brew(2)", "returned"),
        ]
        assert run.outcome is RunOutcome.OK
        assert run.notes == ("doomed" + SAID_NOTHING,)
        doomed, main = (next(t for t in run.tracks if t.process == process) for process in (1, 0))
        assert doomed.outcome is Outcome.OPEN and doomed.end_ns < main.end_ns

    def test_what_one_does_to_its_connection_is_its_own_loss(self, script: Write) -> None:
        run = followed(
            script("""
                def forks():
                    child = os.fork()
                    brew(1)
                    if child == 0:
                        os._exit(0)
                    os.waitpid(child, 0)

                def closes():
                    brew(2)
                    time.sleep(0.3)
                    os.closerange(3, 1000)

                def garbles():
                    brew(3)
                    time.sleep(0.3)
                    for number in range(200, 210):
                        try:
                            os.write(number, b"\\xff" * 64)
                        except OSError:
                            pass

                if __name__ == "__main__":
                    processes = [start(one, name=one.__name__) for one in (forks, closes, garbles)]
                    for process in processes:
                        process.join()
                        assert process.exitcode == 0
                    brew(4)
            """),
            "brew",
        )
        assert {name for _, name, _ in calls(run)} == {f"brew({number})" for number in (1, 2, 3, 4)}
        assert len(run.lanes) == 4, "a fork runs on unobserved"
        assert sorted(run.notes) == [
            "The recording of garbles stops early: the stream of events is garbled.",
            "closes" + SAID_NOTHING,
            "forks was forked once: forks are not recorded.",
        ]

    HANGS = """
        def hang():
            with open(os.path.join(os.path.dirname(sys.argv[0]), str(os.getpid()) + ".pid"), "w"):
                pass
            while True:
                time.sleep(0.01)

        if __name__ == "__main__":
            processes = [start(hang, daemon=True) for _ in range(2)]
            for process in processes:
                process.join()
    """

    @staticmethod
    def pids(folder: Path) -> list[int]:
        return [int(path.stem) for path in folder.glob("*.pid")]

    def test_who_has_not_ended_is_said_of_all(self, script: Write) -> None:
        path = script(self.HANGS)
        with Recording(Target(str(path)), Options(follow=True, timeout_s=60)) as recording:
            recording.start()
            recording.go()
            assert until(lambda: recording.poll(0.05) and len(self.pids(path.parent)) == 2)
            recording._limits.deadline = time.monotonic()  # it is reached now
            assert until(lambda: not recording.poll(0.05))
            run = recording.result()
        assert run.outcome is RunOutcome.TIMEOUT
        assert {one.name for one in run.stuck} >= {
            "MainThread (SpawnProcess-1)",
            "MainThread (SpawnProcess-2)",
        }
        assert not any(map(is_alive, self.pids(path.parent)))

    @pytest.mark.parametrize("started", [0, 2])
    def test_interrupted_it_leaves_nothing(self, script: Write, started: int) -> None:
        path = script(self.HANGS)
        options = Options(follow=True, stdout=Stdout.CAPTURE)
        with Recording(Target(str(path)), options) as recording:
            recording.start()
            recording.go()
            assert until(lambda: recording.poll(0.01) and len(self.pids(path.parent)) >= started)
            recording.interrupt()
            assert until(lambda: not recording.poll(0.05))
            run = recording.result()
        assert run.outcome is RunOutcome.INTERRUPTED
        assert not any(SAID_NOTHING in note for note in run.notes)
        assert not any(map(is_alive, self.pids(path.parent)))

    def test_asked_to_end_it_ends_its_own_as_it_likes(self, script: Write) -> None:
        """How they end then is no news."""
        path = script(self.HANGS.replace("process.join()", "signal.pause()"))
        with Recording(Target(str(path)), Options(follow=True, stdout=Stdout.CAPTURE)) as recording:
            recording.start()
            recording.go()
            assert until(lambda: recording.poll(0.05) and len(self.pids(path.parent)) == 2)
            recording.end(grace_s=60)
            assert until(lambda: not recording.poll(0.05))
            run = recording.result()
        assert run.exit_code == -signal.SIGINT
        assert not any(SAID_NOTHING in note for note in run.notes)
        assert not any(map(is_alive, self.pids(path.parent)))
