"""A run of which much is kept in sum only has the figures of the same run kept whole."""

from __future__ import annotations

import dataclasses
import json
import random
import textwrap
from pathlib import Path

import pytest

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.analysis.metrics import measure
from asyncdemo.capture import wire
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording import runner
from asyncdemo.recording.assembly import Assembly, coarsening, summing
from asyncdemo.recording.options import child_options
from asyncdemo.recording.runner import Options, Recording, Stdout, Target, record

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
    return recorded(tmp_path_factory, Options(stdout=Stdout.CAPTURE))


@pytest.fixture(scope="module")
def frames_with_lanes(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    return recorded(tmp_path_factory, Options(stdout=Stdout.CAPTURE, lanes=("yields", "gated", "once")))


def recorded(tmp_path_factory: pytest.TempPathFactory, options: Options) -> Frames:
    path = tmp_path_factory.mktemp("summing") / "script.py"
    path.write_text(textwrap.dedent(SCRIPT))
    told: Frames = []
    with Recording(Target(str(path)), options) as recording:
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


def assembled(frames: Frames, named: bool = False) -> Run:
    assembly = Assembly(named=named, threshold_ns=50_000_000)
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
    _same_figures(summed, whole)
    assert [note for note in summed.notes if "are recorded as totals" in note]
    assert not whole.notes


def _same_figures(summed: Run, whole: Run) -> None:
    """Of which some tasks are only summed up."""
    figures, expected = measure(summed), measure(whole)
    for field in dataclasses.fields(figures):
        if field.name not in ("lane_totals", "resources", "longest_step", "idle"):
            assert getattr(figures, field.name) == getattr(expected, field.name), field.name
    longest, expected_longest = figures.longest_step, expected.longest_step
    assert (longest and longest.duration_ns) == (expected_longest and expected_longest.duration_ns)
    assert [
        (use.peak_held, use.peak_queued, use.queued_ns, len(use.resource.slots)) for use in figures.resources
    ] == [
        (use.peak_held, use.peak_queued, use.queued_ns, len(use.resource.slots)) for use in expected.resources
    ]
    assert [one.kind for one in diagnose(summed)] == [one.kind for one in diagnose(whole)]


def test_a_step_that_comes_too_late_is_said_to_be_missing(
    frames: Frames, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summing, "MOST_WHOLE", 0)
    assembly = Assembly(named=False, threshold_ns=50_000_000)
    for frame in frames:
        assembly.feed(*frame)
    told = [one for kind, payload in frames if kind == wire.MESSAGES for one in json.loads(payload)]
    track = next(one[1] for one in told if one[0] == "Task" and one[3] == "yields")
    assembly.feed(wire.NUMBERS, wire.numbers_frame([track, 0, 0, 0, wire.WAIT_YIELD, wire.BY_LOOP])[5:])
    run = assembly.run(name="script", script="script.py", argv=(), outcome=RunOutcome.OK, exit_code=0)
    assert any("arrived too late to be counted" in note for note in run.notes)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("named", [False, True])
def test_many_spans_are_summed_up_after_any_event_without_changing_a_figure(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, named: bool, seed: int
) -> None:
    frames = request.getfixturevalue("frames_with_lanes" if named else "frames")
    whole = assembled(frames, named)
    chance = random.Random(seed)
    monkeypatch.setattr(coarsening, "MOST_SPANS", chance.choice((5, 30, 100)))
    monkeypatch.setattr(coarsening, "_SPANS_A_STRETCH", chance.choice((1, 2, 4)))
    monkeypatch.setattr(coarsening, "_LEAST_NS", chance.choice((1_000_000, 300_000_000)))
    coarse = assembled(_cut(frames, chance), named)
    _compare(coarse, whole)
    kept, of = (sum(len(track.spans) for track in run.tracks) for run in (coarse, whole))
    assert kept <= of  # on a busy machine no two spans may fit into a short stretch
    assert any("are summed over intervals" in note for note in coarse.notes)


def _cut(frames: Frames, chance: random.Random) -> Frames:
    """The same, with a few events in each frame."""
    cut: Frames = []
    for kind, payload in frames:
        if kind != wire.NUMBERS:
            cut.append((kind, payload))
            continue
        at = 0
        while at < len(payload):
            until = at + 8 * wire.STEP_SIZE * chance.choice((1, 1, 2, 5, 20))
            cut.append((kind, payload[at:until]))
            at = until
    return cut


def _compare(coarse: Run, whole: Run) -> None:
    figures, expected = measure(coarse), measure(whole)
    for field in dataclasses.fields(figures):
        if field.name != "idle":
            assert getattr(figures, field.name) == getattr(expected, field.name), field.name
    # which part of it was spent waiting for the GIL is estimated from what was when
    assert sum(dataclasses.astuple(figures.idle)) == sum(dataclasses.astuple(expected.idle))
    assert [one.kind for one in diagnose(coarse)] == [one.kind for one in diagnose(whole)]


MOST_WHOLE = 1_000
TASKS = f"""
import asyncio, gc

tasks, = [one for one in gc.get_objects() if type(one).__name__ == "Tasks"]
if tasks.most_whole == {wire.MOST_WHOLE}:
    tasks.most_whole = {MOST_WHOLE}

async def short(): pass
async def sleeps(): await asyncio.sleep(0.002)
async def yields():
    for _ in range(3):
        await asyncio.sleep(0)
async def parent(): await asyncio.create_task(sleeps())
async def waits(future): await future
async def gated(gate):
    async with gate:
        await asyncio.sleep(0.001)
async def fails(): raise ValueError
async def lasts(): await asyncio.sleep(100)

async def main():
    gate = asyncio.Semaphore(2)
    for _ in range(100):
        future = asyncio.get_running_loop().create_future()
        lasting = asyncio.create_task(lasts())
        async with asyncio.TaskGroup() as group:
            for work in (short, sleeps, yields, parent) * 6:
                group.create_task(work())
            for _ in range(3):
                group.create_task(waits(future))
                group.create_task(gated(gate))
            await asyncio.sleep(0.001)
            future.set_result(None)
            lasting.cancel()
        await asyncio.gather(fails(), short(), return_exceptions=True)

asyncio.run(main())
"""


def test_a_script_of_very_many_tasks_has_the_figures_that_it_has_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In virtual time a script takes the same each time."""
    path = tmp_path / "script.py"
    path.write_text(TASKS)
    options = Options(virtual=True, stdout=Stdout.CAPTURE)
    monkeypatch.setattr(summing, "MOST_WHOLE", MOST_WHOLE)
    summed = record(Target(str(path)), options)
    monkeypatch.setattr(summing, "MOST_WHOLE", 10**9)
    monkeypatch.setattr(runner, "child_options", lambda *of: {**child_options(*of), "sums_tasks": False})
    whole = record(Target(str(path)), options)
    assert not whole.summed and len(whole.tracks) > 3 * MOST_WHOLE
    # How many of the 3,900 depends on how far the script is ahead of what it tells.
    assert sum(len(tasks.starts_ns) for tasks in summed.summed) > 500
    (note,) = summed.notes
    assert "are recorded as totals" in note
    _same_figures(summed, whole)


LANES = """
import asyncio

async def short(): await timer()
async def lane(number):
    for _ in range(number):
        await asyncio.sleep(0.002)
        await short()
    async with gate:
        await asyncio.sleep(0.003)
    await asyncio.create_task(child())
    await asyncio.wait_for(child(), 1)
async def child():
    await timer()
    for _ in range(7):
        await asyncio.sleep(0.0005)
async def timer():
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.call_later(0.001, lambda: future.set_result(None))
    await future
async def row(first):
    for number in range(first, first + 5):
        await timer()
        await lane(number)
        await timer()

async def main():
    global gate
    gate = asyncio.Semaphore(3)
    await asyncio.gather(*(row(first) for first in range(30)))

asyncio.run(main())
"""


def test_lanes_have_the_same_figures_where_the_process_sums_up(tmp_path: Path) -> None:
    """In virtual time a script takes the same each time."""
    runs = []
    for begin in ("", "import asyncdemo.capture.recorder as recorder; recorder.MOST_UNSENT = -1;"):
        path = tmp_path / "script.py"
        path.write_text(begin + LANES)
        options = Options(lanes=("lane", "short"), virtual=True, stdout=Stdout.CAPTURE)
        runs.append(record(Target(str(path)), options))
    whole, summed = runs
    figures, expected = measure(summed), measure(whole)
    for field in dataclasses.fields(figures):
        assert getattr(figures, field.name) == getattr(expected, field.name), field.name
    assert len(summed.lanes) == 2625
    assert summed.notes != whole.notes
