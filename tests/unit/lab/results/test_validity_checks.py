"""Every rule for flags: raised exactly where it says, whatever the figures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.lab.results.flags import RULES, Flag, FlagKind, Withdraws, refuses
from asyncdemo.lab.results.ratio import Ratio
from asyncdemo.lab.results.setup import Loop, Setting
from asyncdemo.lab.results.trial import Load, System, Trial, TrialOutcome
from asyncdemo.lab.results.validity_checks import (
    client_busy,
    contestant_failed,
    errors,
    few_rounds,
    few_samples,
    foreign_cpu,
    littles_gap,
    load_failed,
    no_ranking,
    of_trial,
    over_budget,
    overloaded,
    twins_differ,
)

CLOSED = Setting("closed", "", Loop.CLOSED, (), clients=20, timeout_s=30)
OPEN = Setting("open", "", Loop.OPEN, (), rate_per_s=100)
SEARCH = replace(OPEN, budget_ms=50)


def a_load(**more: object) -> Load:
    """A thousand answers in ten seconds, 200 ms each: twenty clients."""
    plain = Load(1000, 1000, 10.0, 10.0, 1000, 100.0, {"200": 1000}, latency_ms={"mean": 200.0, "0": 0.0})
    return replace(plain, **more)  # type: ignore[arg-type]


def kept(timeouts: int, mean_ms: float = 140.0, engine: str = "") -> Load:
    return a_load(latency_ms={"mean": mean_ms}, errors={"timeout": timeouts}, engine=engine)


def in_a_second(fastest_ms: float) -> Load:
    """One request every 10 ms for a second, 90 of 100 answered in it."""
    return a_load(answered_in_window=90, window_s=1.0, latency_ms={"mean": 100.0, "0": fastest_ms})


@pytest.mark.parametrize("setting", [CLOSED, SEARCH])
def test_a_load_without_fault_has_no_flag(setting: Setting) -> None:
    load, rate = a_load(client_busy=0.1), 100.0 if setting is SEARCH else None
    assert of_trial(load, System(foreign_cpu=0.0), setting, rate, 49.0) == ()


@pytest.mark.parametrize(
    ("flag", "is_raised"),
    [
        (client_busy(a_load()), False),
        (client_busy(a_load(client_busy=0.5, client_waited=0.29)), False),
        (client_busy(a_load(client_busy=0.5, client_waited=0.31)), True),
        (client_busy(a_load(client_busy=0.81)), True),
        (foreign_cpu(None), False),
        (foreign_cpu(System()), False),
        (foreign_cpu(System(foreign_cpu=0.06)), False),
        (foreign_cpu(System(foreign_cpu=0.061)), True),
        (littles_gap(a_load(latency_ms={"mean": 191.0}), CLOSED), False),
        (littles_gap(a_load(latency_ms={"mean": 189.0}), CLOSED), True),
        (littles_gap(a_load(latency_ms={"mean": 209.0}), CLOSED), False),
        (littles_gap(a_load(latency_ms={"mean": 211.0}), CLOSED), True),
        (littles_gap(a_load(latency_ms={"mean": 2.0}), OPEN), False),
        # what timed out kept a client waiting without a latency
        (littles_gap(kept(4), CLOSED), True),
        (littles_gap(kept(5), CLOSED), False),
        (littles_gap(kept(5), replace(CLOSED, timeout_s=1)), True),
        # what wrk adds to its latencies is no gap; a mean that is too small says so of wrk, too
        (littles_gap(kept(0, 240.0, "wrk"), CLOSED), False),
        (littles_gap(kept(0, 240.0, "asyncdemo.load"), CLOSED), True),
        (littles_gap(kept(0, 120.0, "wrk"), CLOSED), True),
        (overloaded(a_load(), None), False),
        (overloaded(a_load(answered_in_window=980), 100.0), False),
        (overloaded(a_load(answered_in_window=979), 100.0), True),
        # what cannot be answered in the window is not asked of the server
        (overloaded(in_a_second(100.0), 100.0), False),
        (overloaded(in_a_second(10.0), 100.0), True),
        (over_budget(a_load(), 100.0, 50, SEARCH), False),
        (over_budget(a_load(), 100.0, 50.1, SEARCH), True),
        (over_budget(a_load(), 100.0, None, SEARCH), True),
        (over_budget(a_load(answered_in_window=900), 100.0, 1, SEARCH), True),
        (over_budget(a_load(), 100.0, 50.1, OPEN), False),
        (errors(a_load(errors={"timeout": 1})), False),
        (errors(a_load(errors={"timeout": 1}, statuses={"302": 998, "404": 1})), True),
        (few_samples(10_000, 99.0), False),
        (few_samples(9_999, 99.0), True),
        (few_samples(1, 100), False),
        (few_rounds(7), False),
        (few_rounds(6), True),
    ],
)
def test_each_flag_is_raised_at_its_limit(flag: Flag | None, is_raised: bool) -> None:
    assert (flag is not None) is is_raised


@given(st.integers(1, 1000), st.floats(0.001, 1e5), st.floats(0.1, 1000), st.floats(0, 1))
def test_a_closed_loop_that_was_kept_full_has_no_gap(
    clients: int, rate: float, window_s: float, drained: float
) -> None:
    """In the window all clients wait; afterwards fewer and fewer, on average any share of them."""
    drain_s = clients / rate
    wall_s = window_s + drain_s
    area = clients * (window_s + drained * drain_s)
    answered = max(1, round(rate * wall_s))
    load = a_load(
        answered=answered, wall_s=wall_s, window_s=window_s, latency_ms={"mean": area / answered * 1000}
    )
    assert littles_gap(load, replace(CLOSED, clients=clients)) is None


@given(st.lists(st.floats(0.5, 2.0), min_size=1, max_size=12).map(Ratio.of))
def test_interval_with_1_ranks_nothing_and_twins_hold_it_in_six(ratio: Ratio) -> None:
    holds_one = ratio.least <= 1 <= ratio.most
    assert (no_ranking(ratio) is not None) == holds_one
    assert (twins_differ(ratio) is not None) == (not holds_one and len(ratio.pairs) >= 6)


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        (client_busy(a_load(client_busy=0.5, client_waited=0.4)), "another program had it"),
        (errors(a_load(errors={"timeout": 1200, "reset": 0})), "1,200 timeout."),
        (
            few_rounds(5, [FlagKind.ERRORS, FlagKind.CLIENT_BUSY, FlagKind.ERRORS]),
            "5 rounds of 7; others were withdrawn: client-busy, errors.",
        ),
    ],
)
def test_a_flag_tells_why(flag: Flag | None, words: str) -> None:
    assert flag is not None and words in flag.words


@pytest.mark.parametrize("outcome", TrialOutcome)
def test_every_outcome_but_two_is_a_failure_of_the_contestant(outcome: TrialOutcome) -> None:
    load = a_load() if outcome is TrialOutcome.MEASURED else None
    trial = Trial(1, 1, "flask", "closed", "", outcome, "exit code 1", load=load)
    not_its_own = {TrialOutcome.MEASURED, TrialOutcome.LOAD_FAILED}
    assert (contestant_failed([trial]) is not None) == (outcome not in not_its_own)
    assert (load_failed([trial]) is not None) == (outcome is TrialOutcome.LOAD_FAILED)


@pytest.mark.parametrize("kind", FlagKind)
def test_a_percentile_is_refused_by_more_than_a_throughput(kind: FlagKind) -> None:
    flags = [Flag(kind, "so it is")]
    withdraws = RULES[kind].withdraws
    assert refuses(flags) == refuses(flags, "load.throughput_per_s") == (withdraws is Withdraws.FIGURE)
    assert refuses(flags, "load.latency_ms.mean") == (withdraws is Withdraws.FIGURE)
    assert refuses(flags, "load.latency_ms.99") == (withdraws in {Withdraws.FIGURE, Withdraws.PERCENTILES})
