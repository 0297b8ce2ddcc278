"""Each reason to refuse or to flag a figure, brought about: a starved client, a co-tenant, overload, ..."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.lab.harness.contestant import Knobs, Started, Unavailable
from asyncdemo.lab.harness.pinning import Pinning
from asyncdemo.lab.harness.protocol import Asked, Condition, Contender, Experiment, Size, latency, run
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.ordering import turns
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import Record, dump_record, parse_record
from asyncdemo.lab.results.setup import Extent
from tests.lab.measuring import BRIEF, CLOSED, OPEN, kinds, one_trial, process_check, serving, undisturbed
from tests.support.fake_lab import SEND, a_row, an_arm

pytestmark = pytest.mark.slow

SPIN = "print(flush=True)\nwhile True: pass"


@contextmanager
def spinning(number: int, cpu: int | None = None) -> Iterator[None]:
    """So many programs that use all the CPU time they get; on this processor, or any."""
    spinners = []
    try:
        for _ in range(number):
            # sessions of their own: Linux divides a processor among these first (sched_autogroup)
            spinner = subprocess.Popen(
                [sys.executable, "-c", SPIN], stdout=subprocess.PIPE, start_new_session=True
            )
            spinners.append(spinner)
            assert spinner.stdout is not None
            spinner.stdout.readline()
            if cpu is not None:
                os.sched_setaffinity(spinner.pid, {cpu})
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.communicate()


# -- of a trial ----------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no pinning on this system")
def test_a_starved_client() -> None:
    """Of its processor, which it shares with eight programs that spin, it needs more than a ninth."""
    *others, cpu = sorted(os.sched_getaffinity(0))
    bench = replace(Bench(), pinning=Pinning((cpu,), tuple(others)))
    contender = Contender(an_arm("null"), bench.null)
    with spinning(8, cpu):
        (trial,) = one_trial(contender, replace(OPEN, rate_per_s=30_000), bench)
    assert trial.load is not None
    assert trial.load.client_waited is not None and trial.load.client_waited > 0.2
    assert FlagKind.CLIENT_BUSY in kinds(trial)
    assert not trial.counts


def test_a_co_tenant_that_spins() -> None:
    with spinning(1):
        (trial,) = one_trial(serving("quick"), OPEN)
    assert FlagKind.FOREIGN_CPU in kinds(trial)
    assert not trial.counts


def test_an_overloaded_server() -> None:
    """Two at a time, 10 ms each: 200 a second, and 400 are sent."""
    overloaded = serving("slow", delays_ms=10, slots=2)
    (trial,) = one_trial(overloaded, replace(OPEN, rate_per_s=400))
    assert FlagKind.OVERLOADED in kinds(trial)
    assert trial.load is not None and trial.load.answered == trial.load.requests, "late is not lost"
    (kept_up,) = one_trial(serving("quick"), OPEN, size=replace(BRIEF, window_s=2))
    assert kept_up.load is not None and kept_up.offered_per_s == 50


def test_a_server_that_errs() -> None:
    (trial,) = one_trial(serving("broken", err_every=10), bench=undisturbed())
    assert kinds(trial) == {FlagKind.ERRORS}
    assert trial.load is not None and trial.load.statuses["500"] > 0


def test_a_load_program_whose_figures_contradict_each_other() -> None:
    """wrk looks at one second of answers that take 0.4 s each, so its clients wait in vain for the last."""
    bench = undisturbed()
    if "wrk" not in bench.engines:
        pytest.skip("wrk is not on PATH")
    setting = replace(CLOSED, clients=20, tool="wrk", duration_s=1, timeout_s=None)
    (trial,) = one_trial(serving("slow", delays_ms=400), setting, bench)
    assert kinds(trial) == {FlagKind.LITTLES_GAP}
    (ours,) = one_trial(serving("slow", delays_ms=400), replace(setting, tool="asyncdemo.load"), bench)
    assert kinds(ours) == set()


def test_ab_counts_a_connection_that_is_reset_and_goes_on() -> None:
    bench = undisturbed()
    if "ab" not in bench.engines:
        pytest.skip("ab is not on PATH")
    setting = replace(CLOSED, tool="ab", requests=200, keep_alive=False)
    (trial,) = one_trial(serving("resets", delays_ms=5, reset_every=20), setting, bench)
    assert FlagKind.ERRORS in kinds(trial)
    assert trial.load is not None and trial.load.requests == 200
    assert 8 <= trial.load.errors["failed"] <= 10


def test_a_search_goes_over_its_budget() -> None:
    """One at a time, 5 ms each: at more than 200 a second no budget is kept."""
    setting = replace(OPEN, name="search", rate_per_s=50, budget_ms=100)
    steps = one_trial(serving("slow", delays_ms=5, slots=1), setting, undisturbed())
    over = [step for step in steps if FlagKind.OVER_BUDGET in kinds(step)]
    assert over and not any(step.counts for step in over)
    assert all(step.offered_per_s is not None and step.offered_per_s > 50 for step in over)


# -- of a comparison -------------------------------------------------------------------------------------

P99 = Asked("p99", latency("99"), "b", "a", "closed")


def compared(
    *contenders: Contender,
    asked: tuple[Asked, ...],
    size: Size = BRIEF,
    twin_of: str = "",
    seed: int = 1,
    condition: Condition | None = None,
) -> Record:
    experiment = Experiment(
        "real",
        "Real",
        contenders,
        (condition or Condition(CLOSED, (SEND,), warm=False),),
        asked,
        sizes={Extent.QUICK: size},
        twin_of=twin_of,
    )
    record = run(experiment, Extent.QUICK, bench=undisturbed(), seed=seed)
    assert parse_record(dump_record(record)) == record
    return record


def flags_of(record: Record, name: str) -> set[FlagKind]:
    (row,) = (row for row in record.comparisons if row.name == name)
    return {flag.kind for flag in row.flags}


def test_a_short_run_has_too_few_samples_for_a_percentile_and_too_few_rounds() -> None:
    record = compared(serving("a", delays_ms=20), serving("b", delays_ms=40), asked=(P99, a_row("a", "b")))
    assert flags_of(record, "p99") == {FlagKind.FEW_SAMPLES}
    assert flags_of(record, "a / b") == {FlagKind.FEW_ROUNDS}
    (ratio,) = (row.measured for row in record.comparisons if row.name == "a / b")
    assert ratio is not None and ratio.median > 1


def test_arms_that_take_turns_in_being_faster_have_no_ranking(tmp_path: Path) -> None:
    """Started to be looked at, then once a round: a is slow in the first and fast in the second, b not."""
    arms = (
        serving("a", delays_ms="0,50,10", starts=str(tmp_path / "a")),
        serving("b", delays_ms="0,10,50", starts=str(tmp_path / "b")),
        serving("c"),
    )
    record = compared(*arms, asked=(a_row("b", "a"),), size=replace(BRIEF, rounds=2), twin_of="c")
    assert flags_of(record, "b / a") == {FlagKind.NO_RANKING, FlagKind.FEW_ROUNDS}
    assert flags_of(record, "C, twice") == {FlagKind.FEW_ROUNDS}, "two rounds say nothing of twins"


def test_one_that_is_slower_whenever_it_is_started_again_is_not_its_own_twin(tmp_path: Path) -> None:
    """Started to be looked at, then twice a round: slowly the second time, which is always the same arm's."""
    delays = ",".join(["0", *["5,20"] * 6])
    size = replace(BRIEF, rounds=6, window_s=0.3)

    def twins_keep_their_order(seed: int) -> bool:
        planned = [turn.arm for turn in turns(6, lambda _: [("closed", ["a", "a-again"])], seed)]
        return planned == planned[:2] * 6

    seed = next(filter(twins_keep_their_order, itertools.count()))
    arm = serving("a", delays_ms=delays, starts=str(tmp_path / "a"))
    record = compared(arm, asked=(), size=size, seed=seed)
    assert flags_of(record, "A, twice") == {FlagKind.TWINS_DIFFER, FlagKind.FEW_ROUNDS}
    assert [flag.kind for flag in record.flags] == [FlagKind.TWINS_DIFFER]


def test_a_knob_that_took_no_effect() -> None:
    condition = Condition(CLOSED, (SEND,), checks=(process_check("workers", 3, ("b",)),), warm=False)
    record = compared(serving("a"), serving("b"), asked=(a_row("b", "a"),), condition=condition)
    assert flags_of(record, "b / a") == {FlagKind.NOT_VERIFIED}
    (item,) = record.verifications
    assert (item.arm, item.asked, item.seen, item.held) == ("b", "at least 3", "1", False)


class NowhereToBeFound:
    name = "japronto"

    def start(self, knobs: Knobs) -> Started:
        raise Unavailable(f"{self.name} needs Python 3.6, and this is {sys.version_info[1]}", "Granian")


def test_one_that_cannot_be_had() -> None:
    gone = Contender(an_arm("japronto"), NowhereToBeFound())
    record = compared(serving("a"), gone, asked=(a_row("japronto", "a"),))
    assert flags_of(record, "japronto / a") == {FlagKind.NOT_TO_BE_HAD}
    assert record.arm("japronto").successor == "Granian"
