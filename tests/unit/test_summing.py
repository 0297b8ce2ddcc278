"""A run of which much is kept in sum only has the figures of the same run kept whole."""

from __future__ import annotations

import dataclasses
import json
import sys
import textwrap
from pathlib import Path

import pytest

from asyncdemo import store
from asyncdemo.assembly import Assembly, summing
from asyncdemo.capture import wire
from asyncdemo.diagnose import diagnose
from asyncdemo.metrics import measure
from asyncdemo.model import Run, RunOutcome, State
from asyncdemo.runner import Options, Recording, Stdout, Target

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the scripts use what POSIX has")

SCRIPT = """
import asyncio, time

async def child(): await asyncio.sleep(0.001)
async def parent(): await asyncio.create_task(child())
async def yields():
    for _ in range(5):
        await asyncio.sleep(0)
async def fails(): raise ValueError
async def gated(gate):
    async with gate:
        await asyncio.sleep(0.001)
async def cancelled(): await asyncio.sleep(100)
async def threaded(): await asyncio.to_thread(time.sleep, 0.001)
async def blocks(): time.sleep(0.06)
async def producer(queue):
    for number in range(20):
        await queue.put(number)
async def consumer(queue):
    for _ in range(20):
        await queue.get()

async def once():
    gate, queue = asyncio.Semaphore(2), asyncio.Queue(3)
    stopped = asyncio.ensure_future(cancelled())
    await asyncio.gather(
        *(parent() for _ in range(5)), *(yields() for _ in range(30)), *(fails() for _ in range(3)),
        *(gated(gate) for _ in range(5)), threaded(), producer(queue), consumer(queue),
        return_exceptions=True,
    )
    stopped.cancel()

async def main():
    for _ in range(3):
        await once()
    await asyncio.create_task(blocks())
    await asyncio.sleep(0.1)

asyncio.run(main())
"""

Frames = list[tuple[bytes, bytes]]


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    """What the script's process told."""
    path = tmp_path_factory.mktemp("summing") / "script.py"
    path.write_text(textwrap.dedent(SCRIPT))
    told: Frames = []
    with Recording(Target(str(path)), Options(stdout=Stdout.CAPTURE)) as recording:
        feed = recording._assembly.feed

        def heard(kind: bytes, payload: bytes, process: int = 0) -> None:
            told.append((kind, payload))
            feed(kind, payload, process)

        recording._assembly.feed = heard  # type: ignore[method-assign]
        recording.start()
        recording.go()
        while recording.poll(0.05):
            pass
        assert recording.result().exit_code == 0
    return told


def assembled(frames: Frames) -> Run:
    assembly = Assembly(named=False, threshold_ns=50_000_000)
    for frame in frames:
        assembly.feed(*frame)
    return assembly.run(name="script", script="script.py", argv=(), outcome=RunOutcome.OK, exit_code=0)


@pytest.mark.parametrize("most", [0, 1, 40])
def test_all_figures_are_those_of_the_whole_run(
    frames: Frames, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    whole = assembled(frames)
    monkeypatch.setattr(summing, "MOST_WHOLE", most)
    summed = assembled(frames)
    assert sum(len(tasks.starts_ns) for tasks in summed.summed) > 50
    assert len(summed.tracks) + sum(len(tasks.starts_ns) for tasks in summed.summed) == len(whole.tracks)
    figures, expected = measure(summed), measure(whole)
    for field in dataclasses.fields(figures):
        if field.name not in ("lane_totals", "resources", "longest_step"):
            assert getattr(figures, field.name) == getattr(expected, field.name), field.name
    assert figures.longest_step is not None and expected.longest_step is not None
    assert figures.longest_step.duration_ns == expected.longest_step.duration_ns
    assert [
        (use.peak_held, use.peak_queued, use.queued_ns, len(use.resource.slots)) for use in figures.resources
    ] == [
        (use.peak_held, use.peak_queued, use.queued_ns, len(use.resource.slots)) for use in expected.resources
    ]
    assert [one.kind for one in diagnose(summed)] == [one.kind for one in diagnose(whole)]
    assert [note for note in summed.notes if "only summed up" in note]
    assert not whole.notes


def test_who_stands_out_is_kept(frames: Frames, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summing, "MOST_WHOLE", 0)
    run = assembled(frames)
    kept = {track.function for track in run.tracks}
    assert {"main", "blocks", "gated", "threaded"} <= kept
    assert {tasks.function for tasks in run.summed} >= {"yields", "child"}
    assert {track.function for track in run.tracks if State.QUEUED in {s.state for s in track.spans}} >= {
        "gated"
    }


def test_it_is_saved_with_its_sums(frames: Frames, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(summing, "MOST_WHOLE", 1)
    run = assembled(frames)
    store.save(run, tmp_path / "run.jsonl")
    again = store.load(tmp_path / "run.jsonl")
    assert again.summed == run.summed
    assert again.notes == run.notes
    assert measure(again) == measure(run)


def test_a_step_that_comes_too_late_is_said_to_be_missing(
    frames: Frames, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summing, "MOST_WHOLE", 0)
    assembly = Assembly(named=False, threshold_ns=50_000_000)
    for frame in frames:
        assembly.feed(*frame)
    told = [one for kind, payload in frames if kind == wire.DEFINITIONS for one in json.loads(payload)]
    track = next(one[1] for one in told if one[0] == "task" and one[3] == "yields")
    assembly.feed(wire.NUMBERS, wire.numbers_frame([track, 0, 0, 0, wire.WAIT_YIELD, wire.BY_LOOP])[5:])
    run = assembly.run(name="script", script="script.py", argv=(), outcome=RunOutcome.OK, exit_code=0)
    assert any("came too late to be counted" in note for note in run.notes)
