"""While the parent does not keep up, steps and tasks are counted, and all else is recorded as always."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from asyncdemo.analysis.metrics import measure
from asyncdemo.capture import wire
from asyncdemo.capture.gaps import Gap
from asyncdemo.model import Outcome, Run, State
from asyncdemo.recording.runner import Options, Stdout, Target, record

ALWAYS_BEHIND = "import asyncdemo.capture.recorder as r; r.MOST_UNSENT = r._FEW_UNSENT = -1\n"
SCRIPT = """
import asyncio, time

async def returns(): await asyncio.sleep(0)
async def fails():
    await asyncio.sleep(0)
    raise ValueError
async def gated(gate):
    async with gate:
        await asyncio.sleep(0.01)
async def blocks():
    time.sleep(0.06)
async def lasts(): await asyncio.sleep(100)

async def begin_a_gap():
    for _ in range(4):
        await asyncio.sleep(0.03)
async def main():
    before = asyncio.create_task(lasts())
    await begin_a_gap()
    gate = asyncio.Semaphore(1)
    await asyncio.gather(*(returns() for _ in range(30)))
    await asyncio.gather(*(fails() for _ in range(3)), return_exceptions=True)
    await asyncio.gather(*(gated(gate) for _ in range(3)))
    await asyncio.create_task(blocks())
    after = asyncio.create_task(lasts())
    await asyncio.sleep(0.1)
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    path: Path = tmp_path_factory.mktemp("gaps") / "script.py"
    path.write_text(ALWAYS_BEHIND + SCRIPT)
    return record(Target(str(path)), Options(stdout=Stdout.CAPTURE))


def of(run: Run, function: str) -> list[Any]:
    return [track for track in run.tracks if track.function == function]


def test_tasks_that_begin_and_end_in_a_gap_are_counted(run: Run) -> None:
    assert {(one.function, one.outcome, one.error): one.count for one in run.counted} == {
        ("returns", Outcome.RETURNED, None): 30,
        ("fails", Outcome.RAISED, "ValueError"): 3,
    }
    assert not of(run, "returns") and not of(run, "fails")
    assert measure(run).functions["fails"].outcomes == {Outcome.RAISED: 3}


def test_limit_in_a_gap_keeps_its_holders(run: Run) -> None:
    (gate,) = run.resources
    assert len(of(run, "gated")) == len(gate.slots) == 3


def test_slow_step_in_a_gap_is_recorded_with_its_task(run: Run) -> None:
    (step,) = run.slow_steps
    assert step.track is not None and run.tracks[step.track].function == "blocks"


def test_task_that_only_waited_keeps_its_state_in_a_gap(run: Run) -> None:
    before, after = of(run, "lasts")
    assert [span.state for span in before.spans][1:3] == [State.RUNNING, State.WAITING]
    assert after.spans[0].start_ns == after.start_ns


def test_task_that_ran_in_a_gap_is_unknown_until_seen_again(run: Run) -> None:
    (main,) = of(run, "main")
    assert State.UNKNOWN in {span.state for span in main.spans}


def test_run_with_a_gap_has_no_ideal_time(run: Run) -> None:
    assert not run.is_whole
    assert measure(run).ideal_ns is None


def held(*tracks: int) -> tuple[Gap, list[Any], list[int]]:
    definitions: list[Any] = []
    numbers: list[int] = []
    gap = Gap(definitions, numbers)
    gap.begin(100)
    for track in tracks:
        gap.hold(track, f"Task-{track}", "work", None, None, 1, 110, None, False)
    numbers.clear()
    return gap, definitions, numbers


def test_held_task_is_announced_before_what_names_it() -> None:
    gap, definitions, _ = held(5, 6)
    lane = wire.Lane(1, 6, "work(1)", "work", 120)
    gap.define(lane)
    assert [one[0] for one in definitions] == [6, lane[0]]
    gap.define(wire.Pending([5]))
    assert definitions[2][0] == 5


def test_event_that_names_a_held_task_announces_it() -> None:
    gap, definitions, numbers = held(5)
    gap.record((wire.TAKEN, 5, 120, 1, 0, 0))
    assert [one[0] for one in definitions] == [5] and numbers[0] == wire.TAKEN


def test_parent_of_a_held_task_is_announced() -> None:
    _, definitions, _ = held(1, 2)
    assert [one[0] for one in definitions] == [1]


def test_end_of_an_announced_task_is_not_counted() -> None:
    gap, _, numbers = held(5)
    gap.count_step((7, 0, 0, 0, wire.WAIT_YIELD, 0))
    assert gap.count_end(5, "returned", None)
    assert not gap.count_end(7, "returned", None)
    assert numbers == [wire.UNSEEN, 7, 100, 0, 0, 0]


def test_end_of_a_gap_tells_which_tasks_stepped() -> None:
    gap, definitions, numbers = held(5)
    gap.count_step((7, 0, 0, 0, wire.WAIT_YIELD, 0))
    gap.count_step((7, 0, 0, 0, wire.WAIT_DONE, 0))
    gap.end(200)
    assert numbers == [wire.UNSEEN, 7, 100, 0, 0, 0, wire.GAP, 100, 200, 2, 0, 0]
    assert [one[0] for one in definitions] == [5]


def test_counted_tasks_are_reported_once() -> None:
    gap, definitions, _ = held(5)
    gap.count_end(5, "cancelled", None)
    gap.report(150)
    gap.report(160)
    assert definitions == [wire.TasksCounted("work", "cancelled", None, 1)]
