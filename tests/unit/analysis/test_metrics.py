"""Every sentence of the vocabulary that has a figure behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from hypothesis import given

from asyncdemo.analysis.metrics import (
    blocked_ns,
    blocks,
    cpu,
    ideal_ns,
    idle_while_running,
    lane_totals,
    longest_step,
    measure,
    most_at_once,
    open_lanes,
    peak,
    resource_use,
    state_sums,
    throughput_per_s,
    wall_ns,
)
from asyncdemo.analysis.metrics.cpu import cpu_ns
from asyncdemo.analysis.metrics.ideal import binding_limits, list_schedule, own_work_ns
from asyncdemo.analysis.metrics.memory import MemoryUse, memory_use
from asyncdemo.analysis.metrics.requests import while_serving
from asyncdemo.model import (
    CountedLanes,
    Gap,
    Outcome,
    Request,
    Run,
    RunOutcome,
    SlowStep,
    Spans,
    State,
    Stuck,
    TrackKind,
)
from tests.support.runs import Story, at_line, ns
from tests.support.strategies import runs

RUNNING, READY, WAITING, QUEUED, UNKNOWN = State


def an_upload_gate(lanes: int = 6, limit: int = 2, each_ms: float = 100) -> Run:
    """Each lane signs in 1 ms, queues for the gate, uploads, gives its slot back, tidies up 1 ms."""
    story = Story()
    gate = story.semaphore(limit, made=at_line(3))
    for number in range(lanes):
        upload = story.task(f"upload({number})").sleeps(1)
        if number >= limit:
            upload.queues(gate, number // limit * each_ms)
        upload.takes(gate).waits(each_ms, "net.write").gives_back(gate).sleeps(1).returns()
    return story.run()


class TestMeasure:
    def test_the_ideal_is_never_above_the_wall(self, story: Story) -> None:
        lock = story.lock()
        for number in range(3):
            one = story.task(f"order({number})").sleeps(100)
            if number:
                one.queues(lock, number * 10)
            one.takes(lock).sleeps(10).gives_back(lock).sleeps(100).returns()
        run = story.run()
        assert ideal_ns(run) > wall_ns(run)  # as if each order held the lock for all of its work
        assert measure(run).ideal_ns == wall_ns(run)

    @pytest.mark.parametrize(
        "ending",
        [
            {"outcome": RunOutcome.INTERRUPTED, "exit_code": 130},
            {"outcome": RunOutcome.FAILED, "exit_code": None},  # at its limit of memory
            {"outcome": RunOutcome.FAILED, "exit_code": -9},
            {"outcome": RunOutcome.FAILED, "exit_code": 1, "stuck": (Stuck("", "", None),)},  # in a deadlock
        ],
    )
    def test_a_run_that_was_cut_off_has_no_ideal(self, ending: dict[str, Any]) -> None:
        run = an_upload_gate()
        assert measure(replace(run, **ending)).ideal_ns is None
        assert measure(replace(run, outcome=RunOutcome.FAILED, exit_code=1)).ideal_ns is not None

    def test_a_run_that_left_its_main_thread_at_work_has_no_ideal(self, story: Story) -> None:
        story.task("main").sleeps(20)  # os._exit
        assert measure(replace(story.run(), outcome=RunOutcome.FAILED, exit_code=1)).ideal_ns is None


class TestWall:
    def test_goes_from_the_first_open_to_the_last_close_of_a_lane(self, story: Story) -> None:
        story.task("main").runs(500).enters("brew(1)").sleeps(30).leaves().runs(500).returns()
        story.task("late", at=510).enters("brew(2)").sleeps(40).leaves()
        assert wall_ns(story.run()) == ns(50)


class TestPeak:
    def test_calls_that_take_no_virtual_time_are_open_in_turn(self, story: Story) -> None:
        main = story.task("main").runs(5)
        for number in range(3):
            main.enters(f"brew({number})").leaves()
        assert open_lanes(story.run()) == 1

    def test_fifty_uploads_behind_a_gate_of_five(self) -> None:
        run = an_upload_gate(lanes=50, limit=5)
        assert (peak(run), open_lanes(run), len(run.lanes)) == (5, 50, 50)

    def test_lane_with_a_limit_works_only_between_queue_and_release(self) -> None:
        story = Story()
        gate = story.semaphore(limit=1)
        story.task("a").takes(gate).sleeps(10).gives_back(gate).sleeps(90)
        story.task("b").sleeps(50).takes(gate).sleeps(10).gives_back(gate).sleeps(40)
        assert (peak(story.run()), open_lanes(story.run())) == (1, 2)

    def test_slots_of_several_limits_make_one_lane_at_work(self, story: Story) -> None:
        gate, pool = story.semaphore(limit=2), story.pool(limit=4)
        story.task("a").takes(gate).takes(pool).sleeps(10).gives_back(pool).gives_back(gate)
        assert peak(story.run()) == 1

    def test_lane_that_queues_for_nothing_is_never_at_work(self, story: Story) -> None:
        gate = story.semaphore(limit=1)
        story.task("a").takes(gate).sleeps(10).gives_back(gate)
        story.task("b").queues(gate, 10).is_cancelled()
        assert peak(story.run()) == 1

    @pytest.mark.parametrize(("from_ms", "most"), [(60, 2), (50, 1)], ids=["free", "queued for"])
    def test_a_lock_is_a_limit_only_if_somebody_queued_for_it(self, from_ms: float, most: int) -> None:
        story = Story()
        lock = story.lock()
        story.task("a").takes(lock).sleeps(60).gives_back(lock).sleeps(40)
        other = story.task("b").sleeps(from_ms)
        if from_ms < 60:
            other.queues(lock, 60 - from_ms)
        other.takes(lock).sleeps(40).gives_back(lock)
        assert peak(story.run()) == most

    def test_a_full_queue_is_no_limit(self, story: Story) -> None:
        queue = story.queue(limit=1)
        story.task("a").queues(queue, 10)
        story.task("b").queues(queue, 10)
        assert peak(story.run()) == 2

    def test_slots_outside_the_lane_do_not_make_it_meet_the_limit(self, story: Story) -> None:
        gate = story.semaphore(limit=1)
        worker = story.task("worker").takes(gate).sleeps(10).gives_back(gate)
        worker.enters("brew(1)").sleeps(10).leaves()
        story.task("other", at=10).enters("brew(2)").sleeps(10).leaves()
        assert peak(story.run()) == 2

    def test_a_lane_has_the_slots_of_the_child_whose_state_it_shows(self, story: Story) -> None:
        gate = story.semaphore(limit=1)
        for number in range(2):
            outer, inner = story.task(f"t{number}"), story.task(f"wait_for {number}")
            if number:
                inner.queues(gate, 50)
            inner.takes(gate).sleeps(50).gives_back(gate)
            outer.enters(f"brew({number})").shows(inner, 50 + 50 * number).leaves()
        assert (peak(story.run()), open_lanes(story.run())) == (1, 2)

    def test_lane_is_at_work_while_an_executors_worker_serves_it(self) -> None:
        story = Story()
        executor = story.executor(workers=1)
        worker = story.thread("worker")
        first, second = story.task("first"), story.task("second")
        for _ in (first, second):
            worker.takes(executor).waits(50, "sleep").gives_back(executor)
        first.enters("brew(1)").waits(50, "thread", on=worker).leaves()
        second.enters("brew(2)").queues(executor, 50).waits(50, "thread", on=worker).leaves()
        assert (peak(story.run()), open_lanes(story.run())) == (1, 2)


class TestStates:
    def test_a_lane_total_is_of_its_own_spans(self, story: Story) -> None:
        gate = story.semaphore(limit=1)
        story.task("a").is_ready(1).runs(2).queues(gate, 3).is_ready(4).runs(5).sleeps(6).waits(7, "net.read")
        (totals,) = lane_totals(story.run())
        assert (totals.running_ns, totals.ready_ns) == (ns(7), ns(5))
        assert (totals.waiting_ns, totals.queued_ns) == (ns(13), ns(3))
        assert totals.reasons == {"semaphore": ns(3), "sleep": ns(6), "net.read": ns(7)}

    def test_nested_lanes_are_not_counted_twice(self, story: Story) -> None:
        main = story.task("main").enters("breakfast").runs(1)
        main.enters("brew(1)").sleeps(10).leaves().enters("brew(2)").sleeps(10).leaves()
        main.runs(1).leaves()
        sums = state_sums(story.run())
        assert (sums[RUNNING], sums[WAITING]) == (ns(2), ns(20))

    @pytest.mark.parametrize("has_lane", [True, False])
    def test_state_of_a_child_with_its_own_lane_counts_as_waiting(self, has_lane: bool, story: Story) -> None:
        parent = story.task("parent")
        child = story.task("child", parent=parent).runs(10).sleeps(20)
        if not has_lane:
            parent.enters("brew(1)")
        parent.shows(child, 10, RUNNING).shows(child, 20, WAITING, "sleep")
        if not has_lane:
            parent.leaves()
        sums = state_sums(story.run())
        assert (sums[RUNNING], sums[WAITING]) == (ns(10), ns(50 if has_lane else 20))


class TestBlocked:
    def test_sums_steps_over_the_threshold_without_descheduled_time(self) -> None:
        story = Story(threshold_ms=50)
        story.task("a").blocks(120).blocks(49).sleeps(5).blocks(51).blocks(50)
        story.task("b", at=400).blocks(120, stolen_ms=90).blocks(120, stolen_ms=20)
        assert blocked_ns(story.run()) == ns(271)

    def test_a_callback_that_is_no_tasks_step_counts_like_one(self, story: Story) -> None:
        story.task("a").sleeps(500)
        story.callback_blocks(300, at=100)
        story.callback_blocks(100, at=420, stolen_ms=60)
        run = story.run()
        assert (blocked_ns(run), blocks(run)) == (ns(300), 1)
        assert state_sums(run)[RUNNING] == 0


class TestLongestStep:
    def test_is_the_longest_running_span_with_its_observed_line(self, story: Story) -> None:
        story.task("a", defined=at_line(1)).runs(30).sleeps(5)
        step = longest_step(story.run())
        assert step is not None and step.site == at_line(1)  # no line was seen
        story.task("b", at=30, defined=at_line(2)).blocks(70, at=at_line(9)).blocks(10, at=at_line(8))
        step = longest_step(story.run())
        assert step is not None
        assert (step.duration_ns, step.site) == (ns(70), at_line(9))

    def test_tasks_of_the_standard_library_are_left_out(self, story: Story) -> None:
        story.task("a").runs(5)
        story.task("shutdown_default_executor").runs(30)
        run = story.run()
        run = replace(run, tracks=(run.tracks[0], replace(run.tracks[1], own=True)))
        step = longest_step(run)
        assert step is not None and step.duration_ns == ns(5)
        assert measure(run).steps == 1

    def test_a_parent_that_shows_its_child_did_not_run(self, story: Story) -> None:
        parent = story.task("parent")
        child = story.task("child").runs(10)
        parent.runs(1).shows(child, 10, RUNNING)
        step = longest_step(story.run())
        assert step is not None and step.duration_ns == ns(10)


class TestThroughput:
    def test_counts_lanes_that_returned(self, story: Story) -> None:
        story.task("a").sleeps(500).returns()
        story.task("b").sleeps(500).raises("ValueError: no beans")
        story.task("c").sleeps(500).is_cancelled()
        story.task("d").sleeps(500)
        assert throughput_per_s(story.run()) == pytest.approx(2.0)


class TestResources:
    def test_most_held_most_queued_and_the_time_in_the_queue(self) -> None:
        (gate,) = resource_use(an_upload_gate(lanes=6, limit=2, each_ms=100))
        assert (gate.peak_held, gate.peak_queued) == (2, 4)
        assert gate.queued_ns == ns(100 + 100 + 200 + 200)

    def test_a_queue_is_held_as_much_as_it_is_long(self, story: Story) -> None:
        queue = story.queue(limit=3, levels=((1, 1), (2, 3), (3, 2)))
        story.task("producer").queues(queue, 5)
        (use,) = resource_use(story.run())
        assert (use.peak_held, use.peak_queued, use.queued_ns) == (3, 1, ns(5))

    def test_executor_counts_its_items_and_not_their_awaiters(self, story: Story) -> None:
        executor = story.executor(1)
        main = story.task("main").queues(executor, 5).sleeps(25)
        for end in (10, 20, 30):
            story.has_queued(executor, main, 0, end)
        (use,) = resource_use(story.run())
        assert (use.peak_queued, use.queued_ns) == (3, ns(60))

    def test_queueing_shown_by_the_parent_is_counted_once(self, story: Story) -> None:
        gate = story.semaphore(limit=1)
        child = story.task("child").queues(gate, 10)
        parent = story.task("parent")
        parent.shows(child, 10, QUEUED, "semaphore")
        (use,) = resource_use(story.run())
        assert (use.peak_queued, use.queued_ns) == (1, ns(10))


class TestIdeal:
    def test_ten_sequential_sleeps_could_overlap(self, story: Story) -> None:
        main = story.task("main")
        for number in range(10):
            main.enters(f"brew({number})").sleeps(300).leaves()
        run = story.run()
        assert (wall_ns(run), ideal_ns(run)) == (ns(3000), ns(300))

    @pytest.mark.parametrize(("blocks", "ideal_ms"), [(True, 300), (False, 3000)])
    def test_blocking_sleeps_could_overlap_too_but_computing_cannot(
        self, blocks: bool, ideal_ms: int, story: Story
    ) -> None:
        for number in range(10):
            brew = story.task(f"brew({number})").is_ready(1 + 300 * number)
            brew.blocks(300) if blocks else brew.runs(300)
        run = story.run()
        assert (wall_ns(run), ideal_ns(run)) == (ns(3001), ns(ideal_ms))

    def test_cpu_time_of_the_thread_not_its_running_time_counts(self, story: Story) -> None:
        for number in range(4):
            story.thread(f"work({number})", cpu_ms=50).runs(200)
        assert ideal_ns(story.run()) == ns(200)

    def test_cpu_time_outside_the_lanes_does_not_count(self, story: Story) -> None:
        main_thread = story.thread("MainThread", cpu_ms=900)
        story.task("main", thread=main_thread).enters("brew(1)").runs(10).leaves()
        assert cpu_ns(story.run()) == ns(10)

    def test_the_slots_seen_bind_the_schedule(self) -> None:
        run = an_upload_gate(lanes=6, limit=2, each_ms=100)
        assert binding_limits(run) == [(0, 2)] * 6
        assert ideal_ns(run) == 3 * ns(102)

    def test_lanes_take_the_slots_in_the_order_they_started(self) -> None:
        assert list_schedule([3, 1, 1, 2], slots=2) == 4
        assert list_schedule([1, 1, 2, 3], slots=2) == 4
        assert list_schedule([2, 2, 2, 3, 3], slots=2) == 7

    def test_a_lane_that_met_no_limit_starts_at_once(self, story: Story) -> None:
        gate = story.semaphore(limit=1)
        story.task("free").sleeps(150)
        for number in range(2):
            story.task(f"held{number}").takes(gate).sleeps(100).gives_back(gate)
        assert ideal_ns(story.run()) == ns(200)

    def test_the_smallest_limit_met_counts(self, story: Story) -> None:
        wide, narrow = story.pool(limit=10), story.semaphore(limit=2)
        for number in range(4):
            upload = story.task(f"upload({number})").takes(wide).takes(narrow).sleeps(100)
            upload.gives_back(narrow).gives_back(wide)
        assert binding_limits(story.run()) == [(1, 2)] * 4
        assert ideal_ns(story.run()) == ns(200)

    def test_own_work_leaves_out_what_others_explain(self, story: Story) -> None:
        gate = story.semaphore(limit=1)
        story.task("queues").is_ready(5).runs(1).queues(gate, 50).is_ready(5).sleeps(20)
        child = story.task("child").runs(10).sleeps(100)
        story.task("awaits it").runs(1).waits(99, "task", on=child).sleeps(7)
        story.task("shows it").runs(2).shows(child, 10, RUNNING).shows(child, 100)
        story.thread("idle worker").waits(100, "idle").runs(10).waits(100, "idle")
        assert own_work_ns(story.run()) == [ns(ms) for ms in (21, 110, 8, 2, 10)]

    def test_own_work_keeps_waiting_for_a_track_without_lane(self, story: Story) -> None:
        helper = story.thread("helper").waits(100, "net.read")
        story.task("main").enters("brew(1)").waits(100, "thread", on=helper).leaves()
        assert own_work_ns(story.run()) == [ns(100)]

    def test_own_work_leaves_out_lanes_nested_inside(self, story: Story) -> None:
        main = story.task("main").enters("breakfast").runs(1)
        main.enters("brew(1)").sleeps(10).enters("pour").sleeps(3).leaves().leaves()
        main.enters("brew(2)").sleeps(20).leaves().runs(2).leaves()
        assert own_work_ns(story.run()) == [ns(3), ns(10), ns(3), ns(20)]


class TestIdleWhileRunning:
    @staticmethod
    def of(story: Story) -> tuple[float, float]:
        """(at most for the GIL, not observed at least), in ms."""
        idle = idle_while_running(story.run())
        return idle.gil_ns / ns(1), idle.unobserved_ns / ns(1)

    @pytest.mark.parametrize(
        ("threads", "gil_ms", "unobserved_ms"),
        [
            ([(0, 40, 100, 0), (0, 60, 100, 50)], 60 + 40, 0),
            ([(0, 1, 500, 0)] * 3, 3 * 2, 3 * 497),
            ([(0, 900, 900, 500), (900, 0, 500, 0)], 0, 500),
            ([(0, None, 200, 0), (0, 0, 500, 0)], 200, 300),
            ([(0, 200, 100, 0), (0, 100, 100, 0)], 0, 0),
        ],
        ids=["another computes", "none uses CPU", "at another time", "CPU time not known", "CPU in waits"],
    )
    def test_threads_wait_for_the_gil_at_most_while_others_use_cpu(
        self, threads: list[tuple[float, float | None, float, float]], gil_ms: int, unobserved_ms: int
    ) -> None:
        """Each is (start, CPU time, how long it shows as running, how long it waits)."""
        story = Story()
        for at, cpu_ms, runs_ms, waits_ms in threads:
            story.thread("a thread", at=at, cpu_ms=cpu_ms).runs(runs_ms).waits(waits_ms, "thread")
        assert self.of(story) == (gil_ms, unobserved_ms)

    def test_the_tasks_of_a_loop_compute_in_its_thread(self, story: Story) -> None:
        main = story.thread("main", cpu_ms=100).waits(500, "event loop")
        story.task("main()", thread=main).sleeps(200).runs(100).sleeps(200)
        story.thread("a", cpu_ms=0).runs(250)
        assert self.of(story) == (50, 200)

    def test_a_blocking_call_is_known(self, story: Story) -> None:
        main = story.thread("main", cpu_ms=0).waits(500, "event loop")
        story.task("main()", thread=main).blocks(500)
        assert self.of(story) == (0, 0)

    def test_the_threads_of_another_process_have_another_gil(self, story: Story) -> None:
        story.thread("a", cpu_ms=100).runs(100)
        story.thread("b", cpu_ms=0).runs(100)
        run = story.run()
        run = replace(run, tracks=(run.tracks[0], replace(run.tracks[1], process=1)))
        assert idle_while_running(run).gil_ns == 0


@mock.patch.object(cpu, "_NOISE_NS", 0)
@given(runs())
def test_idle_time_is_running_time_and_the_gil_needs_others(run: Run) -> None:
    threads = {track.index for track in run.tracks if track.kind is TrackKind.THREAD}
    # in no recorded run does a task stand for a thread
    tracks = [t if t.thread in threads else replace(t, thread=None) for t in run.tracks]
    run = replace(run, blocking_calls=(), tracks=tuple(tracks))
    idle = idle_while_running(run)
    assert idle.gil_ns >= 0 and idle.unobserved_ns >= 0
    assert idle.gil_ns + idle.unobserved_ns <= state_sums(run)[RUNNING]
    if len(threads) < 2:
        assert idle.gil_ns == 0


@given(runs())
def test_figures_of_any_run_agree_with_each_other(run: Run) -> None:
    run = replace(run, counted=())
    metrics = measure(run)
    served = while_serving(run).lanes
    assert 0 <= metrics.peak <= metrics.open <= metrics.lanes == len(served) <= len(run.lanes)
    for lane, totals in zip(run.lanes, metrics.lane_totals, strict=True):
        known_ns = totals.running_ns + totals.ready_ns + totals.waiting_ns + totals.queued_ns
        assert known_ns + totals.unknown_ns == lane.end_ns - lane.start_ns
        assert sum(totals.reasons.values()) == totals.waiting_ns + totals.queued_ns
    assert sum(state_sums(run).values()) <= sum(lane.end_ns - lane.start_ns for lane in run.lanes)
    returned = sum(lane.outcome is Outcome.RETURNED for lane in served)
    assert metrics.throughput_per_s * metrics.wall_ns / 1e9 == pytest.approx(
        returned if metrics.wall_ns else 0
    )


@given(runs())
def test_counted_lanes_are_in_the_figures_and_gaps_hide_ideals(run: Run) -> None:
    whole = replace(run, gaps=(), counted=(), complete_from_ns=None, requests=())
    counted = CountedLanes("brew", Outcome.RAISED, "ValueError", 7, steps=3)
    partial = replace(whole, counted=(counted,), gaps=(Gap(1, 2, 5),))
    before, after = measure(whole), measure(partial)
    assert after.lanes - before.lanes == 7
    assert after.steps - before.steps == 3 + 5
    assert after.outcomes[Outcome.RAISED] - before.outcomes[Outcome.RAISED] == 7
    assert after.functions["brew"].calls >= 7
    assert after.ideal_ns is None


@given(runs())
def test_the_ideal_lies_between_grahams_bounds(run: Run) -> None:
    """It may exceed the wall: own work next to the slot (before queueing) is scheduled inside it."""
    work, ideal, cpu = own_work_ns(run), ideal_ns(run), cpu_ns(run)
    assert max([cpu, *work]) <= ideal <= max(cpu, sum(work))
    binding = binding_limits(run)
    assert ideal <= max([cpu, *(_graham(work, binding, limit) for limit in set(binding))]) + 1e-6
    if set(binding) <= {None}:
        assert ideal == max([cpu, *work]) <= max(wall_ns(run), cpu)


def _graham(work: list[int], binding: list[tuple[int, int] | None], limit: tuple[int, int] | None) -> float:
    """How long list scheduling can take at most, for the lanes that one limit binds."""
    jobs = [job for job, bound_by in zip(work, binding, strict=True) if bound_by == limit]
    if limit is None:
        return max(jobs)
    return max(max(jobs), sum(jobs) / limit[1] + (1 - 1 / limit[1]) * max(jobs))


@given(runs())
def test_most_at_once_agrees_with_counting_every_instant(run: Run) -> None:
    lanes = [(lane.start_ns, lane.end_ns) for lane in run.lanes if lane.end_ns > lane.start_ns]
    instants = {start for start, _ in lanes}
    counted = max((sum(start <= at < end for start, end in lanes) for at in instants), default=0)
    assert most_at_once(lanes) == counted


def test_only_request_time_counts_for_a_servers_blocking() -> None:
    """What holds the loop before the first request, or after the last response, keeps nobody waiting."""
    story = Story()
    story.task("server").runs(210).returns()
    run = replace(story.run(), threshold_ns=ns(50))
    track = run.tracks[0].index
    steps = tuple(
        SlowStep(track, ns(start), ns(end), None, 0, None, None)
        for start, end in ((0, 60), (80, 140), (150, 210))
    )
    request = Request("GET / 1", ns(90), ns(149), Outcome.RETURNED, Spans.of(()), ns(90), status=200)
    run = replace(run, slow_steps=steps)
    assert blocks(run) == 3
    served = replace(run, requests=(request,))
    assert blocks(served) == 1
    assert blocked_ns(served) == ns(60)


def test_lanes_outside_request_time_are_no_work_of_the_server(story: Story) -> None:
    for name, at, ms in (("open_pool", 0, 10), ("handle", 100, 20), ("close_pool", 500, 10)):
        story.task(name, at=at, function=name).runs(ms).returns()
    request = Request("GET / 1", ns(95), ns(130), Outcome.RETURNED, Spans.of(()), ns(95), status=200)
    run = story.run()
    served = measure(replace(run, requests=(request,)))
    assert (measure(run).lanes, served.lanes) == (3, 1)
    assert (measure(run).wall_ns, served.wall_ns) == (ns(510), ns(20))
    assert served.functions["open_pool"].calls == 1


def test_memory_use_has_maxima_and_growth_since_the_start(story: Story) -> None:
    story.has_memory(-5, resident_mb=40, virtual_mb=400, threads=2)
    story.has_memory(10, resident_mb=61, virtual_mb=900, threads=53)
    story.has_memory(20, resident_mb=55, virtual_mb=950, threads=4)
    assert memory_use(story.run()) == MemoryUse(
        samples=3,
        most_resident_bytes=61_000_000,
        most_virtual_bytes=950_000_000,
        most_threads=53,
        resident_growth_bytes=21_000_000,
        virtual_growth_bytes=550_000_000,
        threads_growth=51,
    )
