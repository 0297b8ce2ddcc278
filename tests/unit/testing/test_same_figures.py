"""Two figures that say the same thing are equal, wherever they stand: JSON, words, checks, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from hypothesis import given

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.analysis.metrics import blocked_ns, blocks, function_use, measure, row_totals
from asyncdemo.analysis.metrics.pools import pool_use
from asyncdemo.model import Run, State
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.text.json_result import variant_result
from asyncdemo.render.timeline.layout import extent_ns
from asyncdemo.render.timeline.pools import pool_sections
from asyncdemo.render.words import duration
from asyncdemo.testing.checks import CheckFailed, Seen
from tests.support.runs import Story, at_line
from tests.support.strategies import runs

_BLOCKED_KINDS = {"blocks-the-loop", "gil-held-elsewhere"}


def holds(sentence: Callable[[], object]) -> bool:
    try:
        sentence()
    except CheckFailed:
        return False
    return True


def blocked_everywhere(run: Run) -> None:
    """How long a loop was blocked, as every view says it."""
    blocked = blocked_ns(run)
    (account,) = account_for([run])
    lines = [fact.value for fact in account.facts if fact.label == "loop blocked"]
    result = variant_result(run)
    assert (result["blocked_s"], result["blocks"]) == (round(blocked / 1e9, 6), blocks(run))
    assert measure(run).blocked_ns == account.metrics.blocked_ns == blocked
    assert any(line.startswith(f"for {duration(blocked)}") for line in lines) == (blocks(run) > 0)
    assert bool(_BLOCKED_KINDS & {finding.kind for finding in diagnose(run)}) == (blocks(run) > 0)
    assert holds(Seen(run).never_blocked) == (blocks(run) == 0)


def test_blocking_callback_is_reported_in_every_view() -> None:
    story = Story()
    story.task("main").runs(1).sleeps(500).returns()
    story.callback_blocks(300, at=100, site=at_line(7, "data_received"))
    run = story.run()
    blocked_everywhere(run)
    assert variant_result(run)["blocked_s"] == 0.3


@given(runs())
def test_how_long_a_loop_was_blocked(run: Run) -> None:
    blocked_everywhere(run)


@given(runs())
def test_what_is_limited_and_what_was_left(run: Run) -> None:
    metrics, result, seen = measure(run), variant_result(run), Seen(run)
    pools = {use.resource.index: use for use in pool_use(run)}
    for use, row in zip(metrics.resources, result["resources"], strict=True):
        assert (row["peak_held"], row["peak_queued"]) == (use.peak_held, use.peak_queued)
        if pool := pools.get(use.resource.index):
            assert (pool.most_held, pool.most_waiting) == (use.peak_held, use.peak_queued)
            assert pool.queued_ns == use.queued_ns
    assert holds(seen.nothing_left_pending) == (metrics.left_pending == result["left_pending"] == 0)
    assert metrics.connections_open >= max((use.most_open for use in pools.values()), default=0)
    for section in pool_sections(run):
        alone = [use for use in pools.values() if use.resource.name and len(pools) == 1]
        assert not alone or section.most_queued == alone[0].most_waiting


@given(runs())
def test_how_many_lanes_there_were_and_how_they_ended(run: Run) -> None:
    run = replace(run, counted=())
    metrics, result = measure(run), variant_result(run)
    calls = sum(use.calls for use in metrics.functions.values())
    assert calls == len(run.lanes) == len(result["lane_list"])
    ended = Counter(lane["outcome"] for lane in result["lane_list"])
    by_function = sum((Counter(use.outcomes) for use in metrics.functions.values()), Counter())
    assert ended == Counter({str(outcome): n for outcome, n in by_function.items()})
    if not run.requests:
        assert metrics.lanes == calls
        assert ended == Counter({o: n for o, n in result["outcomes"].items() if n})
        assert metrics.wall_ns == extent_ns(run)
        if len(metrics.functions) == 1:
            (use,) = metrics.functions.values()
            assert (use.peak, use.open) == (metrics.peak, metrics.open)
    for row, totals in zip(run.rows, row_totals(run), strict=True):
        spans = Counter[State]()
        for span in row.spans:
            spans[span.state] += span.duration_ns
        assert (totals.running_ns, totals.waiting_ns) == (spans[State.RUNNING], spans[State.WAITING])


@given(runs())
def test_how_many_calls_were_at_work(run: Run) -> None:
    run = replace(run, named=True, counted=())
    for function, use in function_use(run).items():
        if not function or any(other.endswith(f".{function}") for other in function_use(run)):
            continue
        calls = Seen(run).calls(function)
        assert len(calls) == use.calls
        assert holds(partial(calls.peak_is, use.peak))
        assert holds(partial(calls.open_at_least, use.open))
        assert not holds(partial(calls.open_at_least, use.open + 1))
        assert not holds(partial(calls.peak_at_most, use.peak - 1)) or use.peak == 0
