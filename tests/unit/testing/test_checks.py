"""Every sentence of the checks: when it holds, when it does not, and what it then says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.model import CountedLanes, Outcome, Run, RunOutcome, State, Stuck
from asyncdemo.testing.checks import Calls, CheckFailed, Seen
from asyncdemo.testing.checks.observation import first_stretch_above
from tests.support.runs import Story, Teller, at_line, ns


def brews(count: int = 3, *, apart_ms: float = 0, each_ms: float = 100) -> Run:
    """Calls of brew that start ``apart_ms`` after one another."""
    story = Story()
    for number in range(count):
        story.task(f"brew({number})", at=number * apart_ms).sleeps(each_ms).returns()
    return story.run()


def gated(lanes: int = 6, limit: int = 2) -> Run:
    story = Story()
    gate = story.semaphore(limit, made=at_line(3))
    for number in range(lanes):
        upload = story.task(f"upload({number})")
        if number >= limit:
            upload.queues(gate, number // limit * 100)
        upload.takes(gate).sleeps(100).gives_back(gate).returns()
    return story.run()


def with_results(run: Run, *results: str | None) -> Run:
    lanes = [replace(lane, result=result) for lane, result in zip(run.lanes, results, strict=True)]
    return replace(run, lanes=tuple(lanes))


def ended(end: Callable[[Teller], object]) -> Run:
    """A call of brew that returns, and one that ends like this."""
    story = Story()
    story.task("brew(1)").sleeps(10).returns()
    end(story.task("brew(2)").sleeps(10))
    return story.run()


def two(second_at: float) -> Run:
    story = Story()
    story.task("save").sleeps(100).returns()
    story.task("tell", at=second_at).sleeps(10).returns()
    return story.run()


def scoped(child_ms: float, at: float = 10, outcome: Outcome = Outcome.RETURNED) -> Run:
    """A child that starts while a scope of 100 ms is open, or after it."""
    story = Story()
    story.task("main").enters("scope()").sleeps(100).leaves().sleeps(50).returns()
    story.task("child", at=at).enters("child(1)").sleeps(child_ms).leaves(outcome).returns()
    return story.run()


def blocked(ms: float, stolen_ms: float = 0) -> Run:
    story = Story()
    where = at_line(3, "send", file="/lib/client.py")
    main = story.task("main").blocks(ms, at=where, called_from=at_line(12), stolen_ms=stolen_ms)
    main.returns()
    return story.run()


def calls(run: Run, function: str = "brew") -> Calls:
    return Seen(run, functions=[function]).calls(function)


def message_of(sentence: Callable[[], object]) -> str:
    with pytest.raises(CheckFailed) as failed:
        sentence()
    assert str(failed.value) == failed.value.message
    return failed.value.message


def fails(words: str, sentence: Callable[..., object], *arguments: object) -> None:
    with pytest.raises(CheckFailed) as failed:
        sentence(*arguments)
    assert words in failed.value.message


LONG = [f"cup {number}" for number in range(50)]


def test_how_many_calls_there_were() -> None:
    some, row = calls(brews(3)), calls(brews(2, apart_ms=5))
    assert len(some.happen(3).happen_at_least(3)) == 3
    fails("There should be 1 call of brew; there were 3.", some.happen, 1)
    fails("There should be 2 calls of pour; there were none.", calls(brews(3), "pour").happen, 2)
    fails("There should be at least 4 calls of brew", some.happen_at_least, 4)
    for nouns, one in (("cups", "1 cup"), ("queries", "1 query")):
        fails(f"There should be {one}; there were 3.", Seen(brews(3)).calls("brew", nouns).happen, 1)
    row.are_named(["brew(0)", "brew(1)"])
    fails("They were: brew(0) and brew(1).", row.are_named, ["brew(1)", "brew(0)"])


def test_how_they_ended() -> None:
    raised = calls(ended(lambda one: one.raises("KeyError")))
    cancelled = calls(ended(lambda one: one.is_cancelled()))
    left = calls(ended(lambda one: one.is_left_pending()))
    fails("brew(2) should return; it raised KeyError, at 0.01 s.", raised.all_return)
    fails("brew(2) should return; it was cancelled, at 0.01 s.", cancelled.all_return)
    fails("brew(2) should return; it had not ended when the program did.", left.all_return)
    raised.only("brew(2)").all_raise("KeyError")
    fails("should raise ValueError; it raised KeyError", raised.only("brew(2)").all_raise, "ValueError")
    fails("brew(1) should raise; it returned", raised.all_raise)


def test_what_they_returned() -> None:
    two = calls(with_results(brews(2, apart_ms=1), "[1, 'a']", "None"))
    assert two.values == [[1, "a"], None]
    two.return_values([[1, "a"], None])
    fails("brew(0) should return [1, 'b']; it returned [1, 'a'].", two.return_values, [[1, "b"], None])
    fails("should be 1 call of brew", two.return_values, [[1, "a"]])
    fails("should be 3 calls", two.return_values, [[1, "a"], None, 3])
    spoilt = calls(with_results(brews(1), repr([*LONG[:7], "tea", *LONG[8:]])))
    fails(
        "brew(0) should return 'cup 7' as item 8 of its list; it returned 'tea'.",
        spoilt.return_values,
        [LONG],
    )
    short = calls(with_results(brews(1), repr(LONG[:49])))
    fails("a list of 50; it returned one of 49", short.return_values, [LONG])
    fails("should return 1; it returned True", calls(with_results(brews(1), "True")).return_values, [1])
    words = "should return 3; it returned something that is not a plain value"
    fails(words, calls(with_results(brews(1), None)).return_values, [3])


def test_how_many_were_at_work_or_open() -> None:
    fails(
        "At most 5 calls of brew may be at work at the same time; 50 were, from 0.00 s to 0.10 s.",
        calls(brews(50)).peak_is,
        5,
    )
    fails(
        "3 calls of brew should be at work at the same time; there was never more than 1.",
        calls(brews(4, apart_ms=100)).peak_is,
        3,
    )
    fails("there was none at all", calls(brews(4), "pour").peak_is, 3)
    story = Story()
    pool = story.executor(2)
    for number in range(3):
        brew = story.task(f"brew({number})")
        if number == 2:
            brew.queues(pool, 100)
            story.has_queued(pool, brew, 0, 100)
        brew.takes(pool).sleeps(100).gives_back(pool).returns()
    fails(
        "3 calls of brew should be at work at the same time; the pool has 2 workers, and more calls queued",
        calls(story.run()).peak_is,
        3,
    )
    uploads = calls(gated(), "upload").open_at_least(6).peak_at_least(2)
    fails("7 calls of upload should be open at the same time", uploads.open_at_least, 7)


def test_all_overlap() -> None:
    calls(brews(3, apart_ms=49)).all_overlap()
    words = "brew(0) had ended, at 0.10 s, before brew(2) started, at 0.10 s"
    fails(words, calls(brews(3, apart_ms=50)).all_overlap)


def test_one_comes_before_another() -> None:
    seen = Seen(two(100))
    seen.calls("save").end_before(seen.calls("tell"))
    seen = Seen(two(99))
    words = "save should end before tell starts; it ended at 0.10 s, tell started at 0.10 s."
    fails(words, seen.calls("save").end_before, seen.calls("tell"))


def test_nothing_outlives_its_scope() -> None:
    seen = Seen(scoped(90))
    seen.calls("child").end_within(seen.calls("scope"))
    for run, words in (
        (scoped(91), "scope() ended at 0.10 s; child(1), which had started within it, ended at 0.10 s."),
        (scoped(10, at=120), "when none was open"),
        (scoped(20, outcome=Outcome.OPEN), "never ended"),
    ):
        seen = Seen(run)
        fails(words, seen.calls("child").end_within, seen.calls("scope"))


def test_times() -> None:
    some = calls(brews()).take_at_most(0.1).take_at_least(0.1)
    fails("may take 90 ms at most; it took 100 ms", some.take_at_most, 0.09)
    fails("should take at least 110 ms; it took 100 ms", some.take_at_least, 0.11)


def test_the_event_loop_is_not_held() -> None:
    fails(
        "No step may hold the event loop longer than 50 ms. main held it for 200 ms at client.py:3 in send, "
        "called from app.py:12.",
        Seen(blocked(200)).never_blocked,
    )
    Seen(blocked(200, stolen_ms=151)).never_blocked()
    Seen(blocked(200)).no_step_over(200)
    with pytest.raises(ValueError, match="below 50 ms were not recorded"):
        Seen(blocked(200)).no_step_over(20)


@pytest.mark.parametrize(
    "sentence",
    [
        lambda none, _: none.all_return(),
        lambda none, _: none.all_raise(),
        lambda none, _: none.all_overlap(),
        lambda none, _: none.take_at_least(0),
        lambda none, some: none.end_within(some),
        lambda none, some: none.end_before(some),
        lambda none, some: some.end_before(none),
    ],
)
def test_a_sentence_about_all_of_none_fails(sentence: Callable[[Calls, Calls], object]) -> None:
    seen = Seen(brews(), functions=["pour", "brew"])
    message = message_of(lambda: sentence(seen.calls("pour"), seen.calls("brew")))
    assert message == "There should be calls of pour; there were none."


class TestWhichCalls:
    def test_a_method_is_found_by_its_short_name(self) -> None:
        story = Story()
        story.task("Cafe.brew").sleeps(1).returns()
        assert len(calls(story.run())) == 1
        assert len(calls(story.run(), "rew")) == 0

    def test_a_part_of_them_by_name(self) -> None:
        some = calls(brews(3)).only("brew(0)", "brew(2)", "pour(1)")
        assert [lane.name for lane in some.happen(2).lanes] == ["brew(0)", "brew(2)"]

    def test_of_what_nothing_was_recorded_nothing_can_be_said(self) -> None:
        with pytest.raises(ValueError, match=r"nothing is recorded of pour: it did not run .* `lanes`"):
            Seen(brews()).calls("pour")
        with pytest.raises(ValueError, match="nothing is recorded of pour: name it among the lanes"):
            Seen(brews(), functions=["brew"]).calls("pour")
        counted = CountedLanes("brew", Outcome.RETURNED, None, 9)
        with pytest.raises(ValueError, match=r"too many tasks ran brew .* `lanes`"):
            Seen(replace(brews(), counted=(counted,))).calls("brew")

    def test_a_constant_that_is_gone_fails_the_check(self) -> None:
        seen = Seen(replace(brews(), knobs={"BREWS": 3}))
        assert seen.knobs["BREWS"] == 3
        assert "BREW_S should be a constant of the file" in message_of(lambda: seen.knobs["BREW_S"])


class TestAtOnce:
    def test_a_slot_given_back_too_early_hides_no_call(self) -> None:
        story = Story()
        gate = story.semaphore(2, made=at_line(3))
        for number in range(4):
            upload = story.task(f"upload({number})")
            if number > 1:
                upload.queues(gate, 50)
            upload.takes(gate).sleeps(50).gives_back(gate).sleeps(50).returns()
        run = story.run()
        calls(run, "upload").peak_is(2)
        assert "4 were" in message_of(lambda: calls(run, "upload").open_is(2))

    @given(
        st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda at: (at[0], at[0] + at[1]))),
        st.integers(0, 4),
    )
    def test_a_stretch_above_a_limit_is_found_if_there_is_one(
        self, intervals: list[tuple[int, int]], limit: int
    ) -> None:
        stretch = first_stretch_above(limit, intervals)
        assert (stretch is not None) == (most_at_once(intervals) > limit)
        if stretch is not None:
            for at_ns in range(stretch.start_ns, stretch.end_ns):
                assert sum(start <= at_ns < end for start, end in intervals) > limit

    def test_of_scopes_that_overlap_it_is_the_one_that_made_it(self) -> None:
        story = Story()
        first = story.task("one").enters("scope(1)").sleeps(30).leaves().returns()
        story.task("two", at=5).enters("scope(2)").sleeps(100).leaves().returns()
        story.task("child", at=10, parent=first).enters("child(1)").sleeps(40).leaves().returns()
        seen = Seen(story.run())
        message = message_of(lambda: seen.calls("child").end_within(seen.calls("scope")))
        assert "scope(1) ended at 0.03 s; child(1)" in message


class TestTheEnd:
    def test_who_hangs_is_named_with_the_line(self) -> None:
        stuck = (
            Stuck("Task-1", "main", at_line(9), "await queue.join()"),
            Stuck("Task-2", "worker", at_line(4), "await queue.get()"),
            Stuck("Task-3", "worker", at_line(4), "await queue.get()"),
            Stuck("Task-4", "worker", None, state=State.READY),
            Stuck("Task-5", "crunch", at_line(7), "while True:", State.RUNNING),
        )
        run = replace(brews(), outcome=RunOutcome.TIMEOUT, exit_code=None, stuck=stuck)
        assert message_of(Seen(run).ends_well) == (
            "It had not finished at its time limit. main (Task-1) waits at app.py:9 (await queue.join()). "
            "worker (Task-2 and Task-3) waits at app.py:4 (await queue.get()). "
            "worker (Task-4) has not started. crunch (Task-5) runs at app.py:7 (while True:)."
        )

    def test_killed_program_is_described_by_its_note_not_by_its_log(self) -> None:
        note = "Killed: it was still running 5 s after it was asked to end."
        run = replace(brews(), outcome=RunOutcome.FAILED, exit_code=None, notes=(note,))
        expected = f"The program did not end as it should. {note}"
        assert (
            message_of(Seen(run, stderr="Main  2026-11-23 WARNING: Sanic is running\n").ends_well) == expected
        )

    def test_error_is_reported_with_the_line_of_the_script(self) -> None:
        traceback = (
            "Traceback (most recent call last):\n"
            '  File "/home/ada/app.py", line 12, in main\n'
            '  File "/usr/lib/python3/random.py", line 3, in choice\n'
            "IndexError: Cannot choose from an empty sequence\n"
            "sys:1: RuntimeWarning: coroutine 'brew' was never awaited\n"
            "RuntimeWarning: Enable tracemalloc to get the object allocation traceback\n"
        )
        run = replace(brews(), script="/home/ada/app.py", outcome=RunOutcome.FAILED, exit_code=1)
        assert message_of(Seen(run, stderr=traceback).ends_well) == (
            "The program failed: IndexError: Cannot choose from an empty sequence (line 12)"
        )

    def test_error_in_a_group_is_reported_as_itself(self) -> None:
        group = (
            "  + Exception Group Traceback (most recent call last):\n"
            "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n"
            "  +-+---------------- 1 ----------------\n"
            '    |   File "/home/ada/app.py", line 5, in upload\n'
            "    | ValueError: no\n"
            "    +------------------------------------\n"
        )
        run = replace(brews(), script="app.py", outcome=RunOutcome.FAILED, exit_code=1)
        assert message_of(Seen(run, stderr=group).ends_well) == (
            "The program failed: an ExceptionGroup with ValueError: no (line 5)"
        )

    def test_tasks_left_behind_are_named(self) -> None:
        story = Story()
        story.task("main").sleeps(10).returns()
        story.task("log(1)").sleeps(10).is_left_pending()
        message = message_of(Seen(story.run()).nothing_left_pending)
        assert message == "Every task should be done when main is. log(1) was not: nobody waited for it."

    def test_a_dropped_coroutine_is_named_with_its_line(self) -> None:
        story = Story()
        story.task("main").sleeps(10).returns()
        story.never_awaited("greet", site=at_line(7))
        assert message_of(Seen(story.run()).no_warnings) == (
            "greet() was called at app.py:7, but nobody awaited it, so it never ran."
        )

    @pytest.mark.parametrize(
        "line",
        [
            "app.py:3: RuntimeWarning: coroutine 'x' was never awaited",
            "Task exception was never retrieved",
            "Task was destroyed but it is pending!",
            "/home/ada/app.py:9: ResourceWarning: unclosed socket",
        ],
    )
    def test_a_warning_is_quoted(self, line: str) -> None:
        assert line in message_of(Seen(brews(), stderr=f"hello\n{line}\n").no_warnings)

    def test_other_words_on_stderr_are_no_warning(self) -> None:
        Seen(brews(), stderr="logging: all is well\n").no_warnings()
        place = "/venv/lib/python3.15/site-packages/sanic/server/loop.py:46"
        Seen(brews(), stderr=f"{place}: DeprecationWarning: not for long\n").no_warnings()


class TestTheEvidence:
    def test_only_the_rows_that_were_asked_for_show_it(self) -> None:
        story = Story()
        story.task("main").enters("main()").sleeps(10).blocks(100).leaves().returns()
        story.task("heart").enters("beat(1)").sleeps(110).leaves().returns()
        for rows, shown in ((), ("main()", "beat(1)")), (("beat",), ("beat(1)",)):
            seen = Seen(story.run(), rows=rows)
            with pytest.raises(CheckFailed) as failed:
                seen.never_blocked()
            evidence = failed.value.evidence
            assert evidence is not None
            assert tuple(evidence.run.lanes[index].name for index in evidence.lanes) == shown

    def test_it_is_the_stretch_and_the_lanes_that_show_the_fault(self) -> None:
        with pytest.raises(CheckFailed) as failed:
            calls(brews(3, apart_ms=90)).peak_at_most(1)
        evidence = failed.value.evidence
        assert evidence is not None
        assert evidence.lanes == (0, 1)
        assert evidence.start_ns <= ns(90) < ns(100) <= evidence.end_ns
        assert evidence.end_ns < ns(280)

    def test_a_run_that_took_no_time_has_no_picture(self) -> None:
        with pytest.raises(CheckFailed) as failed:
            calls(brews(2, each_ms=0.0001)).peak_is(1)
        assert failed.value.evidence is None

    def test_sentences_that_held_are_remembered_in_order(self) -> None:
        seen = Seen(brews(3))
        seen.calls("brew").happen(3).all_overlap()
        seen.never_blocked()
        assert seen.held == [
            "There were 3 calls of brew.",
            "The last of the calls of brew started before the first had ended.",
            "No step held the event loop longer than 50 ms.",
        ]

    def test_a_sentence_of_ones_own(self) -> None:
        seen = Seen(brews(1))
        seen.expect(True, "One is one.", "It is not.")
        seen.expect(True, "", "Nothing to say of it.")
        assert seen.held == ["One is one."]
        assert message_of(lambda: seen.expect(False, "", "It is not.", at=seen.calls("brew"))) == "It is not."
