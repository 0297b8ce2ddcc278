"""Every finding where it holds, and its silence where it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
from hypothesis import given

from asyncdemo.analysis.diagnose import Finding, diagnose
from asyncdemo.model import Resource, Run, RunOutcome, Site
from tests.support.runs import Story, Teller, at_line
from tests.support.strategies import runs

WORKER = at_line(12, "worker")
GATE = at_line(3)
LIBRARY = at_line(30, "get", "/usr/lib/python3/site-packages/slowlib/client.py")


def findings(story: Story, kind: str) -> list[Finding]:
    return [finding for finding in diagnose(story.run()) if finding.kind == kind]


def only(found: Iterable[Finding]) -> Finding:
    (finding,) = found
    return finding


def test_a_run_without_faults_has_no_findings(story: Story) -> None:
    gate = story.semaphore(2, made=at_line(3))
    for number in range(4):
        upload = story.task(f"upload({number})")
        if number >= 2:
            upload.queues(gate, 100)
        upload.takes(gate).runs(1).sleeps(100).gives_back(gate).returns()
    assert diagnose(story.run()) == ()


class TestBlocksTheLoop:
    KIND = "blocks-the-loop"

    def test_names_the_call_the_time_and_the_line(self, story: Story) -> None:
        story.task("worker").blocks(120, "sleep", at=WORKER, called_from=WORKER)
        finding = only(findings(story, self.KIND))
        assert finding.message == "time.sleep held the event loop for 0.12 s at app.py:12 in worker()."
        assert (finding.site, finding.called_from) == (WORKER, WORKER)

    def test_callback_gets_the_advice_that_it_cannot_await(self, story: Story) -> None:
        story.callback_blocks(120, site=at_line(7, "data_received"))
        assert "and in that task: use `await asyncio.sleep(...)`" in only(findings(story, self.KIND)).advice

    def test_names_the_line_of_the_users_own_code_that_led_there(self, story: Story) -> None:
        story.task("worker").blocks(120, "net.read", at=LIBRARY, called_from=WORKER)
        finding = only(findings(story, self.KIND))
        assert "at client.py:30 in get(), called from app.py:12 in worker()" in finding.message
        assert (finding.site, finding.called_from) == (LIBRARY, WORKER)

    def test_steps_at_one_place_are_one_finding(self, story: Story) -> None:
        for number in range(3):
            task = story.task(f"worker({number})").is_ready(1 + 400 * number)
            task.blocks(100 + 50 * number, at=WORKER, called_from=WORKER)
        story.task("other").blocks(60, at=at_line(40), called_from=at_line(40))
        first, second = findings(story, self.KIND)
        assert "3 times, for 0.45 s in total and at most 0.20 s each" in first.message
        assert "60 ms at app.py:40" in second.message

    def test_computing_on_several_lines_of_a_function_is_one_finding(self, story: Story) -> None:
        for line in (12, 13, 14):
            site = at_line(line, "crunch")
            story.task("crunch").is_ready(line * 200).blocks(100, "", at=site, called_from=site, cpu_ms=99)
        assert "3 times" in only(findings(story, self.KIND)).message

    @pytest.mark.parametrize(
        ("reason", "cpu_ms", "what", "advice"),
        [
            ("sleep", 0, "time.sleep", "asyncio.sleep"),
            ("net.read", 0, "blocking read", "async client"),
            ("dns", 0, "name lookup", "to_thread"),
            ("subprocess", 0, "process", "create_subprocess_exec"),
            ("lock", 0, "thread lock", "asyncio's own lock"),
            ("future", 0, "Future.result()", "wrap_future"),
            ("queue.join", 0, "Waiting (queue.join)", "to_thread"),
            ("", 110, "Computing", "ProcessPoolExecutor"),
            ("", 3, "waited outside Python", "to_thread"),
        ],
    )
    def test_what_and_advice_depend_on_what_happened(
        self, reason: str, cpu_ms: float | None, what: str, advice: str, story: Story
    ) -> None:
        story.task("worker").blocks(120, reason, at=WORKER, called_from=WORKER, cpu_ms=cpu_ms)
        finding = only(findings(story, self.KIND))
        assert what in finding.message
        assert advice in finding.advice

    def test_silent_below_the_threshold(self, story: Story) -> None:
        story.task("worker").blocks(49, at=WORKER)
        assert not findings(story, self.KIND)

    def test_the_gil_kept_by_another_thread_is_not_the_steps_doing(self, story: Story) -> None:
        story.task("worker").blocks(120, "gil", at=WORKER, called_from=WORKER)
        assert not findings(story, self.KIND)
        finding = only(findings(story, "gil-held-elsewhere"))
        assert "another thread held the GIL" in finding.message
        assert "at app.py:12 in worker()" in finding.message
        assert "process" in finding.advice


class TestSequentialAwaits:
    KIND = "sequential-awaits"
    BREW = at_line(12, "main")

    def ten_brews(self, story: Story, independent: bool | None = True, each: float = 300) -> Teller:
        main = story.task("main").sleeps(10 * each)
        story.awaits_in_sequence(main, 0, 10 * each, (each,) * 10, (self.BREW,), independent)
        return main

    def test_says_what_it_took_and_what_overlapping_could_take(self, story: Story) -> None:
        self.ten_brews(story)
        finding = only(findings(story, self.KIND))
        assert "10 awaits at app.py:12 in main()" in finding.message
        assert "took 3.00 s" in finding.message and "0.30 s" in finding.message
        assert "If none depends on another, they could overlap" in finding.message
        assert "TaskGroup" in finding.advice and "gather" in finding.advice
        assert (finding.site, finding.called_from) == (self.BREW, self.BREW)

    def test_the_same_lines_in_many_tasks_are_one_finding(self, story: Story) -> None:
        for number in range(3):
            main = story.task("main", at=1000 * number).sleeps(200)
            story.awaits_in_sequence(main, 1000 * number, 1000 * number + 200, (100, 100), (self.BREW,))
        assert "2 other calls did the same" in only(findings(story, self.KIND)).message

    @pytest.mark.parametrize(
        ("independent", "each_ms"),
        [(False, 300), (None, 300), (True, 1.9)],
        ids=["a result is needed", "nobody knows", "little to gain"],
    )
    def test_silent_where_they_should_stay(self, independent: bool | None, each_ms: float) -> None:
        story = Story()
        self.ten_brews(story, independent, each_ms)
        assert not findings(story, self.KIND)

    def test_silent_for_workers_that_go_side_by_side(self, story: Story) -> None:
        self.ten_brews(story)
        story.task("main").sleeps(1000)
        assert not findings(story, self.KIND)


class TestNeverAwaited:
    KIND = "never-awaited"

    def test_names_function_and_line(self, story: Story) -> None:
        story.never_awaited("fetch", site=at_line(7, "main"))
        finding = only(findings(story, self.KIND))
        assert "fetch() was called but never awaited at app.py:7 in main()" in finding.message
        assert "await fetch(...)" in finding.advice
        assert finding.site == finding.called_from == at_line(7, "main")

    @pytest.mark.parametrize("function", ["main", "fetch"])
    def test_outside_of_functions_the_advice_is_to_run_it(self, function: str, story: Story) -> None:
        story.never_awaited(function, site=at_line(7, "<module>"))
        assert "`asyncio.run(main())`" in only(findings(story, self.KIND)).advice


class TestLeftPending:
    KIND = "left-pending"

    def test_tasks_of_one_function_made_on_one_line_are_one_finding(self, story: Story) -> None:
        story.task("main").sleeps(10).returns()
        for _ in range(3):
            story.task("save", created=at_line(9, "main")).sleeps(10).is_cancelled().is_left_pending()
        finding = only(findings(story, self.KIND))
        assert "3 tasks of save() made at app.py:9 in main() were not done" in finding.message
        assert finding.site == at_line(9, "main")

    def test_the_main_coroutine_is_not_left_by_itself(self, story: Story) -> None:
        loop = story.thread("MainThread")
        main = story.task("main", thread=loop).sleeps(10).is_left_pending()
        story.task("quits", parent=main, thread=loop, at=1).raises("SystemExit: 1")
        assert not findings(story, self.KIND)

    def test_main_coroutine_of_a_second_run_is_not_left_pending(self, story: Story) -> None:
        loop = story.thread("MainThread")
        story.task("load", thread=loop).sleeps(1).returns()
        story.task("main", thread=loop, at=2).sleeps(10).is_left_pending()
        assert not findings(story, self.KIND)

    def test_a_later_task_is_left_though_nobody_knows_who_made_it(self, story: Story) -> None:
        loop = story.thread("MainThread")
        story.task("main", thread=loop).sleeps(10)
        story.task("save", thread=loop, at=1).sleeps(10).is_left_pending()
        assert findings(story, self.KIND)

    @pytest.mark.parametrize("outcome", [RunOutcome.TIMEOUT, RunOutcome.INTERRUPTED])
    def test_silent_when_the_run_was_cut_off(self, outcome: RunOutcome, story: Story) -> None:
        story.task("main").sleeps(1)
        story.task("save").sleeps(10).is_left_pending()
        assert not diagnose(story.run(outcome=outcome))

    def test_task_awaited_by_a_cancelled_main_task_is_no_finding(self) -> None:
        story = Story()
        loop = story.thread("MainThread")
        main = story.task("main", thread=loop)
        awaited = story.task("save", thread=loop, parent=main).sleeps(10).is_left_pending()
        main.waits(5, "task", on=awaited).is_cancelled()
        story.task("mail", thread=loop, parent=main).sleeps(9).is_left_pending()
        assert "1 task of mail()" in only(findings(story, self.KIND)).message

    def test_gather_lets_go_of_the_others_at_the_first_error(self, story: Story) -> None:
        loop = story.thread("MainThread")
        main = story.task("main", thread=loop)
        story.task("save", thread=loop, parent=main).sleeps(10).is_left_pending()
        main.waits(5, "gather").raises("ValueError")
        assert "raises the first error" in only(findings(story, self.KIND)).advice


class TestUnboundedFanOut:
    KIND = "unbounded-fan-out"

    def fan_out(self, story: Story, number: int, spread_ms: float = 0) -> list[Teller]:
        main = story.task("main").sleeps(1000)
        return [
            story.task("fetch", at=spread_ms * n, parent=main, created=at_line(20, "main")).sleeps(10)
            for n in range(number)
        ]

    def test_says_how_many_and_where(self, story: Story) -> None:
        self.fan_out(story, 1000)
        finding = only(findings(story, self.KIND))
        assert (
            "1,000 tasks of fetch() were open at the same time, made at app.py:20 in main()"
            in finding.message
        )
        assert "semaphore" in finding.advice
        assert finding.site == at_line(20, "main")

    @pytest.mark.parametrize(("number", "spread_ms"), [(199, 0), (1000, 1)], ids=["few", "not at once"])
    def test_silent_for_few_at_the_same_time(self, number: int, spread_ms: float, story: Story) -> None:
        self.fan_out(story, number, spread_ms)
        assert not findings(story, self.KIND)

    @pytest.mark.parametrize("by_child", [False, True])
    def test_silent_if_they_or_their_children_meet_a_limit(self, by_child: bool, story: Story) -> None:
        gate = story.semaphore(5)
        for task in self.fan_out(story, 300):
            limited = story.task("inner", parent=task) if by_child else task
            limited.takes(gate).sleeps(10).gives_back(gate)
        assert not findings(story, self.KIND)

    def test_silent_for_a_fixed_number_of_workers_that_wait_for_jobs(self, story: Story) -> None:
        for number, task in enumerate(self.fan_out(story, 300)):
            task.waits(5, "empty queue" if number % 2 else "sleep")
        assert not findings(story, self.KIND)

    def test_silent_for_the_tasks_that_asyncio_makes_for_connections(self, story: Story) -> None:
        self.fan_out(story, 300)
        run = story.run()
        own = tuple(replace(track, own=track.function == "fetch") for track in run.tracks)
        assert not [one for one in diagnose(replace(run, tracks=own)) if one.kind == self.KIND]

    def test_silent_for_tasks_of_an_installed_package(self, story: Story) -> None:
        main = story.task("main").sleeps(1000)
        for _ in range(300):
            story.task("fetch", parent=main, created=LIBRARY).sleeps(10)
        assert not findings(story, self.KIND)


class TestIdleLimit:
    KIND = "idle-limit"

    def uploads(self, limit: int, made: Site = GATE) -> Story:
        story = Story()
        gate = story.semaphore(limit, made=made)
        for _ in range(4):
            story.task("upload").takes(gate).sleeps(10).gives_back(gate)
        return story

    def test_a_semaphore_that_never_queued_anyone(self) -> None:
        finding = only(findings(self.uploads(10), self.KIND))
        assert "semaphore made at app.py:3" in finding.message and "at most 4 of 10" in finding.message
        assert "Lower it" in finding.advice
        assert finding.site == at_line(3)

    def test_silent_if_the_limit_was_reached(self) -> None:
        assert not findings(self.uploads(4), self.KIND)

    def test_silent_for_what_an_installed_package_made(self) -> None:
        assert not findings(self.uploads(10, LIBRARY), self.KIND)

    def test_a_semaphore_that_one_task_takes_again_and_again(self, story: Story) -> None:
        gate = story.semaphore(10, made=at_line(3))
        upload = story.task("upload")
        for _ in range(4):
            upload.takes(gate).sleeps(10).gives_back(gate)
        finding = only(findings(story, self.KIND))
        assert "at most 1 of 10" in finding.message
        assert "one slot after another" in finding.advice

    def test_a_lock_that_never_queued_anyone(self, story: Story) -> None:
        lock = story.lock(made=at_line(3))
        for at in (0, 1):
            story.task("a", at=at).takes(lock).runs(1).gives_back(lock)
        assert "2 tasks took it 2 times" in only(findings(story, self.KIND)).message

    def test_silent_for_locks_of_threads_which_may_meet_another_time(self, story: Story) -> None:
        lock = story.lock(made=at_line(3))
        for at in (0, 1):
            story.thread("a", at=at).takes(lock).runs(1).gives_back(lock)
        assert not findings(story, self.KIND)

    def test_silent_if_somebody_queued(self, story: Story) -> None:
        gate, lock = story.semaphore(1, made=at_line(3)), story.lock(made=at_line(4))
        story.task("a").takes(gate).takes(lock).sleeps(10).gives_back(lock).gives_back(gate)
        b = story.task("b").queues(gate, 10).queues(lock, 1).takes(gate).takes(lock)
        b.sleeps(10).gives_back(lock).gives_back(gate)
        assert not findings(story, self.KIND)


class TestLimitPerCall:
    KIND = "limit-per-call"

    def uploads(self, make: Callable[[Story], Resource], spread_ms: float = 0) -> Story:
        story = Story()
        for number in range(50):
            gate = make(story)
            story.task("upload", at=spread_ms * number).takes(gate).sleeps(10).gives_back(gate)
        return story

    def test_a_semaphore_made_in_every_call(self) -> None:
        story = self.uploads(lambda story: story.semaphore(5, made=at_line(8, "upload")))
        finding = only(findings(story, self.KIND))
        assert "A semaphore of 5 was made 50 times at app.py:8 in upload()" in finding.message
        assert "together 50 were held at the same time" in finding.message
        assert "would have allowed 5" in finding.message
        assert not findings(story, "idle-limit")

    @pytest.mark.parametrize(
        ("make", "spread_ms"),
        [
            (lambda story: story.semaphore(5, made=LIBRARY), 0),
            (lambda story: story.lock(made=at_line(8, "Account.__init__")), 0),
            (lambda story: story.semaphore(5, made=at_line(8, "upload")), 10),
        ],
        ids=["an installed package made them", "each object has one", "one after another"],
    )
    def test_silent_for_what_limits_nobody(self, make: Callable[[Story], Resource], spread_ms: float) -> None:
        assert not findings(self.uploads(make, spread_ms), self.KIND)

    def test_one_lock_for_each_key_may_be_right(self) -> None:
        story = self.uploads(lambda story: story.lock(made=at_line(8, "upload")))
        assert "different data" in only(findings(story, self.KIND)).advice

    def test_silent_for_a_lock_that_is_taken_again(self, story: Story) -> None:
        for _ in range(2):
            lock = story.lock(made=at_line(8, "Session.open"))
            user = story.task("user")
            for _ in range(2):
                user.takes(lock).sleeps(10).gives_back(lock)
        assert not findings(story, self.KIND)

    def test_silent_if_one_is_shared(self, story: Story) -> None:
        gates = [story.semaphore(1, made=at_line(8)) for _ in range(2)]
        for gate in gates:
            story.task("a").takes(gate).sleeps(10).gives_back(gate)
        story.task("b").queues(gates[0], 10).takes(gates[0]).sleeps(10).gives_back(gates[0])
        assert not findings(story, self.KIND)


class TestSaturatedExecutor:
    KIND = "saturated-executor"

    def test_says_workers_most_queued_and_total(self, story: Story) -> None:
        executor = story.executor(1, made=at_line(5))
        for number in range(4):
            task = story.task("read")
            if number:
                task.queues(executor, 50 * number)
            task.takes(executor).waits(50, "thread").gives_back(executor)
        finding = only(findings(story, self.KIND))
        assert "executor made at app.py:5 had work queued for 1 worker" in finding.message
        assert "up to 3 at the same time, 0.30 s in total" in finding.message
        assert finding.site == at_line(5)

    @pytest.mark.parametrize(
        ("workers", "jobs"),
        [
            pytest.param(400, [(100, 50)] * 3, id="threads that start late"),
            pytest.param(4, [(0, 50)] * 4, id="full, and nothing queued"),
            pytest.param(2, [(40, 50)] * 2, id="a job for each worker"),
            pytest.param(2, [(0, 100), (60, 10)], id="one worker is free"),
            pytest.param(3, [(0, 30)] * 3 + [(15, 20)] * 3, id="full for a moment"),
            pytest.param(2, [(0, 10), (0, 10), (90, 10)], id="full once, queued for the GIL later"),
            pytest.param(2, [(0, 1000)], id="one long job"),
            pytest.param(1, [(200, 10)], id="a process that starts late"),
            pytest.param(None, [(200, 10)] * 2, id="no known number of workers"),
        ],
    )
    def test_executor_that_was_not_full_meanwhile_is_silent(
        self, workers: int | None, jobs: list[tuple[float, float]], story: Story
    ) -> None:
        executor = story.executor(workers, made=at_line(5))
        for queued, worked in jobs:
            task = story.task("read")
            if queued:
                task.queues(executor, queued)
            task.takes(executor).waits(worked, "thread").gives_back(executor)
        assert not findings(story, self.KIND)

    def test_silent_for_a_short_queue(self, story: Story) -> None:
        executor = story.executor(2, made=at_line(5))
        story.task("read").queues(executor, 49)
        assert not findings(story, self.KIND)


@given(runs())
def test_any_run_gets_findings_that_are_sentences(run: Run) -> None:
    for finding in diagnose(run):
        assert finding.message.endswith(".") and finding.advice.endswith(".")
