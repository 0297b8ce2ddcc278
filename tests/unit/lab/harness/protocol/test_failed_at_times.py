"""A contestant that fails in some rounds, or before them: the report names it, and says what happened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from asyncdemo.lab.harness import NotStarted
from asyncdemo.lab.harness.protocol.description import Condition, Experiment
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.comparison import Published
from asyncdemo.lab.results.flags import Flag, FlagKind
from asyncdemo.lab.results.ratio import Verdict
from asyncdemo.lab.results.record import Record, dump_record, parse_record
from asyncdemo.lab.results.setup import Extent, Loop, Setting
from asyncdemo.lab.results.trial import Load, Trial, TrialOutcome
from asyncdemo.load import Plan
from tests.support.fake_lab import CLOSED, SEND, SIZE, FakeServer, a_bench, a_row, an_experiment, hung

HALF = Setting("half", "Half", Loop.OPEN, (), of_capacity=0.5, arrivals="poisson")
MOST = Setting("most", "Most", Loop.OPEN, (), of_capacity=0.9, arrivals="poisson")
SEARCH = Setting("search", "6 ms", Loop.OPEN, (), budget_ms=6.0)
SHORT = replace(SIZE, rounds=2)
Spoil = Callable[[Load, Plan], Load]


def measured(experiment: Experiment, spoil: Spoil = lambda load, _: load) -> Record:
    bench, engine = a_bench(*(item.served for item in experiment.contestants))  # type: ignore[arg-type]
    engine.spoil = spoil
    record = run(experiment, Extent.DEFAULT, bench=bench, seed=1)
    assert parse_record(dump_record(record)) == record
    return record


def flags(record: Record, kind: FlagKind, row: int = 0) -> list[Flag]:
    return [flag for flag in record.comparisons[row].flags if flag.kind is kind]


# -- in some rounds -----------------------------------------------------------------------------------


def test_one_that_was_given_up_after_a_good_round_is_named_with_what_happened() -> None:
    fast = FakeServer("fast", [3000.0], dies={3, 4})
    row = replace(a_row("fast", "slow"), published=Published("3.1", 3.1))
    record = measured(an_experiment(FakeServer("slow"), fast, asked=(row,)))
    assert record.comparisons[0].verdict is Verdict.REPRODUCED, "the round that is left still counts"
    (flag,) = flags(record, FlagKind.FAILED_AT_TIMES)
    assert flag.words == "Fast died in 2 of 3 tries and was not tried again: exit code 3."


def test_one_that_failed_and_recovered_was_tried_again() -> None:
    fast = FakeServer("fast", start_fails={2: hung("no answer"), 4: NotStarted("no port.")})
    record = measured(an_experiment(FakeServer("slow"), fast))
    (flag,) = flags(record, FlagKind.FAILED_AT_TIMES)
    assert flag.words == "Fast hung in 1 and did not start in 1 of 7 tries: no answer; no port."


def test_the_base_of_a_row_may_be_the_one_that_failed() -> None:
    asked = (a_row("fast", "slow"), a_row("slow", "fast"))
    record = measured(an_experiment(FakeServer("slow"), FakeServer("fast", dies={3}), asked=asked))
    for row in (0, 1):
        (flag,) = flags(record, FlagKind.FAILED_AT_TIMES, row)
        assert flag.words == "Fast died in 1 of 7 tries: exit code 3."


def test_two_failures_in_the_last_rounds_gave_nothing_up() -> None:
    problem = "ab ended with exit code 104"
    trials = [Trial(number, 1, "flask", "closed", "", TrialOutcome.LOAD_FAILED, problem) for number in (6, 7)]
    flag = validity_checks.failed_at_times("Flask", trials, 7)
    assert flag is not None
    assert flag.words == f"Flask got no result of the load client in 2 of 2 tries: {problem}."


# -- while its capacity was measured ------------------------------------------------------------------


def at_a_share(*contestants: FakeServer) -> Experiment:
    conditions = (
        Condition(CLOSED, (SEND,)),
        Condition(HALF, (SEND,), capacity="closed"),
        Condition(MOST, (SEND,), capacity="closed"),
    )
    return an_experiment(*contestants, conditions=conditions, size=SHORT)


def spoiled(slow: FakeServer, windows: int) -> tuple[Spoil, list[int]]:
    """The first so many windows of its visit have fast answers that are none; and how many it had."""
    seen: list[int] = []

    def spoil(load: Load, plan: Plan) -> Load:
        if plan.port != slow.port or slow.starts != 1 or plan.duration_s != SHORT.window_s:
            return load
        seen.append(1)
        return load if len(seen) > windows else replace(load, throughput_per_s=9000, statuses={"500": 10_000})

    return spoil, seen


def doubtful(record: Record) -> list[Flag]:
    return [flag for flag in record.flags if flag.kind is FlagKind.RATE_DOUBTFUL]


@pytest.mark.parametrize("windows", [0, 1])
def test_a_spoiled_window_of_the_capacity_is_measured_again(windows: int) -> None:
    slow = FakeServer("slow")
    spoil, seen = spoiled(slow, windows)
    record = measured(at_a_share(slow, FakeServer("fast", [3000.0])), spoil)
    assert len(seen) == 1 + windows
    assert record.setting("half").rate_per_s == 500
    assert doubtful(record) == []


def test_a_capacity_whose_windows_were_both_spoiled_is_told_and_withdraws_nothing() -> None:
    slow = FakeServer("slow")
    spoil, seen = spoiled(slow, 9)
    record = measured(at_a_share(slow, FakeServer("fast", [3000.0])), spoil)
    assert len(seen) == 2
    assert record.setting("half").rate_per_s == 1500, "the slowest of the two, as it seemed"
    (flag,) = doubtful(record)
    assert flag.words == (
        "Half, Most: the rate follows from what the slowest can do, and both windows that measured Slow for "
        "it would be withdrawn (100.00% of 10,000 requests failed: 10,000 status 500)."
    )
    assert all(trial.counts for trial in record.trials)


def test_the_slowest_of_the_others_is_said_to_be_that() -> None:
    slow = FakeServer("slow", start_fails={1: NotStarted("no such program")})
    record = measured(at_a_share(slow, FakeServer("fast", [3000.0])))
    assert record.setting("half").rate_per_s == 1500
    (flag,) = doubtful(record)
    assert flag.words.endswith(
        "what Slow can do is not known (not started: no such program), so it is the slowest of the others."
    )


def test_one_that_is_not_measured_for_want_of_a_capacity_has_that_as_its_reason() -> None:
    fast = FakeServer("fast", start_fails={1: NotStarted("no such program")})
    conditions = (Condition(CLOSED, (SEND,)), Condition(SEARCH, (SEND,), capacity="closed"))
    asked = (a_row("fast", "slow", "search", "offered_per_s"),)
    record = measured(an_experiment(FakeServer("slow"), fast, conditions=conditions, asked=asked, size=SHORT))
    (flag,) = record.comparisons[0].flags
    assert flag.words == (
        "Fast has no rate here: what it can do was not found out (not started: no such program)."
    )
    assert "does not measure" not in flag.advice
