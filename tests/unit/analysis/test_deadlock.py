"""Whether a deadlock can never end, or only may not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.model import MOST_STUCK, Holding, Run, State, Stuck
from tests.support.runs import Story


def waits(track: int, reason: str, resource: int | None = None) -> Stuck:
    return Stuck(f"no. {track}", "", None, "", State.WAITING, track, reason, resource)


def message(run: Run) -> str:
    (found,) = [finding for finding in diagnose(run) if finding.kind == "deadlock"]
    return found.message


def deadlock(story: Story, other: str = "", kind: str = "task", *, in_block: bool = True) -> Run:
    """Two of this kind that hold what the other one waits for, beside another one that sleeps."""
    left, right = story.lock(), story.lock()
    for _ in range(2):
        getattr(story, kind)("stuck").waits(100, "lock")
    stuck = [waits(0, "lock", right.index), waits(1, "lock", left.index)]
    if other:
        getattr(story, other)("other").sleeps(100)
        stuck.append(waits(2, "sleep"))
    holdings = (Holding(0, left.index, None, in_block), Holding(1, right.index, None, in_block))
    return story.run(stuck=tuple(stuck), holdings=holdings, idle=True)


EVER = "None of them can ever continue."
UNLESS = "a timeout, a signal or a cancellation ends one of these waits."


def test_thread_of_the_program_may_cancel_tasks_but_not_threads(story: Story) -> None:
    assert message(deadlock(story)).endswith(EVER)
    assert message(deadlock(Story(), "task")).endswith(EVER)
    assert message(deadlock(Story(), "thread")).endswith(f"continue unless {UNLESS}")
    assert message(deadlock(Story(), "thread", kind="thread")).endswith(EVER)


def test_who_could_cancel_is_unknown_if_not_all_are_reported(story: Story) -> None:
    run = deadlock(story)
    more = tuple(Stuck("more", "", None) for _ in range(MOST_STUCK - 2))
    assert message(replace(run, stuck=run.stuck + more)).endswith(f"continue unless {UNLESS}")


@pytest.mark.parametrize("other", ["", "task", "thread"])
def test_lock_held_without_with_may_be_released_by_anybody_left(story: Story, other: str) -> None:
    given = f"None of them can continue unless another task or thread gives a lock back, or {UNLESS}"
    assert message(deadlock(story, other, in_block=False)).endswith(given if other else EVER)


@pytest.mark.parametrize("other", [False, True])
def test_lock_whose_holder_has_ended_may_be_released_by_another(story: Story, other: bool) -> None:
    lock = story.lock()
    story.task("gone").runs(1).returns()
    story.task("stuck").waits(100, "lock")
    stuck = [waits(1, "lock", lock.index)]
    if other:
        story.task("giver").sleeps(100)
        stuck.append(waits(2, "sleep"))
    said = message(story.run(stuck=tuple(stuck), holdings=(Holding(0, lock.index),), idle=True))
    assert said.startswith("Not given back" if other else "Never given back")
    assert ("never continue" in said) is not other
    assert ("another task or thread gives a lock back" in said) is other
