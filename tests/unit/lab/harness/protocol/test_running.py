"""A whole experiment with made-up contestants: what is measured, and what becomes of those that fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.errors import AsyncdemoError, LabFileError, ServiceError
from asyncdemo.lab.harness import NotStarted, Unavailable
from asyncdemo.lab.harness.protocol.bench import Interrupted
from asyncdemo.lab.harness.protocol.description import (
    Check,
    Condition,
    Contestant,
    Count,
    PlannedRow,
    Scene,
    Seen,
    When,
)
from asyncdemo.lab.harness.protocol.running import Progress, Stage, run
from asyncdemo.lab.results.comparison import Published
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.ratio import Reproduction
from asyncdemo.lab.results.record import Record, dump_record, parse_record
from asyncdemo.lab.results.setup import Extent, Loop, Setting
from asyncdemo.lab.results.trial import Load, TrialOutcome
from asyncdemo.load import Plan
from tests.support.fake_lab import (
    CLOSED,
    SEND,
    SIZE,
    FakeServer,
    a_bench,
    a_row,
    an_arm,
    an_experiment,
    hung,
)

SHORT = replace(SIZE, rounds=3)
MEASURED = TrialOutcome.MEASURED
AT_CLOSED = Condition(CLOSED, (SEND,))
OPEN = Setting("open", "500 a second", Loop.OPEN, (), rate_per_s=500)
SEARCH = Condition(Setting("search", "6 ms", Loop.OPEN, (), budget_ms=6.0), (SEND,), capacity="closed")
SEARCHED = (a_row("fast", "slow", "search", "offered_per_s"),)


class Lab:
    """Measures, with what is the same for several runs of a test."""

    def __init__(self, *contestants: FakeServer, **spoil: Any) -> None:
        self.contestants = contestants
        self.bench, self.engine = a_bench(*contestants, **spoil)

    def run(self, journal: Path | None = None, changed: dict[str, Any] | None = None, **more: Any) -> Record:
        experiment = replace(an_experiment(*self.contestants, **more), **(changed or {}))
        seed = 1 if journal is None else None
        record = run(experiment, Extent.DEFAULT, journal=journal, seed=seed, bench=self.bench)
        assert parse_record(dump_record(record)) == record
        assert not any(one.running for one in self.contestants)
        return record


def measured(*contestants: FakeServer, **more: Any) -> Record:
    return Lab(*contestants).run(**more)


def kinds(record: Record, row: int = 0) -> set[FlagKind]:
    return {flag.kind for flag in record.comparisons[row].flags}


def words(record: Record, kind: FlagKind, row: int = 0) -> list[str]:
    return [flag.words for flag in record.comparisons[row].flags if flag.kind is kind]


def outcomes(record: Record, arm: str) -> list[TrialOutcome]:
    return [trial.outcome for trial in record.trials if trial.arm == arm]


def two() -> tuple[FakeServer, FakeServer]:
    return FakeServer("slow"), FakeServer("fast", [3000.0])


# -- what is measured ----------------------------------------------------------------------------------


def test_seven_rounds_have_every_arm_once_and_the_base_twice() -> None:
    slow, fast = two()
    record = measured(slow, fast, conditions=(replace(AT_CLOSED, knobs={"workers": 4}),))
    assert [(trial.round, trial.place) for trial in record.trials] == [
        (number, place) for number in range(1, 8) for place in (1, 2, 3)
    ]
    for number in range(1, 8):
        arms = {trial.arm for trial in record.trials if trial.round == number}
        assert arms == {"slow", "fast", "slow-again"}
    ratio = record.comparisons[0].measured
    assert ratio is not None and ratio.pairs == (3.0,) * 7
    assert record.comparisons[0].flags == record.flags == ()
    assert (record.comparisons[0].arm_median, record.comparisons[0].base_median) == (3000, 1000)
    twin = record.comparisons[-1]
    assert (twin.arm, twin.base, twin.flags) == ("slow-again", "slow", ())
    assert twin.measured is not None and twin.measured.holds_one
    assert record.arm("slow-again").twin_of == "slow"
    assert slow.knobs == [{"workers": 4}] * (1 + 2 * 7), "looked at once, and restarted for each trial"


@pytest.mark.parametrize(("rounds", "alarmed"), [(5, False), (6, True)])
def test_twins_that_differ_in_six_rounds_flag_all_withdraw_none(rounds: int, alarmed: bool) -> None:
    """The twin is in truth another contestant, and faster each time."""
    slow, fast = two()
    other = FakeServer("other", [1100.0])
    twin = Contestant(an_arm("slow-again", twin_of="slow"), other)
    own = tuple(Contestant(an_arm(one.name), one) for one in (slow, fast))
    record = Lab(slow, fast, other).run(
        changed={"contestants": (*own, twin)},
        asked=(a_row("fast", "slow"),),
        size=replace(SIZE, rounds=rounds),
    )
    assert (FlagKind.TWINS_DIFFER in kinds(record, -1)) is alarmed
    assert [flag.kind for flag in record.flags] == [FlagKind.TWINS_DIFFER] * alarmed
    assert record.comparisons[0].measured is not None


@pytest.mark.parametrize(
    ("setting", "rates", "windows", "agreed"),
    [
        (CLOSED, [100, 100], 2, True),
        (CLOSED, [100, 96, 100], 2, True),
        (CLOSED, [10, 100, 120, 121], 4, True),
        (CLOSED, [1, 2, 4, 8, 16], 4, False),
        # what settles there is the median latency: here 2 ms, 1.33, 1.25
        (OPEN, [1000, 2000, 2500], 3, True),
    ],
)
def test_each_window_is_preceded_by_short_ones_until_two_agree(
    setting: Setting, rates: list[float], windows: int, agreed: bool
) -> None:
    slow = FakeServer("slow", rates)
    lab = Lab(slow)
    record = lab.run(conditions=(Condition(setting, (SEND,)),), size=replace(SHORT, rounds=1))
    assert record.trials[0].counted == {"warm_up_windows": windows, "warm_up_agreed": agreed}
    lasted = [plan.duration_s for plan in lab.engine.plans if plan.port == slow.port]
    assert lasted[: windows + 1] == [1] * windows + [10]
    assert ("In 1 of 2 trials no two windows of warming up agreed." in record.notes) is not agreed


def test_rate_is_a_share_of_the_slowest_capacity_for_all_alike() -> None:
    half = Setting("half", "50 %", Loop.OPEN, (), of_capacity=0.5, arrivals="poisson")
    lab = Lab(*two())
    record = lab.run(conditions=(AT_CLOSED, Condition(half, (SEND,), capacity="closed")), size=SHORT)
    assert record.setting("half").rate_per_s == 500
    plans = [plan for plan in lab.engine.plans if plan.arrivals == "poisson" and plan.duration_s == 10]
    assert {plan.rate for plan in plans} == {500}
    assert len({plan.seed for plan in plans}) == 3, "each round has arrivals of its own, the same for all"


def test_a_search_ends_at_the_highest_rate_within_the_budget() -> None:
    # latency 1 / (1 - rate / 1000) ms, its 99th percentile three times that: 6 ms at 500 per second
    slow, fast = FakeServer("slow", [1000.0]), FakeServer("fast", [2000.0])
    record = measured(slow, fast, conditions=(AT_CLOSED, SEARCH), asked=SEARCHED, size=SHORT)
    steps = [trial for trial in record.trials if trial.arm == "slow" and trial.round == 1][1:]
    assert [trial.step for trial in steps] == list(range(1, len(steps) + 1))
    last = [trial for trial in steps if trial.counts][-1]
    assert last.offered_per_s is not None
    assert 475 <= last.offered_per_s <= 500
    ratio = record.comparisons[0].measured
    assert ratio is not None and ratio.median == pytest.approx(2, rel=0.05)
    assert [flag.words for flag in record.comparisons[0].flags] == ["3 rounds of 7."]
    assert "do not count" not in "".join(record.notes), "steps over the budget are what a search is made of"


def test_a_search_without_any_rate_within_the_budget_ends_too() -> None:
    never = replace(SEARCH, setting=replace(SEARCH.setting, budget_ms=1.0))
    record = measured(*two(), conditions=(AT_CLOSED, never), asked=SEARCHED, size=replace(SHORT, rounds=1))
    steps = [trial for trial in record.trials if trial.arm == "slow" and trial.step]
    assert [trial.offered_per_s for trial in steps] == [500 / 2**number for number in range(12)]
    assert record.comparisons[0].measured is None


def test_search_limited_by_the_client_has_no_result() -> None:
    wide = replace(SEARCH, setting=replace(SEARCH.setting, budget_ms=12.0))
    # half of the capacity is served, and well; above that it is the client that cannot go on
    lab = Lab(
        FakeServer("slow"),
        FakeServer("fast"),
        spoil=lambda load, plan: replace(load, client_busy=0.9) if (plan.rate or 0) > 500 else load,
    )
    record = lab.run(conditions=(AT_CLOSED, wide), asked=SEARCHED)
    searched = [trial for trial in record.trials if trial.step]
    assert {trial.arm for trial in searched} == {"slow", "fast", "slow-again"}
    assert {trial.step for trial in searched} == {1, 2}
    assert not any(trial.counts for trial in searched)
    assert FlagKind.CLIENT_BUSY in kinds(record)


def test_counts_are_the_maximum_seen_or_the_value_afterwards() -> None:
    seen = iter([3.0, 7.0, 5.0, 1.0] * 100)
    counts = (
        Count("db_sessions", lambda _: next(seen)),
        Count("rows", lambda scene: float(scene.load.answered if scene.load else -1), most=False),
    )
    record = measured(FakeServer("slow"), counts=counts, size=replace(SHORT, rounds=1))
    assert record.trials[0].figure("counted.db_sessions") == 3.0
    assert record.trials[0].figure("counted.rows") == 10_000


def test_what_a_run_leaves_out_is_said() -> None:
    more = replace(CLOSED, name="more", title="100 clients", clients=100)
    other = replace(CLOSED, name="by-wrk", title="By wrk", tool="wrk")
    record = measured(
        *two(),
        conditions=tuple(Condition(setting, (SEND,)) for setting in (CLOSED, more, other)),
        asked=(a_row("fast", "slow"), a_row("fast", "slow", "more"), a_row("fast", "slow", "by-wrk")),
        size=replace(SHORT, settings=("closed", "by-wrk")),
    )
    assert [setting.name for setting in record.settings] == ["closed"]
    assert [row.setting for row in record.comparisons] == ["closed", "closed"]
    assert "Not measured in a default run: 100 clients." in record.notes
    assert record.environment.missing == {"wrk": "not on PATH; left out: By wrk"}


def test_two_arms_of_one_name_are_found_before_measuring() -> None:
    slow = FakeServer("slow")
    with pytest.raises(ValueError, match="two of the arms are called 'slow'"):
        measured(slow, FakeServer("slow"))
    assert slow.starts == 0


# -- those that fail ----------------------------------------------------------------------------------

AT_TIMES = {FlagKind.FEW_ROUNDS, FlagKind.NO_RANKING, FlagKind.FAILED_AT_TIMES}


@pytest.mark.parametrize(
    ("fault", "tries", "problem", "flags"),
    [
        ({"dies": {3}}, [MEASURED, TrialOutcome.DIED, *[MEASURED] * 5], "exit code 3", AT_TIMES),
        ({"end_fails": {2}}, [TrialOutcome.PORT_KEPT, *[MEASURED] * 6], "somebody still holds it", AT_TIMES),
        (
            {"start_fails": dict.fromkeys(range(2, 100), hung())},
            [TrialOutcome.HUNG] * 2,
            "it hangs",
            {FlagKind.CONTESTANT_FAILED},
        ),
        (
            {"load_fails": {3}},
            [MEASURED, TrialOutcome.LOAD_FAILED, *[MEASURED] * 5],
            "wrk ended with exit code 104",
            AT_TIMES,
        ),
        (
            {"load_fails": range(2, 100)},
            [TrialOutcome.LOAD_FAILED] * 2,
            "wrk ended with exit code 104",
            {FlagKind.LOAD_FAILED},
        ),
        (
            {"silent": True},
            [TrialOutcome.HUNG] * 2,
            "none of 10 requests was answered (timeout: no answer)",
            {FlagKind.CONTESTANT_FAILED},
        ),
    ],
)
def test_two_failures_in_a_row_end_an_arm_and_others_continue(
    fault: dict[str, Any], tries: list[TrialOutcome], problem: str, flags: set[FlagKind]
) -> None:
    record = measured(FakeServer("slow"), FakeServer("fast", **fault))
    assert outcomes(record, "fast") == tries
    assert outcomes(record, "slow") == [MEASURED] * 7
    assert kinds(record) == flags
    assert {trial.problem for trial in record.trials if trial.outcome is not MEASURED} == {problem}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"dies": {3, 4}}, "Fast died in 2 of 3 tries and was not tried again: exit code 3."),
        ({"dies": {3}}, "Fast died in 1 of 7 tries: exit code 3."),
        ({"dies": {7, 8}}, "Fast died in 2 of 7 tries: exit code 3."),
        (
            {"start_fails": {2: hung("no answer"), 4: NotStarted("no port.")}},
            "Fast hung in 1 and did not start in 1 of 7 tries: no answer; no port.",
        ),
    ],
)
def test_arm_that_failed_in_some_rounds_is_named_on_either_side(fault: dict[str, Any], said: str) -> None:
    row = replace(a_row("fast", "slow"), published=Published("3.1", 3.1))
    record = measured(
        FakeServer("slow"), FakeServer("fast", [3000.0], **fault), asked=(row, a_row("slow", "fast"))
    )
    assert record.comparisons[0].verdict is Reproduction.REPRODUCED, "the rounds that are left still count"
    for number in (0, 1):
        assert words(record, FlagKind.FAILED_AT_TIMES, number) == [said]


def test_load_failure_after_the_contestant_died_is_not_to_blame() -> None:
    fast = FakeServer("fast")

    def fail(load: Load, plan: Plan) -> Load:
        if plan.port == fast.port and plan.duration_s == SIZE.window_s and fast.starts == 3:
            fast.dies = {3}
            raise AsyncdemoError("wrk ended with exit code 104")
        return load

    record = Lab(FakeServer("slow"), fast, spoil=fail).run()
    assert outcomes(record, "fast") == [MEASURED, TrialOutcome.DIED, *[MEASURED] * 5]
    assert "1 of 21 trials do not count: died 1." in record.notes


def test_check_under_a_failed_load_was_not_verified() -> None:
    check = Check("rows", "10", lambda _: Seen("10", True), When.AFTER)
    record = measured(FakeServer("slow"), FakeServer("fast", load_fails={1}), checks=(check,))
    (item,) = (item for item in record.verifications if item.arm == "fast")
    assert item.seen == "load failed: wrk ended with exit code 104"
    assert kinds(record) == {FlagKind.NOT_VERIFIED}


def test_unavailable_contestant_is_a_row_and_the_next_is_twinned() -> None:
    gone = FakeServer("gone", start_fails={1: Unavailable("Python 3.6 only", "Granian")})
    there, other = FakeServer("there"), FakeServer("other")
    record = measured(gone, there, other, asked=(a_row("gone", "there"), a_row("other", "gone")))
    assert record.arm("gone").unavailable == "Python 3.6 only"
    assert record.arm("gone").successor == "Granian"
    for row in (0, 1):
        assert kinds(record, row) == {FlagKind.NOT_TO_BE_HAD}
    assert record.comparisons[-1].arm == "there-again"
    assert gone.starts == 1


def test_one_that_answers_wrongly_is_not_measured() -> None:
    def look(scene: Scene) -> Seen:
        right = scene.arm.name != "fast"
        return Seen("hello" if right else "goodbye", right)

    record = measured(*two(), checks=(Check("GET /", "hello", look, always=True),), size=SHORT)
    assert outcomes(record, "fast") == [TrialOutcome.WRONG_ANSWER] * 2
    problems = {trial.problem for trial in record.trials if trial.arm == "fast"}
    assert problems == {"GET /: hello was asked for, goodbye was seen"}
    assert [(item.arm, item.held) for item in record.verifications] == [("slow", True), ("fast", False)]
    assert FlagKind.CONTESTANT_FAILED in kinds(record)


def test_what_was_not_as_asked_for_withdraws_the_figures() -> None:
    check = Check("workers", "4", lambda scene: Seen("3", scene.arm.name != "fast"), When.LOADED)
    row = replace(a_row("fast", "slow"), published=Published("three times", 3.0))
    record = measured(*two(), checks=(check,), asked=(row,), size=SHORT)
    assert outcomes(record, "fast") == [MEASURED] * 3
    assert record.comparisons[0].verdict is Reproduction.REFUSED
    assert kinds(record) == {FlagKind.NOT_VERIFIED}
    assert record.comparisons[0].flags[0].words == "workers: 4 was asked for, 3 was seen."


def test_a_check_that_breaks_is_what_was_seen() -> None:
    def look(_scene: Scene) -> Seen:
        raise ConnectionResetError("by the server")

    record = measured(FakeServer("slow"), checks=(Check("rows", "10", look, When.AFTER),), size=SHORT)
    (item,) = record.verifications
    assert (item.seen, item.held) == ("ConnectionResetError: by the server", False)


# -- ended early, and going on --------------------------------------------------------------------------


def ended_after(trials: int, journal: Path | None, *contestants: FakeServer, ctrl_c: bool = False) -> Record:
    """By the callback that is asked, or by Ctrl-C in the middle of something."""
    windows = 0

    def count(load: Load, plan: Plan) -> Load:
        nonlocal windows
        windows += plan.duration_s == 10 and plan.port in {one.port for one in contestants}
        if ctrl_c and windows > trials:
            raise KeyboardInterrupt
        return load

    bench, _ = a_bench(*contestants, spoil=count)
    record = run(
        an_experiment(*contestants),
        Extent.DEFAULT,
        interrupted=lambda: not ctrl_c and windows >= trials,
        journal=journal,
        bench=bench,
    )
    assert parse_record(dump_record(record)) == record
    assert record.interrupted and not any(one.running for one in contestants)
    return record


@pytest.mark.parametrize("ctrl_c", [False, True])
def test_interruption_keeps_finished_rounds_and_a_rerun_resumes(tmp_path: Path, ctrl_c: bool) -> None:
    journal = tmp_path / "made-up.journal"
    first = ended_after(5, journal, *two(), ctrl_c=ctrl_c)
    assert {trial.round for trial in first.trials} == {1} and not first.notes
    assert first.flags[-1].kind is FlagKind.INTERRUPTED
    assert first.flags[-1].words.startswith("1 of 7 rounds")

    slow, fast = two()
    second = Lab(slow, fast).run(journal)
    assert slow.starts + fast.starts == 21 - 5, "what was finished is not measured again"
    assert not second.interrupted and second.trials[:3] == first.trials
    assert second.order_seed == first.order_seed and second.started == first.started
    assert any("ended, and continued later" in note for note in second.notes)
    assert [(trial.round, trial.place) for trial in second.trials] == [
        (number, place) for number in range(1, 8) for place in (1, 2, 3)
    ]


def test_run_ended_before_its_first_round_is_a_record_of_no_rows() -> None:
    record = ended_after(1, None, *two())
    assert record.trials == () and record.comparisons == ()
    assert record.verifications == () and record.calibrations


@pytest.mark.parametrize("how", ["asked", "counted"])
def test_dead_service_ends_the_run_with_its_rounds_and_reason(tmp_path: Path, how: str) -> None:
    """Whether it is asked if it lives, or does not answer when something is counted in it."""
    journal = tmp_path / "made-up.journal"
    slow, fast = two()
    sentence = "PostgreSQL has died: its server was ended by SIGKILL."

    def died() -> str:
        gone = slow.starts + fast.starts > 7  # two are looked at, and a round has three
        return f"{sentence} Its last output:\n  in its folder" if gone else ""

    def sessions(_scene: Scene) -> float:
        if died():
            raise ServiceError(died())
        return 1.0

    counted = {"counts": (Count("db_sessions", sessions),)} if how == "counted" else {}
    first = Lab(slow, fast).run(journal, {"died": died} if how == "asked" else {}, **counted)
    assert first.interrupted and {trial.round for trial in first.trials} == {1}
    assert first.flags[-1].words == f"1 of 7 rounds were finished when the run was ended: {sentence}"
    assert slow.starts + fast.starts == 8, "nobody else is tried"

    slow, fast = two()
    second = Lab(slow, fast).run(journal)
    assert slow.starts + fast.starts == 21 - 5, "what it died under is measured again"
    assert [trial.outcome for trial in second.trials] == [MEASURED] * 21


def test_a_load_under_way_is_let_go_at_once() -> None:
    slow = FakeServer("slow")
    bench, engine = a_bench(slow)
    answers = iter([False, True])
    bench = replace(bench, interrupted=lambda: next(answers))
    with (
        pytest.raises(Interrupted),
        bench.started(Contestant(an_arm("slow"), slow), AT_CLOSED, replace(CLOSED, duration_s=10)) as running,
    ):
        running.window(running.plan())
    assert len(engine.plans) == 1


def test_the_journal_of_another_run_is_not_taken_up(tmp_path: Path) -> None:
    ended_after(5, tmp_path / "journal", *two())
    with pytest.raises(LabFileError, match=r"its arms differs\. Remove it to start over"):
        Lab(FakeServer("slow")).run(tmp_path / "journal")


def test_progress_tells_round_contestant_and_time_left() -> None:
    steps: list[Progress] = []
    contestants = two()
    bench, _ = a_bench(*contestants)
    run(an_experiment(*contestants, size=SHORT), Extent.DEFAULT, steps.append, bench=bench)
    assert list(dict.fromkeys(one.stage for one in steps)) == [Stage.CALIBRATE, Stage.VERIFY, Stage.MEASURE]
    rounds = [one for one in steps if one.stage is Stage.MEASURE]
    assert [one.round for one in rounds if one.step == "measure"] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [one.step for one in rounds[:3]] == ["start", "warm up", "measure"]
    assert {one.arm for one in rounds} == {"Slow", "Fast", "Slow, a second time"}
    assert rounds[0].left_s is None and all(one.left_s is not None for one in rounds[3:])
    assert [one.done for one in rounds if one.step == "start"] == list(range(9))


# -- rows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rate", "verdict"), [(3000.0, Reproduction.DIRECTION_ONLY), (300.0, Reproduction.NOT_REPRODUCED)]
)
def test_what_an_article_says_in_words_has_a_direction(rate: float, verdict: Reproduction) -> None:
    row = replace(a_row("fast", "slow"), published=Published("much faster"))
    record = measured(FakeServer("slow"), FakeServer("fast", [rate]), asked=(row,))
    assert record.comparisons[0].verdict is verdict


def test_a_figure_that_no_trial_has_is_a_row_that_says_so() -> None:
    record = measured(*two(), asked=(a_row("fast", "slow", figure="counted.rows"),))
    assert words(record, FlagKind.NOT_VERIFIED) == [
        "No trial has the figure counted.rows, or no round has it of both."
    ]


def test_a_row_against_a_number_asks_nothing_of_any_other_trial() -> None:
    """It has all of its rounds, whatever became of the others; and the number is in no trial."""

    def spoil(load: Load, plan: Plan) -> Load:
        return replace(load, client_busy=0.95 if plan.clients == CLOSED.clients else 0.2)

    many = replace(CLOSED, name="many", title="100 clients", clients=100)
    rows: tuple[PlannedRow, ...] = (
        replace(a_row("fast", "fast", "many"), base_value=500.0),
        replace(a_row("fast", "fast", "many"), base_setting="closed"),
    )
    lab = Lab(FakeServer("fast", [1000.0]), spoil=spoil)
    record = lab.run(conditions=(AT_CLOSED, Condition(many, (SEND,))), asked=rows)
    against_number, against_trials = record.comparisons[:2]
    assert against_number.measured is not None and against_number.measured.pairs == (2.0,) * SIZE.rounds
    assert (against_number.base_value, against_number.base_median, against_number.flags) == (500.0, 500.0, ())
    assert against_trials.measured is None


def test_overload_removes_percentiles_and_leaves_throughput() -> None:
    rush = Setting("rush", "2,000 a second", Loop.OPEN, (), rate_per_s=2000)
    asked = (
        a_row("fast", "slow", "rush", "load.latency_ms.99"),
        a_row("fast", "slow", "rush", "load.throughput_per_s"),
    )
    slow, fast = FakeServer("slow", [1000.0]), FakeServer("fast", [1500.0])
    record = measured(slow, fast, conditions=(Condition(rush, (SEND,)),), asked=asked)
    assert kinds(record, 0) == {FlagKind.OVERLOADED}
    assert kinds(record, 1) == set()
    assert record.comparisons[1].measured is not None
    assert record.comparisons[1].measured.median == 1.5
