"""Of a run that is too long to keep, the oldest spans go, and what ended before is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.analysis.metrics import measure
from asyncdemo.model import NO_WAIT, Outcome, Run, State
from asyncdemo.recording.assembly import window
from asyncdemo.recording.assembly.spans import SpansBuilder
from asyncdemo.recording.runner import Options, Stdout, Target, record
from asyncdemo.render.facts.gaps import gap_sentences
from asyncdemo.render.text.plain import render_plain
from asyncdemo.store import load, save

SCRIPT = """
import asyncio

async def short(gate):
    async with gate:
        await asyncio.sleep(0)
async def fails():
    await asyncio.sleep(0)
    raise LookupError
async def lasts(): await asyncio.sleep(100)

async def main():
    gate = asyncio.Semaphore(2)
    lasting = asyncio.create_task(lasts())
    for number in range(100):
        if number % 10 == 0:
            await asyncio.sleep(0.05)  # what came before is sent meanwhile
        await asyncio.gather(short(gate), short(gate), short(gate), fails(), return_exceptions=True)
asyncio.run(main())
"""


def recorded(path: Path, most_spans: int, **options: object) -> Run:
    path.write_text(SCRIPT)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(window, "MOST_SPANS", most_spans)
        return record(Target(str(path)), Options(stdout=Stdout.CAPTURE, **options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return recorded(tmp_path_factory.mktemp("window") / "script.py", 20_000)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return recorded(tmp_path_factory.mktemp("window") / "script.py", 10_000_000)


def test_lanes_steps_and_failures_are_counted_exactly(run: Run, whole: Run) -> None:
    some, everything = measure(run), measure(whole)
    assert len(run.lanes) < len(whole.lanes) and whole.is_whole
    assert some.lanes == everything.lanes
    assert some.outcomes == everything.outcomes
    assert {name: use.outcomes for name, use in some.functions.items()} == {
        name: use.outcomes for name, use in everything.functions.items()
    }
    assert some.steps == everything.steps
    assert {one.error for one in run.counted} == {None, "LookupError"}


def test_nothing_is_known_before_the_window(run: Run) -> None:
    since_ns = run.complete_from_ns
    assert since_ns is not None
    for track in run.tracks:
        known = [span for span in track.spans if span.state is not State.UNKNOWN]
        assert all(span.end_ns >= since_ns for span in known), track
    assert all(slot.end_ns >= since_ns for resource in run.resources for slot in resource.slots)
    assert all(wake.at_ns >= since_ns for wake in run.wakes)


def test_task_that_lasts_keeps_its_state(run: Run) -> None:
    (lasting,) = (track for track in run.tracks if track.function == "lasts")
    assert [span.state for span in lasting.spans][:2] == [State.UNKNOWN, State.WAITING]
    assert lasting.outcome is Outcome.CANCELLED
    assert lasting.spans[0].start_ns == lasting.start_ns


def test_calls_that_are_dropped_are_counted(tmp_path: Path) -> None:
    run = recorded(tmp_path / "script.py", 20_000, lanes=("fails",))
    assert len(run.lanes) < 100 == measure(run).lanes
    assert measure(run).functions["fails"].outcomes == {Outcome.RAISED: 100}


def test_partial_run_survives_its_file(run: Run, tmp_path: Path) -> None:
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl") == run


def test_sentences_say_what_is_missing(run: Run) -> None:
    since, counted, figures = gap_sentences(run, run.tracks[0].start_ns)
    assert "complete from" in since
    assert "of fails()" in counted and "of short()" in counted
    assert "exact" in figures


def test_report_says_why_there_is_no_ideal(run: Run) -> None:
    assert "not known: not everything was recorded" in render_plain([run], details=True)


def test_spans_before_a_time_become_one_unknown_span() -> None:
    spans = SpansBuilder()
    for at, state in ((0, State.READY), (10, State.RUNNING), (20, State.WAITING), (30, State.RUNNING)):
        spans.add(at, state)
    spans.forget_before(25)
    spans.forget_before(26)
    built = [(span.start_ns, span.state) for span in spans.build(40, (NO_WAIT,))]
    assert built == [(0, State.UNKNOWN), (26, State.WAITING), (30, State.RUNNING)]


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (5, [(0, 1), (5, 4), (10, 0), (20, 2)]),
        (10, [(0, 1), (10, 4), (20, 2)]),
        (25, [(0, 1), (10, 0), (20, 2), (25, 4)]),
        (-5, [(0, 4), (10, 0), (20, 2)]),
    ],
)
def test_unseen_steps_make_the_state_unknown_until_seen_again(
    since: int, expected: list[tuple[int, int]]
) -> None:
    spans = SpansBuilder()
    for at, state in ((0, State.READY), (10, State.RUNNING), (20, State.WAITING)):
        spans.add(at, state)
    spans.add_unseen(since)
    starts, states, _ = spans.columns
    assert list(zip(starts, states, strict=True)) == expected
