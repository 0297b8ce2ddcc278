"""Two figures that say the same thing are equal, wherever they stand: JSON, words, checks, findings."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings

from asyncdemo.checks import CheckFailed, Seen
from asyncdemo.diagnose import FindingKind, diagnose
from asyncdemo.metrics import blocked_ns, blocks, measure
from asyncdemo.model import Run
from asyncdemo.render.facts import account_for
from asyncdemo.render.result import variant_result
from asyncdemo.render.words import duration
from tests.support.runs import Story, at_line
from tests.support.strategies import runs

_BLOCKED_KINDS = {FindingKind.BLOCKS_THE_LOOP, FindingKind.GIL_HELD_ELSEWHERE}


def holds(sentence: Callable[[], None]) -> bool:
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


def test_a_callback_that_blocks_is_told_by_every_view() -> None:
    story = Story()
    story.task("main").runs(1).sleeps(500).returns()
    story.callback_blocks(300, at=100, site=at_line(7, "data_received"))
    run = story.run()
    blocked_everywhere(run)
    assert variant_result(run)["blocked_s"] == 0.3


@settings(max_examples=100, deadline=None)
@given(runs())
def test_how_long_a_loop_was_blocked(run: Run) -> None:
    blocked_everywhere(run)
