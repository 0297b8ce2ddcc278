"""What is measured in which round and order; some arms or settings have fewer rounds, or no part at all."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.lab.harness.protocol.description import Check, Condition, Experiment, Seen, When
from asyncdemo.lab.harness.protocol.lineup import Lineup, Turn
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Extent
from tests.support.fake_lab import CLOSED, SEND, SIZE, FakeServer, a_bench, a_row, an_experiment

OTHER = replace(CLOSED, name="other", clients=20)
ONE, TWO, THREE = (FakeServer(name) for name in ("one", "two", "three"))


def measured(experiment: Experiment) -> Record:
    contestants = [contestant.served for contestant in experiment.contestants]
    bench, _ = a_bench(*contestants)  # type: ignore[arg-type]  # they are
    return run(experiment, Extent.DEFAULT, bench=bench, seed=1)


def turns(arms: list[str], settings: list[str], rounds: int, seed: int) -> list[Turn]:
    """The first of the arms is measured twice."""
    conditions = tuple(Condition(replace(CLOSED, name=name), (SEND,)) for name in settings)
    experiment = an_experiment(*map(FakeServer, arms), conditions=conditions)
    return list(Lineup(experiment, replace(SIZE, rounds=rounds)).turns(seed))


names = st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=1, max_size=6, unique=True)


@given(names, names, st.integers(1, 5), st.integers())
def test_every_round_has_every_arm_and_setting_in_its_own_order(
    arms: list[str], settings: list[str], rounds: int, seed: int
) -> None:
    planned = turns(arms, settings, rounds, seed)
    every = [*arms, f"{arms[0]}-again"]
    assert Counter((turn.round, turn.arm, turn.setting) for turn in planned) == Counter(
        (number, arm, setting) for number in range(1, rounds + 1) for arm in every for setting in settings
    )
    for number in range(1, rounds + 1):
        mine = [turn for turn in planned if turn.round == number]
        assert [turn.place for turn in mine] == list(range(1, len(mine) + 1))
        assert list(dict.fromkeys(turn.setting for turn in mine)) == settings
    assert turns(arms, settings, rounds + 1, seed)[: len(planned)] == planned, "the same, however many"


def test_each_arm_comes_first_about_as_often() -> None:
    first = Counter(turn.arm for turn in turns(["a", "b"], ["closed"], 3000, seed=5) if turn.place == 1)
    # 1,000 ± 26 (binomial): beyond 5 of these never
    assert first.keys() == {"a", "b", "a-again"}
    assert all(abs(count - 1000) < 130 for count in first.values()), first


def trials(record: Record) -> Counter[tuple[str, str]]:
    return Counter((trial.arm, trial.setting) for trial in record.trials)


def test_arm_with_fewer_rounds_runs_first_and_claims_no_ranking() -> None:
    experiment = an_experiment(ONE, TWO, THREE)
    few = replace(experiment.contestants[2], rounds=3)
    record = measured(replace(experiment, contestants=(*experiment.contestants[:2], few)))
    assert trials(record) == {
        ("one", "closed"): 7,
        ("one-again", "closed"): 7,
        ("two", "closed"): 7,
        ("three", "closed"): 3,
    }
    assert {trial.round for trial in record.trials if trial.arm == "three"} == {1, 2, 3}
    seven, three = record.comparisons[:2]
    assert seven.measured is not None and len(seven.measured.pairs) == 7
    assert three.measured is not None and len(three.measured.pairs) == 3
    assert FlagKind.FEW_ROUNDS in {flag.kind for flag in three.flags}
    assert FlagKind.FEW_ROUNDS not in {flag.kind for flag in seven.flags}


def test_a_setting_with_fewer_rounds_is_in_the_first_ones() -> None:
    record = measured(
        an_experiment(ONE, TWO, conditions=(Condition(CLOSED, (SEND,)), Condition(OTHER, (SEND,), rounds=2)))
    )
    assert trials(record)["two", "closed"] == 7 and trials(record)["two", "other"] == 2
    assert {trial.round for trial in record.trials if trial.setting == "other"} == {1, 2}
    for number in range(1, 8):
        places = [trial.place for trial in record.trials if trial.round == number]
        assert places == list(range(1, len(places) + 1))


def test_size_may_take_some_arms_and_names_those_left_out() -> None:
    experiment = an_experiment(ONE, TWO, THREE, size=replace(SIZE, rounds=2, arms=("one", "three")))
    record = measured(experiment)
    assert {arm.name for arm in record.arms} == {"one", "three", "one-again"}
    assert [row.arm for row in record.comparisons] == ["three", "one-again"]
    assert any("Two" in note for note in record.notes)
    assert not any("Three" in note for note in record.notes)


def test_a_setting_may_have_a_longer_window() -> None:
    size = replace(SIZE, rounds=1, windows_s={"other": 30.0})
    conditions = (Condition(CLOSED, (SEND,)), Condition(OTHER, (SEND,)))
    record = measured(an_experiment(ONE, TWO, conditions=conditions, size=size))
    assert {setting.name: setting.duration_s for setting in record.settings} == {"closed": 10, "other": 30}


def test_setting_checked_in_each_trial_is_not_visited_beforehand() -> None:
    always = Check("answer", "yes", lambda _: Seen("yes", True), always=True)
    loaded = Check("effect", "yes", lambda _: Seen("yes", True), When.LOADED)
    asked = (a_row("two", "one"),)

    def visited(*checks: Check) -> set[str]:
        conditions = (
            Condition(CLOSED, (SEND,), checks=(always,)),
            Condition(OTHER, (SEND,), checks=checks),
        )
        size = replace(SIZE, rounds=1)
        record = measured(an_experiment(ONE, TWO, conditions=conditions, asked=asked, size=size))
        return {item.setting for item in record.verifications}

    assert visited(always) == {"closed"}
    assert visited(always, loaded) == {"closed", "other"}


def test_wrong_answer_to_a_check_of_each_trial_fails_the_trial() -> None:
    """Also under a setting that was not visited."""
    wrong = Check("answer", "yes", lambda scene: Seen("no", scene.setting.name == "closed"), always=True)
    conditions = tuple(Condition(setting, (SEND,), checks=(wrong,)) for setting in (CLOSED, OTHER))
    record = measured(an_experiment(ONE, TWO, conditions=conditions, asked=(a_row("two", "one", "other"),)))
    assert {flag.kind for flag in record.comparisons[0].flags} == {FlagKind.CONTESTANT_FAILED}


def test_single_warm_up_window_is_stated_and_claims_nothing() -> None:
    size = replace(SIZE, rounds=1, warm_up_s=0.5, most_warm_ups=1)
    record = measured(an_experiment(FakeServer("one", [1.0, 1000.0]), TWO, size=size))
    assert record.settings[0].warm_up_s == 0.5
    assert {trial.counted["warm_up_windows"] for trial in record.trials} == {1}
    assert not any("warming up" in note for note in record.notes)
