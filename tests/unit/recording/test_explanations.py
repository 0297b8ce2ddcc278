"""What a step that held its loop was doing, as far as the clocks tell."""

from __future__ import annotations

import pytest

from asyncdemo.recording.assembly.explanations import explain
from tests.support.runs import Story


def reason(held_ms: float, cpu_ms: float | None, stolen_ms: float = 0, other_runs_ms: float = 0) -> str:
    """Of a step that no known call explains, while another thread runs for a time."""
    story = Story()
    story.task("worker").blocks(held_ms + stolen_ms, "", cpu_ms=cpu_ms, stolen_ms=stolen_ms)
    story.thread("other").runs(other_runs_ms).waits(1000, "idle")
    run = story.run()
    (step,) = explain(run.slow_steps, (), run.tracks)
    return step.reason


def test_it_computed_if_it_had_the_processor_for_most_of_the_time() -> None:
    assert reason(100, cpu_ms=90) == ""
    assert reason(100, cpu_ms=90, other_runs_ms=100) == ""


def test_where_the_system_does_not_tell_nothing_is_guessed() -> None:
    assert reason(100, cpu_ms=None, other_runs_ms=100) == ""


def test_it_waited_for_the_gil_if_another_thread_ran_meanwhile() -> None:
    assert reason(100, cpu_ms=1, other_runs_ms=90) == "gil"


def test_else_it_waited_outside_python() -> None:
    assert reason(100, cpu_ms=1) == "outside Python"
    assert reason(100, cpu_ms=1, other_runs_ms=40) == "outside Python"


@pytest.mark.parametrize(("cpu_ms", "what"), [(1, "gil"), (90, "")])
def test_time_that_the_system_gave_to_other_programs_says_nothing(cpu_ms: float, what: str) -> None:
    assert reason(100, cpu_ms=cpu_ms, stolen_ms=300, other_runs_ms=400) == what
