"""Judging an exercise: its limits, its faults, and those of a check."""

from __future__ import annotations

import itertools
import textwrap
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.content.manifest import Knobs
from asyncdemo.course.judging import checking
from asyncdemo.course.judging.judge import Stopped, judge
from asyncdemo.course.judging.verdict import make_verdict
from asyncdemo.errors import CourseError
from asyncdemo.model import Answer, Run
from asyncdemo.model.run import Gap
from asyncdemo.model.verdict import Verdict
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.testing.checks import CheckFailed, Seen
from tests.support.runs import Story

BREW = """
    import asyncio

    BREWS = 3

    async def brew(n: int) -> int:
        await asyncio.sleep(0.1)
        return n

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            for n in range(BREWS):
                group.create_task(brew(n))

    asyncio.run(main())
    """

CHECK = """
    def check(seen):
        seen.calls("brew").happen(seen.knobs["BREWS"]).all_overlap()
    """


class Bench:
    def __init__(self, folder: Path) -> None:
        self._file = folder / "exercise.py"
        self._check = folder / "check.py"
        self.exercise = Exercise(
            lesson_id="brew",
            folder=folder,
            task="Brew.",
            lanes=("brew", "main"),
            rows=("brew",),
            virtual=True,
            timeout_s=5.0,
            threshold_s=0.05,
            runs=({}, {"BREWS": 5}),
            wrong=(),
        )

    def judge(self, script: str = BREW, check: str = CHECK, **changes: object) -> Verdict:
        self._file.write_text(textwrap.dedent(script), encoding="utf-8")
        self._check.write_text(textwrap.dedent(check), encoding="utf-8")
        return judge(replace(self.exercise, **changes), self._file)  # type: ignore[arg-type]

    def message(self, script: str = BREW, check: str = CHECK, **changes: object) -> str:
        message = self.judge(script, check, **changes).message
        assert message is not None
        return message


DRAWN: tuple[dict[str, range], ...] = ({}, {"BREWS": range(4, 90)})
"""The second run's number is drawn."""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_every_run_is_checked_with_its_knobs(bench: Bench) -> None:
    verdict = bench.judge()
    assert verdict.passed
    assert len(verdict.runs) == 2
    assert verdict.knobs == {}  # the verdict is about the file as it is
    assert verdict.runs[-1].knobs["BREWS"] == 3
    assert verdict.held[0] == "There were 3 calls of brew."
    assert verdict.held[-1] == "With BREWS = 5, all of this held too."


def judged_without_processes(
    exercise: Exercise, seed: int | None = None, *, busy: int = 0, wanted: int | None = None
) -> Verdict:
    """Judge runs of BREWS calls. The first ``busy`` show too little to judge."""
    looks = itertools.count()

    def record(knobs: Knobs, _: object) -> tuple[Run, list[Answer]]:
        story, brews = Story(), int(knobs.get("BREWS", 3))
        for n in range(brews):
            story.task(f"brew({n})").sleeps(100).returns()
        return replace(story.run(), knobs={"BREWS": brews}), []

    def check(seen: Seen) -> None:
        if next(looks) < busy:
            seen.too_busy("nobody looked.")
        seen.calls("brew").happen(wanted or int(seen.knobs["BREWS"]))

    return make_verdict(exercise, exercise.file, check, record, seed)


def test_poorly_observed_run_is_made_three_times(bench: Bench) -> None:
    verdict = judged_without_processes(bench.exercise, busy=2)
    assert verdict.passed
    assert [run.knobs["BREWS"] for run in verdict.runs] == [5, 3]
    verdict = judged_without_processes(bench.exercise, busy=3)
    assert verdict.message == "This machine is too busy: nobody looked. Check again."
    assert len(verdict.runs) == 1


def test_who_writes_the_number_down_fails_in_the_other_run(bench: Bench) -> None:
    verdict = bench.judge(BREW.replace("range(BREWS)", "range(3)"))
    assert verdict.message is not None
    assert verdict.message == "There should be 5 calls of brew; there were 3."
    assert verdict.knobs == {"BREWS": 5}
    assert verdict.evidence is not None


def test_a_forgotten_await_is_named_whatever_the_check_saw(bench: Bench) -> None:
    script = BREW.replace("group.create_task(brew(n))", "brew(n)")
    message = bench.message(script)
    assert message.startswith("brew() was called at")
    assert message.endswith(
        "nobody awaited it, so it never ran. There should be 3 calls of brew; there were none."
    )


def test_missing_function_or_constant_is_the_learners_fault(bench: Bench) -> None:
    assert "There is no function brew" in bench.message(BREW.replace("brew", "pour"))
    assert "BREWS should be a constant" in bench.message(BREW.replace("BREWS = 3", "BREWS = 9 // 3"))
    assert "There is no knob BREWS" in bench.message(
        BREW.replace("BREWS = 3", "BREWS = 9 // 3"), "def check(seen): ..."
    )


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("def brew(): ...\ndef main(): ...\nx = [", "has a syntax error"),
        (
            "def brew(): ...\ndef main(): ...\nbrew_all()",
            "NameError: name 'brew_all' is not defined (line 3)",
        ),
        ("def brew(): ...\ndef main(): ...\nimport sys; sys.exit('enough')", "The program failed: enough"),
        ("def brew(): ...\ndef main(): ...\ninput()", "EOFError"),
        ("def brew(): ...\ndef main(): ...\nwhile True: pass", "It had not finished at its time limit"),
    ],
)
def test_failing_script_is_reported_as_such(bench: Bench, script: str, words: str) -> None:
    assert words in bench.message(script, timeout_s=1.0)


def test_a_script_has_limits_of_memory_and_processes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asyncdemo.course.judging.verdict._MEMORY_BYTES", 150 << 20)
    monkeypatch.setattr("asyncdemo.course.judging.verdict._PROCESSES", 3)
    begin = "import subprocess, sys, time\ndef brew(): ...\ndef main(): ...\n"
    hoard = "hoard = []\nwhile True: hoard.append(bytearray(b'x' * (1 << 20)))"
    assert "more than 0.2 GB of memory" in bench.message(begin + hoard)
    breed = (
        "sleeper = [sys.executable, '-c', 'import time; time.sleep(30)']\n"
        "others = [subprocess.Popen(sleeper) for _ in range(9)]\ntime.sleep(30)"
    )
    assert "more than 3 processes" in bench.message(begin + breed)


def test_what_was_printed_early_and_late_is_judged(bench: Bench) -> None:
    script = BREW.replace(
        "asyncio.run(main())", "print('first' + 'x' * 90_000)\n    asyncio.run(main())\n    print(6 * 7)"
    )
    assert bench.judge(
        script, "def check(seen):\n    assert 'first' in seen.stdout and '42' in seen.stdout"
    ).passed


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("def check(seen):\n    return 1 / 0", r"the check itself failed: ZeroDivisionError.*check.py:2"),
        ("import sys\ndef check(seen):\n    sys.exit(0)", "the check itself failed: SystemExit"),
        ("import nowhere", "the check itself failed: ModuleNotFoundError"),
        ("def check(seen) return", "the check itself failed: SyntaxError"),
        ("checks = 1", r"has no function check\(seen\)"),
        ("def check(seen):\n    seen.calls('pour')", "nothing is recorded of pour"),
    ],
)
def test_a_check_that_does_not_work_is_the_courses_fault(bench: Bench, check: str, words: str) -> None:
    with pytest.raises(CourseError, match=words):
        bench.judge(check=check)


def test_a_check_may_have_dataclasses(bench: Bench) -> None:
    check = """
        from __future__ import annotations
        from dataclasses import dataclass

        @dataclass
        class Cup:
            n: int

        def check(seen):
            assert Cup(1).n == 1
        """
    assert bench.judge(check=check).passed


SPIN = "import time\ndef check(seen):\n    for _ in range(500): time.sleep(0.01)"


def test_a_check_that_hangs_is_not_waited_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_LIMIT_S", 0.3)
    with pytest.raises(CourseError, match="the check was still running"):
        bench.judge(check=SPIN)


def test_cancelled_verdict_stops_script_and_check(bench: Bench) -> None:
    with pytest.raises(CourseError):
        bench.judge(check="x = 1")  # to have the files
    bench.exercise.check.write_text(textwrap.dedent(CHECK), encoding="utf-8")
    with pytest.raises(Stopped):
        judge(bench.exercise, bench.exercise.file, poll=lambda: False)
    bench.exercise.check.write_text(SPIN, encoding="utf-8")

    def checks() -> int:
        return sum(thread.name == "check" for thread in threading.enumerate())

    before = checks()
    with pytest.raises(Stopped):
        judge(bench.exercise, bench.exercise.file, poll=lambda: checks() <= before)


def test_drawn_knob_follows_its_seed_and_a_failure_names_it(bench: Bench) -> None:
    exercise = replace(bench.exercise, runs=DRAWN)
    first, again, other = (judged_without_processes(exercise, seed, wanted=3) for seed in (11, 11, 12))
    assert (first.seed, first.repeat) == (11, "asyncdemo check brew --seed 11")
    assert first.knobs == again.knobs == exercise.knobs(11)[1]
    assert first.knobs != other.knobs


def test_each_check_without_a_seed_draws_new_values(bench: Bench) -> None:
    verdicts = [judged_without_processes(replace(bench.exercise, runs=DRAWN)) for _ in range(4)]
    assert all(verdict.passed and not verdict.repeat for verdict in verdicts)
    assert len({verdict.runs[0].knobs["BREWS"] for verdict in verdicts}) > 1


def test_failure_in_a_run_without_drawn_knobs_names_no_seed(bench: Bench) -> None:
    verdict = judged_without_processes(replace(bench.exercise, runs=DRAWN), wanted=2)
    assert verdict.message is not None
    assert verdict.seed is None
    assert not verdict.repeat


def test_seeds_repeat_drawn_runs_once_each_and_others_once(bench: Bench) -> None:
    exercise = replace(bench.exercise, runs=DRAWN)
    drawn = exercise.drawn_with((1, 2, 3))
    assert drawn.runs == ({}, *(exercise.knobs(seed)[1] for seed in (1, 2, 3)))
    assert not any(map(drawn.draws, range(4)))


@pytest.mark.parametrize(
    "ending",
    [
        "os._exit(0)",
        "os.closerange(3, 1024)",
        "os.execv('/bin/true', ['true'])",
        "os.write(200, b'x' * 100)",
        "signal.signal(15, lambda *_: os._exit(0)) or os.kill(os.getpid(), 15)",
    ],
)
def test_incomplete_recording_is_not_judged_as_complete(bench: Bench, ending: str) -> None:
    script = f"{textwrap.dedent(BREW)}import os, signal\n{ending}\n"
    assert "so nothing can be said about the run" in bench.message(script)


def test_run_with_gaps_is_not_judged_as_complete() -> None:
    story = Story()
    story.task("brew(0)").sleeps(100).returns()
    run = story.run()
    Seen(run).ends_well()
    for changes in ({"gaps": (Gap(0, 1, 5),)}, {"complete_from_ns": 7}, {"incomplete": "A hook failed."}):
        with pytest.raises(CheckFailed, match="nothing can be said about the run"):
            Seen(replace(run, **changes)).ends_well()


def test_warning_may_be_in_what_is_left_out_of_stderr() -> None:
    story = Story()
    story.task("brew(0)").sleeps(100).returns()
    output = OutputBuffer()
    for text in ("x\n" * 300_000, "UserWarning: hidden\n", "x\n" * 300_000, "x\n" * 300_000):
        output.output("stderr", text)
    assert "hidden" not in output.stderr
    with pytest.raises(CheckFailed, match="left out"):
        Seen(story.run(), stderr=output.stderr).no_warnings()
    Seen(story.run(), stderr="x\n").no_warnings()


_IDLE_THREAD = """
    import threading

    threading.Thread(target=threading.Event().wait, daemon=True).start()
    """


def test_thread_without_work_does_not_make_time_real(bench: Bench) -> None:
    script = textwrap.dedent(_IDLE_THREAD) + textwrap.dedent(BREW)
    message = bench.message(script)
    assert message.startswith("Time is real, not virtual, because a thread was started.")
    assert "Leave it out" in message


def test_work_in_threads_passes_in_real_time(bench: Bench) -> None:
    in_threads = BREW.replace("asyncio.sleep(0.1)", "asyncio.to_thread(time.sleep, 0.1)")
    assert bench.judge(in_threads.replace("import asyncio", "import asyncio, time")).passed
