"""Every rule for flags: raised exactly where it says, whatever the figures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from asyncdemo.lab.results import validity_checks
from asyncdemo.lab.results.flags import RULES, Flag, FlagKind, Withdraws, refuses
from asyncdemo.lab.results.ratio import Ratio
from asyncdemo.lab.results.setup import Loop, Setting
from asyncdemo.lab.results.trial import Load, System, Trial, TrialOutcome

CLOSED = Setting("closed", "", Loop.CLOSED, (), clients=20, timeout_s=30)
OPEN = Setting("open", "", Loop.OPEN, (), rate_per_s=100)
SEARCH = replace(OPEN, budget_ms=50)

shares = st.floats(0, 1)
counts = st.integers(1, 10**7)
positive = st.floats(0.001, 1e5)


def a_load(**more: object) -> Load:
    """A thousand answers in ten seconds, 200 ms each: twenty clients."""
    plain = Load(1000, 1000, 10.0, 10.0, 1000, 100.0, {"200": 1000}, latency_ms={"mean": 200.0, "0": 0.0})
    return replace(plain, **more)  # type: ignore[arg-type]


def test_a_load_without_fault_has_no_flag() -> None:
    assert (
        validity_checks.of_trial(a_load(client_busy=0.1), System(foreign_cpu=0.0), CLOSED, None, None) == ()
    )
    assert (
        validity_checks.of_trial(a_load(client_busy=0.1), System(foreign_cpu=0.0), SEARCH, 100.0, 49.0) == ()
    )


@given(shares, shares)
def test_a_client_is_busy_above_its_limit_running_or_waiting(ran: float, waited: float) -> None:
    flag = validity_checks.client_busy(a_load(client_busy=ran, client_waited=waited))
    assert (flag is not None) == (ran + waited > 0.8)
    if flag is not None:
        assert flag.value == ran + waited
        assert ("another program had it" in flag.words) == (ran <= 0.8)


def test_a_client_whose_cpu_is_unknown_is_not_called_busy() -> None:
    assert validity_checks.client_busy(a_load()) is None


@given(shares)
def test_others_may_use_six_percent(share: float) -> None:
    flag = validity_checks.foreign_cpu(System(foreign_cpu=share))
    assert (flag is not None) == (share > 0.06)
    assert validity_checks.foreign_cpu(System()) is None and validity_checks.foreign_cpu(None) is None


@given(st.integers(1, 1000), positive, st.floats(0.1, 1000), st.floats(0, 1))
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
    assert validity_checks.littles_gap(load, replace(CLOSED, clients=clients)) is None


@given(st.integers(1, 1000), st.floats(0.01, 10))
def test_a_gap_is_raised_above_five_percent_on_either_side(clients: int, factor: float) -> None:
    load = a_load(latency_ms={"mean": clients * factor / 100 * 1000})
    assume(abs(abs(factor - 1) - 0.05) > 1e-9)
    flag = validity_checks.littles_gap(load, replace(CLOSED, clients=clients))
    assert (flag is not None) == (abs(factor - 1) > 0.05)


def test_what_timed_out_kept_a_client_waiting_without_a_latency() -> None:
    kept = a_load(latency_ms={"mean": 140.0}, errors={"timeout": 2})
    assert validity_checks.littles_gap(kept, replace(CLOSED, timeout_s=30)) is not None
    assert (
        validity_checks.littles_gap(replace(kept, errors={"timeout": 4}), replace(CLOSED, timeout_s=30))
        is not None
    )
    assert (
        validity_checks.littles_gap(replace(kept, errors={"timeout": 5}), replace(CLOSED, timeout_s=30))
        is None
    )
    assert (
        validity_checks.littles_gap(replace(kept, errors={"timeout": 5}), replace(CLOSED, timeout_s=1))
        is not None
    )


def test_what_wrk_adds_to_its_latencies_is_no_gap() -> None:
    """Little's law holds for what was measured; a mean that is too small says so of wrk, too."""
    load = a_load(latency_ms={"mean": 240.0}, engine="wrk")
    assert validity_checks.littles_gap(load, CLOSED) is None
    assert validity_checks.littles_gap(replace(load, engine="asyncdemo.load"), CLOSED) is not None
    assert validity_checks.littles_gap(replace(load, latency_ms={"mean": 120.0}), CLOSED) is not None


def test_an_open_loop_has_no_clients_to_count() -> None:
    assert validity_checks.littles_gap(a_load(), OPEN) is None


@given(st.floats(1, 1e5), shares)
def test_less_than_the_rate_is_an_overload(rate: float, share: float) -> None:
    answered = round(rate * share * 10)
    load = a_load(answered_in_window=answered)
    flag = validity_checks.overloaded(load, rate)
    assert (flag is not None) == (answered / (rate * 10) < 0.98)
    assert validity_checks.overloaded(load, None) is None


def test_what_cannot_be_answered_in_the_window_is_not_asked_of_the_server() -> None:
    """One request every 10 ms for a second, each answered after 100 ms: 90 of 100 in the window."""
    load = a_load(answered_in_window=90, window_s=1.0, latency_ms={"mean": 100.0, "0": 100.0})
    assert validity_checks.overloaded(load, 100.0) is None
    assert validity_checks.overloaded(replace(load, latency_ms={"mean": 100.0, "0": 10.0}), 100.0) is not None


@pytest.mark.parametrize(
    ("p99_ms", "served", "kept"),
    [(50, 1000, True), (50.1, 1000, False), (None, 1000, False), (1, 900, False)],
)
def test_a_budget_is_kept_by_a_rate_that_is_served_in_time(
    p99_ms: float | None, served: int, kept: bool
) -> None:
    load = a_load(answered_in_window=served)
    assert (validity_checks.over_budget(load, 100.0, p99_ms, SEARCH) is None) is kept
    assert validity_checks.over_budget(load, 100.0, p99_ms, OPEN) is None


@given(
    counts, st.integers(0, 1000), st.integers(0, 1000), st.sampled_from(["200", "201", "302", "404", "500"])
)
def test_one_request_in_a_thousand_may_fail(requests: int, lost: int, answered: int, status: str) -> None:
    assume(lost + answered <= requests)
    load = a_load(requests=requests, errors={"timeout": lost}, statuses={status: answered})
    failed = lost + answered * (status >= "400")
    flag = validity_checks.errors(load)
    assert (flag is not None) == (failed / requests > 0.001)
    if flag is not None and lost:
        assert f"{lost:,} timeout" in flag.words


@given(st.integers(0, 10**7), st.sampled_from([50.0, 75.0, 90.0, 95.0, 99.0, 99.9]))
def test_a_hundred_answers_lie_beyond_a_percentile_that_is_quoted(answered: int, percent: float) -> None:
    beyond = answered * (100 - percent) / 100
    flag = validity_checks.few_samples(answered, percent)
    assert (flag is not None) == (beyond < 100)
    assert validity_checks.few_samples(answered, 100) is None


ratios = st.lists(st.floats(0.5, 2.0), min_size=1, max_size=12).map(Ratio.of)


@given(ratios)
def test_an_interval_that_holds_1_ranks_nothing_and_twins_must_hold_it_in_six_rounds(ratio: Ratio) -> None:
    holds_one = ratio.least <= 1 <= ratio.most
    assert (validity_checks.no_ranking(ratio) is not None) == holds_one
    assert (validity_checks.twins_differ(ratio) is not None) == (not holds_one and len(ratio.pairs) >= 6)


@given(st.integers(0, 40))
def test_a_ranking_needs_seven_rounds(rounds: int) -> None:
    assert (validity_checks.few_rounds(rounds) is not None) == (rounds < 7)


def test_few_rounds_tell_why_the_others_were_withdrawn() -> None:
    flag = validity_checks.few_rounds(5, [FlagKind.ERRORS, FlagKind.CLIENT_BUSY, FlagKind.ERRORS])
    assert flag is not None
    assert flag.words == "5 rounds of 7; others were withdrawn: client-busy, errors."


@pytest.mark.parametrize("outcome", TrialOutcome)
def test_every_outcome_but_two_is_a_failure_of_the_contestant(outcome: TrialOutcome) -> None:
    load = a_load() if outcome is TrialOutcome.MEASURED else None
    trial = Trial(1, 1, "flask", "closed", "", outcome, "exit code 1", load=load)
    not_its_own = {TrialOutcome.MEASURED, TrialOutcome.LOAD_FAILED}
    assert (validity_checks.contestant_failed([trial]) is not None) == (outcome not in not_its_own)
    assert (validity_checks.load_failed([trial]) is not None) == (outcome is TrialOutcome.LOAD_FAILED)


@pytest.mark.parametrize("kind", FlagKind)
def test_a_percentile_is_refused_by_more_than_a_throughput(kind: FlagKind) -> None:
    flags = [Flag(kind, "so it is")]
    withdraws = RULES[kind].withdraws
    assert refuses(flags) == refuses(flags, "load.throughput_per_s") == (withdraws is Withdraws.FIGURE)
    assert refuses(flags, "load.latency_ms.mean") == (withdraws is Withdraws.FIGURE)
    assert refuses(flags, "load.latency_ms.99") == (withdraws in {Withdraws.FIGURE, Withdraws.PERCENTILES})
