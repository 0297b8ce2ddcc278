"""A whole experiment with made-up contestants: what is measured when, and what becomes of those that fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.errors import AsyncdemoError, LabFileError, ServiceError
from asyncdemo.lab.harness import Unavailable
from asyncdemo.lab.harness.engines import OURS
from asyncdemo.lab.harness.protocol.bench import Interrupted
from asyncdemo.lab.harness.protocol.description import (
    Asked,
    Check,
    Condition,
    Contestant,
    Count,
    Scene,
    Seen,
    When,
)
from asyncdemo.lab.harness.protocol.running import Progress, Stage, run
from asyncdemo.lab.results.comparison import Published
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.ratio import Verdict
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
CLOSED_10_S = replace(CLOSED, duration_s=10)


def measured(*contestants: FakeServer, **more: object) -> Record:
    bench, _ = a_bench(*contestants)
    return run(an_experiment(*contestants, **more), Extent.DEFAULT, bench=bench, seed=1)  # type: ignore[arg-type]


def kinds(record: Record, row: int = 0) -> set[FlagKind]:
    return {flag.kind for flag in record.comparisons[row].flags}


def outcomes(record: Record, arm: str) -> list[TrialOutcome]:
    return [trial.outcome for trial in record.trials if trial.arm == arm]


# -- what is measured ----------------------------------------------------------------------------------


def test_seven_rounds_have_every_arm_once_and_the_base_twice() -> None:
    record = measured(FakeServer("slow", [1000.0]), FakeServer("fast", [3000.0]))
    assert parse_record(dump_record(record)) == record
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
    assert record.order_seed == 1 and record.arm("slow-again").twin_of == "slow"


@pytest.mark.parametrize(("rounds", "alarmed"), [(1, False), (5, False), (6, True), (7, True)])
def test_twins_that_differ_in_six_rounds_are_a_flag_of_all_of_it_and_withdraw_nothing(
    rounds: int, alarmed: bool
) -> None:
    """The twin is in truth another contestant, and faster each time."""
    slow, fast, other = FakeServer("slow"), FakeServer("fast"), FakeServer("other", [1100.0])
    experiment = an_experiment(slow, fast, size=replace(SIZE, rounds=rounds))
    twin = Contestant(an_arm("slow-again", twin_of="slow"), other)
    bench, _ = a_bench(slow, fast, other)
    experiment = replace(experiment, contestants=(*experiment.contestants, twin))
    record = run(experiment, Extent.DEFAULT, bench=bench, seed=1)
    assert (FlagKind.TWINS_DIFFER in kinds(record, -1)) is alarmed
    assert [flag.kind for flag in record.flags] == [FlagKind.TWINS_DIFFER] * alarmed
    assert record.comparisons[0].measured is not None


def test_a_contestant_is_started_anew_for_each_trial_and_never_left_running() -> None:
    slow = FakeServer("slow")
    bench, _ = a_bench(slow)
    experiment = an_experiment(
        slow, conditions=(Condition(CLOSED, (SEND,), knobs={"workers": 4}),), size=SHORT
    )
    run(experiment, Extent.DEFAULT, bench=bench)
    assert slow.starts == 1 + 2 * 3, "once to look at it, then it and its twin in three rounds"
    assert slow.running == 0
    assert slow.knobs == [{"workers": 4}] * 7


def test_each_window_is_preceded_by_short_ones_that_agree() -> None:
    slow = FakeServer("slow", [100.0, 900.0, 990.0, 1000.0])
    bench, engine = a_bench(slow)
    record = run(an_experiment(slow, size=replace(SHORT, rounds=1)), Extent.DEFAULT, bench=bench)
    first, second = record.trials
    assert first.counted == {"warm_up_windows": 4.0, "warm_up_agreed": 1.0}
    assert second.counted == {"warm_up_windows": 2.0, "warm_up_agreed": 1.0}
    of_slow = [plan.duration_s for plan in engine.plans if plan.port == slow.port]
    assert of_slow == [1, 1, 1, 1, 10, 1, 1, 10]


def test_what_never_settles_is_measured_and_told() -> None:
    restless = FakeServer("restless", [float(2**power) for power in range(40)])
    record = measured(restless, size=replace(SHORT, rounds=1))
    assert "In 2 of 2 trials no two windows of warming up agreed." in record.notes


def test_the_rate_is_a_share_of_what_the_slowest_can_do_and_the_same_for_all() -> None:
    half = Setting("half", "50 %", Loop.OPEN, (), of_capacity=0.5, arrivals="poisson")
    conditions = (Condition(CLOSED, (SEND,)), Condition(half, (SEND,), capacity="closed"))
    contestants = (FakeServer("slow", [1000.0]), FakeServer("fast", [3000.0]))
    bench, engine = a_bench(*contestants)
    record = run(an_experiment(*contestants, conditions=conditions, size=SHORT), Extent.DEFAULT, bench=bench)
    assert record.setting("half").rate_per_s == 500
    plans = [plan for plan in engine.plans if plan.arrivals == "poisson" and plan.duration_s == 10]
    assert {plan.rate for plan in plans} == {500}
    assert len({plan.seed for plan in plans}) == 3, "each round has arrivals of its own, the same for all"


def test_a_search_ends_at_the_highest_rate_within_the_budget() -> None:
    # latency 1 / (1 - rate / 1000) ms, its 99th percentile three times that: 6 ms at 500 per second
    search = Setting("search", "6 ms", Loop.OPEN, (), budget_ms=6.0)
    conditions = (Condition(CLOSED, (SEND,)), Condition(search, (SEND,), capacity="closed"))
    asked = (a_row("fast", "slow", "search", "offered_per_s"),)
    slow, fast = FakeServer("slow", [1000.0]), FakeServer("fast", [2000.0])
    record = measured(slow, fast, conditions=conditions, asked=asked, size=SHORT)
    steps = [trial for trial in record.trials if trial.arm == "slow" and trial.round == 1][1:]
    assert [trial.step for trial in steps] == list(range(1, len(steps) + 1))
    last = [trial for trial in steps if trial.counts][-1]
    assert last.offered_per_s is not None
    assert 475 <= last.offered_per_s <= 500
    ratio = record.comparisons[0].measured
    assert ratio is not None and ratio.median == pytest.approx(2, rel=0.05)
    assert [flag.words for flag in record.comparisons[0].flags] == ["3 rounds of 7."]
    assert "do not count" not in "".join(record.notes), "steps over the budget are what a search is made of"


def test_a_search_in_which_the_client_was_the_limit_has_no_result() -> None:
    search = Setting("search", "12 ms", Loop.OPEN, (), budget_ms=12.0)
    conditions = (Condition(CLOSED, (SEND,)), Condition(search, (SEND,), capacity="closed"))
    slow, fast = FakeServer("slow"), FakeServer("fast")
    bench, engine = a_bench(slow, fast)
    # half of the capacity is served, and well; above that it is the client that cannot go on
    engine.spoil = lambda load, plan: replace(load, client_busy=0.9) if (plan.rate or 0) > 500 else load
    experiment = an_experiment(
        slow, fast, conditions=conditions, asked=(a_row("fast", "slow", "search", "offered_per_s"),)
    )
    record = run(experiment, Extent.DEFAULT, bench=bench)
    searched = [trial for trial in record.trials if trial.step]
    assert {trial.arm for trial in searched} == {"slow", "fast", "slow-again"}
    assert {trial.step for trial in searched} == {1, 2}
    assert not any(trial.counts for trial in searched)
    assert FlagKind.CLIENT_BUSY in kinds(record)


def test_figures_of_its_own_are_the_most_that_was_seen_or_what_is_there_afterwards() -> None:
    seen = iter([3.0, 7.0, 5.0, 1.0] * 100)
    counts = (
        Count("db_sessions", lambda _: next(seen)),
        Count("rows", lambda scene: float(scene.load.answered if scene.load else -1), most=False),
    )
    record = measured(FakeServer("slow"), counts=counts, size=replace(SHORT, rounds=1))
    assert record.trials[0].figure("counted.db_sessions") == 3.0
    assert record.trials[0].figure("counted.rows") == 10_000


def test_a_setting_for_a_load_program_that_is_not_there_is_left_out_and_said() -> None:
    other = replace(CLOSED, name="by-oha", title="By oha", tool="oha")
    record = measured(
        FakeServer("slow"), conditions=(Condition(CLOSED, (SEND,)), Condition(other, (SEND,))), size=SHORT
    )
    assert [setting.name for setting in record.settings] == ["closed"]
    assert record.environment.missing == {"oha": "not on PATH; left out: By oha"}


def test_an_experiment_that_asks_for_an_unknown_capacity_is_not_begun() -> None:
    half = Setting("half", "50 %", Loop.OPEN, (), of_capacity=0.5)
    with pytest.raises(ValueError, match="'closed' is none of its settings"):
        measured(FakeServer("slow"), conditions=(Condition(half, (SEND,), capacity="closed"),))


# -- those that fail ----------------------------------------------------------------------------------


def test_one_that_dies_under_load_is_an_outcome_and_the_others_go_on() -> None:
    fast = FakeServer("fast", dies={3})
    record = measured(FakeServer("slow"), fast)
    assert outcomes(record, "fast").count(TrialOutcome.DIED) == 1
    assert outcomes(record, "slow") == [TrialOutcome.MEASURED] * 7
    assert kinds(record) == {FlagKind.FEW_ROUNDS, FlagKind.NO_RANKING, FlagKind.FAILED_AT_TIMES}
    died = next(trial for trial in record.trials if trial.outcome is TrialOutcome.DIED)
    assert died.problem == "exit code 3"


def spoiled_by_the_load(fast: FakeServer, starts: range, window_s: float = 10, dies: bool = False) -> Record:
    """The load program ends without a result in windows of that length, in these starts of fast."""
    slow = FakeServer("slow")
    bench, engine = a_bench(slow, fast)

    def fail(load: Load, plan: Plan) -> Load:
        if plan.port == fast.port and plan.duration_s == window_s and fast.starts in starts:
            fast.dies = {fast.starts} if dies else ()
            raise AsyncdemoError("ab ended with exit code 104 and said: reset")
        return load

    engine.spoil = fail
    check = Check("rows", "10", lambda _: Seen("10", True), When.AFTER)
    record = run(an_experiment(slow, fast, checks=(check,)), Extent.DEFAULT, bench=bench, seed=1)
    assert parse_record(dump_record(record)) == record
    return record


def test_a_load_program_that_fails_is_an_outcome_of_that_trial_alone() -> None:
    record = spoiled_by_the_load(FakeServer("fast"), range(3, 4))
    assert outcomes(record, "fast").count(TrialOutcome.LOAD_FAILED) == 1
    assert outcomes(record, "fast").count(TrialOutcome.MEASURED) == 6
    failed = next(trial for trial in record.trials if trial.outcome is TrialOutcome.LOAD_FAILED)
    assert failed.problem == "ab ended with exit code 104 and said: reset"
    assert kinds(record) == {FlagKind.FEW_ROUNDS, FlagKind.NO_RANKING, FlagKind.FAILED_AT_TIMES}
    assert "1 of 21 trials do not count: load failed 1." in record.notes


def test_a_load_program_that_fails_twice_in_a_row_is_not_tried_again_and_the_row_says_so() -> None:
    record = spoiled_by_the_load(FakeServer("fast"), range(2, 100))
    assert outcomes(record, "fast") == [TrialOutcome.LOAD_FAILED] * 2
    assert outcomes(record, "slow") == [TrialOutcome.MEASURED] * 7
    assert kinds(record) == {FlagKind.LOAD_FAILED}
    assert record.comparisons[0].flags[0].words == "fast: ab ended with exit code 104 and said: reset"


def test_a_load_program_that_fails_since_the_contestant_died_is_not_to_blame() -> None:
    record = spoiled_by_the_load(FakeServer("fast"), range(3, 4), dies=True)
    assert outcomes(record, "fast").count(TrialOutcome.DIED) == 1
    assert TrialOutcome.LOAD_FAILED not in outcomes(record, "fast")


def test_what_was_looked_at_under_a_load_that_failed_was_not_verified() -> None:
    record = spoiled_by_the_load(FakeServer("fast"), range(1, 2), window_s=2)
    (item,) = (item for item in record.verifications if item.arm == "fast")
    assert item.seen == "load failed: ab ended with exit code 104 and said: reset"
    assert kinds(record) == {FlagKind.NOT_VERIFIED}


def test_one_that_keeps_its_port_has_no_figure_of_that_trial() -> None:
    record = measured(FakeServer("slow"), FakeServer("fast", end_fails={2}))
    assert outcomes(record, "fast")[0] is TrialOutcome.PORT_KEPT
    assert outcomes(record, "fast")[1:] == [TrialOutcome.MEASURED] * 6


def test_one_that_answers_nothing_hangs() -> None:
    record = measured(FakeServer("slow"), FakeServer("fast", silent=True), size=SHORT)
    (trial, *_) = (trial for trial in record.trials if trial.arm == "fast")
    assert trial.outcome is TrialOutcome.HUNG
    assert trial.problem == "none of 10 requests was answered (timeout: no answer)"
    assert FlagKind.CONTESTANT_FAILED in kinds(record)


def test_one_that_does_not_start_twice_in_a_row_is_not_tried_again() -> None:
    fast = FakeServer("fast", start_fails=dict.fromkeys(range(2, 100), hung()))
    record = measured(FakeServer("slow"), fast)
    assert outcomes(record, "fast") == [TrialOutcome.HUNG] * 2
    assert outcomes(record, "slow") == [TrialOutcome.MEASURED] * 7
    assert kinds(record) == {FlagKind.CONTESTANT_FAILED}


def test_one_that_cannot_be_had_is_a_row_that_says_so_and_the_next_one_has_the_twin() -> None:
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

    check = Check("GET /", "hello", look, always=True)
    record = measured(FakeServer("slow"), FakeServer("fast"), checks=(check,), size=SHORT)
    assert outcomes(record, "fast") == [TrialOutcome.WRONG_ANSWER] * 2
    problems = {trial.problem for trial in record.trials if trial.arm == "fast"}
    assert problems == {"GET /: hello was asked for, goodbye was seen"}
    assert [(item.arm, item.held) for item in record.verifications] == [("slow", True), ("fast", False)]
    assert FlagKind.CONTESTANT_FAILED in kinds(record)


def test_what_was_not_as_asked_for_withdraws_the_figures() -> None:
    check = Check("workers", "4", lambda scene: Seen("3", scene.arm.name != "fast"), When.LOADED)
    published = Published("three times", 3.0)
    row = replace(a_row("fast", "slow"), published=published)
    record = measured(FakeServer("slow"), FakeServer("fast"), checks=(check,), asked=(row,), size=SHORT)
    assert outcomes(record, "fast") == [TrialOutcome.MEASURED] * 3
    assert kinds(record) == {FlagKind.NOT_VERIFIED}
    assert record.comparisons[0].verdict is Verdict.REFUSED
    assert record.comparisons[0].flags[0].words == "workers: 4 was asked for, 3 was seen."


def test_a_check_that_breaks_is_what_was_seen() -> None:
    def look(_scene: Scene) -> Seen:
        raise ConnectionResetError("by the server")

    record = measured(FakeServer("slow"), checks=(Check("rows", "10", look, When.AFTER),), size=SHORT)
    (item,) = record.verifications
    assert (item.seen, item.held) == ("ConnectionResetError: by the server", False)


# -- ended early, and going on --------------------------------------------------------------------------


def ended_after(trials: int, journal: Path, contestants: tuple[FakeServer, ...], how: str) -> Record:
    """By the callback that is asked, or by Ctrl-C in the middle of something."""
    bench, engine = a_bench(*contestants)
    windows = 0

    def count(load: Load, plan: Plan) -> Load:
        nonlocal windows
        windows += plan.duration_s == 10 and plan.port != getattr(bench.null, "port", 0)
        if how == "ctrl-c" and windows > trials:
            raise KeyboardInterrupt
        return load

    engine.spoil = count
    return run(
        an_experiment(*contestants),
        Extent.DEFAULT,
        interrupted=lambda: how == "asked" and windows >= trials,
        journal=journal,
        bench=bench,
    )


@pytest.mark.parametrize("how", ["asked", "ctrl-c"])
def test_an_interruption_keeps_the_finished_rounds_and_the_next_run_goes_on(tmp_path: Path, how: str) -> None:
    journal = tmp_path / "made-up.journal"
    slow, fast = FakeServer("slow"), FakeServer("fast", [3000.0])
    first = ended_after(5, journal, (slow, fast), how)
    assert first.interrupted and slow.running == fast.running == 0
    assert {trial.round for trial in first.trials} == {1}
    assert first.flags[-1].kind is FlagKind.INTERRUPTED
    assert first.flags[-1].words.startswith("1 of 7 rounds")
    assert parse_record(dump_record(first)) == first

    slow, fast = FakeServer("slow"), FakeServer("fast", [3000.0])
    bench, _ = a_bench(slow, fast)
    second = run(an_experiment(slow, fast), Extent.DEFAULT, journal=journal, bench=bench)
    assert slow.starts + fast.starts == 21 - 5, "what was finished is not measured again"
    assert not second.interrupted and len(second.trials) == 21
    assert second.trials[:3] == first.trials
    assert second.order_seed == first.order_seed and second.started == first.started
    assert any("ended, and continued later" in note for note in second.notes)
    assert not first.notes
    assert {(trial.round, trial.place) for trial in second.trials} == {
        (number, place) for number in range(1, 8) for place in (1, 2, 3)
    }


def test_a_run_ended_before_its_first_round_is_a_record_without_rows(tmp_path: Path) -> None:
    record = ended_after(1, tmp_path / "j", (FakeServer("slow"), FakeServer("fast")), "asked")
    assert record.interrupted and record.trials == () and record.comparisons == ()
    assert record.verifications == () and record.calibrations
    assert parse_record(dump_record(record)) == record


@pytest.mark.parametrize("how", ["asked", "counted"])
def test_a_service_that_dies_ends_the_run_with_the_finished_rounds_and_the_reason(
    tmp_path: Path, how: str
) -> None:
    """Whether it is asked if it lives, or does not answer when something is counted in it."""
    journal = tmp_path / "made-up.journal"
    slow, fast = FakeServer("slow"), FakeServer("fast", [3000.0])
    bench, _ = a_bench(slow, fast)
    sentence = "PostgreSQL has died: its server was ended by SIGKILL."

    def died() -> str:
        gone = slow.starts + fast.starts > 7  # two are looked at, and a round has three
        return f"{sentence} Its last output:\n  in its folder" if gone else ""

    def sessions(_scene: Scene) -> float:
        if died():
            raise ServiceError(died())
        return 1.0

    counts = (Count("db_sessions", sessions),) if how == "counted" else ()
    experiment = an_experiment(slow, fast, counts=counts)
    mortal = experiment if how == "counted" else replace(experiment, died=died)
    first = run(mortal, Extent.DEFAULT, journal=journal, bench=bench)
    assert first.interrupted and {trial.round for trial in first.trials} == {1}
    assert first.flags[-1].words == f"1 of 7 rounds were finished when the run was ended: {sentence}"
    assert slow.starts + fast.starts == 8, "nobody else is tried"
    assert slow.running == fast.running == 0
    assert parse_record(dump_record(first)) == first

    slow, fast = FakeServer("slow"), FakeServer("fast", [3000.0])
    bench, _ = a_bench(slow, fast)
    again = an_experiment(slow, fast)
    second = run(again, Extent.DEFAULT, journal=journal, bench=bench)
    assert not second.interrupted and len(second.trials) == 21
    assert slow.starts + fast.starts == 21 - 5, "what it died under is measured again"
    assert {trial.outcome for trial in second.trials} == {TrialOutcome.MEASURED}


def test_a_load_under_way_is_let_go_at_once() -> None:
    contestant = FakeServer("slow")
    bench, engine = a_bench(contestant)
    answers = iter([False, True])
    bench = replace(bench, interrupted=lambda: next(answers))
    with contestant.start({}) as started:
        scene = Scene(an_arm("slow"), CLOSED, started)
        plan = bench.plan(Condition(CLOSED, (SEND,)), CLOSED_10_S, started.port)
        with pytest.raises(Interrupted):
            bench.window(OURS, plan, scene)
    assert len(engine.plans) == 1


def test_the_journal_of_another_run_is_not_taken_up(tmp_path: Path) -> None:
    journal = tmp_path / "made-up.journal"
    ended_after(5, journal, (FakeServer("slow"), FakeServer("fast")), "asked")
    slow = FakeServer("slow")
    bench, _ = a_bench(slow)
    with pytest.raises(LabFileError, match=r"its arms differs\. Remove it to start over"):
        run(an_experiment(slow), Extent.DEFAULT, journal=journal, bench=bench)


def test_progress_tells_round_contestant_and_time_left() -> None:
    told: list[Progress] = []
    contestants = (FakeServer("slow"), FakeServer("fast"))
    bench, _ = a_bench(*contestants)
    run(an_experiment(*contestants, size=SHORT), Extent.DEFAULT, told.append, bench=bench)
    assert list(dict.fromkeys(one.stage for one in told)) == [Stage.CALIBRATE, Stage.VERIFY, Stage.MEASURE]
    rounds = [one for one in told if one.stage is Stage.MEASURE]
    assert [one.round for one in rounds if one.step == "measure"] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [one.step for one in rounds[:3]] == ["start", "warm up", "measure"]
    assert {one.arm for one in rounds} == {"Slow", "Fast", "Slow, a second time"}
    assert rounds[0].left_s is None and all(one.left_s is not None for one in rounds[3:])
    assert [one.done for one in rounds if one.step == "start"] == list(range(9))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (a_row("fast", "nobody"), "is about what is not there: nobody"),
        (a_row("fast", "slow", "open"), "is about what is not there: open"),
        (a_row("fast", "slow", figure="load.speed"), "a trial has no figure 'load.speed'"),
    ],
)
def test_a_row_about_what_is_not_there_is_known_before_anything_is_measured(row: Asked, words: str) -> None:
    slow = FakeServer("slow")
    with pytest.raises(ValueError, match=words):
        measured(slow, FakeServer("fast"), asked=(row,))
    assert slow.starts == 0


def test_two_arms_of_one_name_are_known_before_anything_is_measured() -> None:
    slow = FakeServer("slow")
    with pytest.raises(ValueError, match="two of the arms are called 'slow'"):
        measured(slow, FakeServer("slow"))
    assert slow.starts == 0


@pytest.mark.parametrize(
    ("rate", "verdict"), [(3000.0, Verdict.DIRECTION_ONLY), (300.0, Verdict.NOT_REPRODUCED)]
)
def test_what_an_article_says_in_words_has_a_direction(rate: float, verdict: Verdict) -> None:
    row = replace(a_row("fast", "slow"), published=Published("much faster"))
    record = measured(FakeServer("slow"), FakeServer("fast", [rate]), asked=(row,))
    assert record.comparisons[0].verdict is verdict


def test_a_figure_that_no_trial_has_is_a_row_that_says_so() -> None:
    record = measured(
        FakeServer("slow"), FakeServer("fast"), asked=(a_row("fast", "slow", figure="counted.rows"),)
    )
    assert kinds(record) == {FlagKind.NOT_VERIFIED}
    assert "No trial has the figure counted.rows" in record.comparisons[0].flags[0].words


def test_a_row_against_a_number_asks_nothing_of_any_other_trial() -> None:
    """It has all of its rounds, whatever became of the others; and the number is in no trial."""

    def spoil(load: Load, plan: Plan) -> Load:
        return replace(load, client_busy=0.95 if plan.clients == CLOSED.clients else 0.2)

    many = replace(CLOSED, name="many", title="100 clients", clients=100)
    rows = (
        replace(a_row("fast", "fast", "many"), base_value=500.0),
        replace(a_row("fast", "fast", "many"), base_setting="closed"),
    )
    fast = FakeServer("fast", [1000.0])
    conditions = (Condition(CLOSED, (SEND,)), Condition(many, (SEND,)))
    bench, _ = a_bench(fast, spoil=spoil)
    record = run(an_experiment(fast, conditions=conditions, asked=rows), Extent.DEFAULT, bench=bench, seed=1)
    against_number, against_trials = record.comparisons[:2]
    assert against_number.measured is not None and against_number.measured.pairs == (2.0,) * SIZE.rounds
    assert (against_number.base_value, against_number.base_median, against_number.flags) == (500.0, 500.0, ())
    assert against_trials.measured is None
    assert parse_record(dump_record(record)) == record


def test_an_overload_takes_the_percentiles_and_leaves_the_throughput() -> None:
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


def test_a_quick_run_says_what_it_leaves_out() -> None:
    more = replace(CLOSED, name="more", title="100 clients", clients=100)
    record = measured(
        FakeServer("slow"),
        FakeServer("fast"),
        conditions=(Condition(CLOSED, (SEND,)), Condition(more, (SEND,))),
        asked=(a_row("fast", "slow"), a_row("fast", "slow", "more")),
        size=replace(SHORT, settings=("closed",)),
    )
    assert [row.setting for row in record.comparisons] == ["closed", "closed"]
    assert "Not measured in a default run: 100 clients." in record.notes
