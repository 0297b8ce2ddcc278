"""What a step that held its loop was doing, as far as the clocks tell."""

from __future__ import annotations

import pytest

from asyncdemo.model import BlockingCall, SlowStep
from asyncdemo.recording.assembly.holdups import explain
from tests.support.runs import Story


@pytest.mark.parametrize(
    ("cpu_ms", "stolen_ms", "other_runs_ms", "reason"),
    [
        (90, 0, 0, ""),  # it computed: it had the processor for most of the time
        (90, 0, 100, ""),
        (None, 0, 100, ""),  # where the system does not tell, nothing is guessed
        (1, 0, 90, "gil"),  # it waited for it, since another thread ran meanwhile
        (1, 0, 0, "outside Python"),
        (1, 0, 40, "outside Python"),
        (1, 300, 400, "gil"),  # time that the system gave to other programs says nothing
        (90, 300, 400, ""),
    ],
)
def test_a_step_that_no_known_call_explains(
    cpu_ms: float | None, stolen_ms: float, other_runs_ms: float, reason: str
) -> None:
    """Of 100 ms, while another thread runs for a time."""
    story = Story()
    story.task("worker").blocks(100 + stolen_ms, "", cpu_ms=cpu_ms, stolen_ms=stolen_ms)
    story.thread("other").runs(other_runs_ms).waits(1000, "idle")
    run = story.run()
    (step,) = explain(run.slow_steps, (), run.tracks)
    assert step.reason == reason


@pytest.mark.parametrize(("stolen_ms", "believed_ms"), [(190, 20), (140, 140)])
def test_a_sleep_was_not_nearly_all_stolen(stolen_ms: int, believed_ms: int) -> None:
    """Linux now and then says so of a thread that slept."""
    step = SlowStep(0, 0, 200_000_000, 0, stolen_ms * 1_000_000, None, None)
    call = BlockingCall(0, 10_000_000, 190_000_000, "sleep")
    (explained,) = explain([step], [call], [])
    assert (explained.reason, explained.stolen_ns) == ("sleep", believed_ms * 1_000_000)
