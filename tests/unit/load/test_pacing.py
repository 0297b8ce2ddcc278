"""Alarms and arrivals: at their time, in order, and none lost when the loop was late."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from itertools import islice, pairwise
from time import perf_counter_ns

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.load import Plan, Send
from asyncdemo.load.arrivals import Arrivals, SpinningAlarm, TimerfdAlarm, arrivals_ns, make_alarm

ALARMS = [
    SpinningAlarm,
    pytest.param(
        TimerfdAlarm, marks=pytest.mark.skipif(not TimerfdAlarm.is_supported(), reason="no timerfd here")
    ),
]
MS = 1_000_000


class ByHand:
    """An alarm that rings when the test says so."""

    name = "by hand"

    def __init__(self, ring: Callable[[], None]) -> None:
        self.ring, self.due_ns, self.closed = ring, -1, False

    def set(self, due_ns: int) -> None:
        self.due_ns = due_ns

    def close(self) -> None:
        self.closed = True


class Open:
    """An open loop on a clock that is set by hand."""

    def __init__(self, *offsets_ns: int) -> None:
        self.now_ns = 1000
        self.begun: list[int] = []
        self.ended = 0
        self.alarms: list[ByHand] = []
        loop: asyncio.AbstractEventLoop = None  # type: ignore[assignment] # this alarm needs none
        self.arrivals = Arrivals(
            loop, iter(offsets_ns), 1000, self.begun.append, self._end, self._alarm, lambda: self.now_ns
        )

    def rings_at(self, now_ns: int) -> None:
        self.now_ns = now_ns
        self.alarms[0].ring()

    def _alarm(self, _loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> ByHand:
        self.alarms.append(ByHand(ring))
        return self.alarms[0]

    def _end(self) -> None:
        self.ended += 1


def test_the_alarm_is_set_for_one_request_after_the_other() -> None:
    loop = Open(0, 10, 20)
    assert loop.alarms[0].due_ns == 1000
    loop.rings_at(1000)
    assert (loop.begun, loop.alarms[0].due_ns, loop.ended) == ([1000], 1010, 0)
    loop.rings_at(1012)
    loop.rings_at(1020)
    assert (loop.begun, loop.ended) == ([1000, 1010, 1020], 1)


def test_overdue_requests_begin_together_with_their_due_times() -> None:
    loop = Open(0, 10, 20, 500)
    for now_ns in (1400, 1499):
        loop.rings_at(now_ns)
        assert (loop.begun, loop.alarms[0].due_ns) == ([1000, 1010, 1020], 1500)


def test_a_long_backlog_leaves_room_for_responses_in_between() -> None:
    loop = Open(*range(1000))
    loop.rings_at(9999)
    begun = len(loop.begun)
    assert 0 < begun < 1000
    assert loop.alarms[0].due_ns == 1000 + begun, "the next one is due, so the alarm rings again at once"
    while not loop.ended:
        loop.rings_at(9999)
    assert loop.begun == list(range(1000, 2000))


def test_empty_schedule_ends_immediately_and_a_closed_one_idles() -> None:
    assert Open().ended == 1
    loop = Open(0, 10)
    loop.arrivals.close()
    assert loop.alarms[0].closed and loop.arrivals.is_over


@pytest.mark.parametrize("kind", ALARMS)
def test_alarm_rings_once_never_early_and_only_for_the_last_set(
    kind: type[SpinningAlarm] | type[TimerfdAlarm],
) -> None:
    async def run() -> None:
        rung: asyncio.Queue[int] = asyncio.Queue()
        alarm = kind(asyncio.get_running_loop(), lambda: rung.put_nowait(perf_counter_ns()))
        for past_ns in (0, -5):
            alarm.set(past_ns)
            await rung.get()
        for wait_ns in (-MS, 0, 1, 100_000, 3 * MS, 5 * MS):
            due_ns = perf_counter_ns() + wait_ns
            alarm.set(due_ns)
            assert await rung.get() >= due_ns
        later_ns = perf_counter_ns() + 20 * MS
        for due_ns in (later_ns - 18 * MS, later_ns):
            alarm.set(due_ns)
        assert await rung.get() >= later_ns
        alarm.set(perf_counter_ns() + MS)
        for _ in range(2):
            alarm.close()
        await asyncio.sleep(0.01)
        assert rung.empty()

    asyncio.run(run())


def test_linux_has_timerfd() -> None:
    async def name() -> str:
        alarm = make_alarm(asyncio.get_running_loop(), lambda: None)
        alarm.close()
        return alarm.name

    assert asyncio.run(name()) == ("timerfd" if sys.platform == "linux" else "spin")


# -- when requests are due ------------------------------------------------------------------------------


def open_plan(rate: float, **fields: object) -> Plan:
    whole = {"requests": 1000, **fields}
    return Plan("127.0.0.1", 80, (Send("GET", "/"),), rate=rate, **whole)  # type: ignore[arg-type]


@given(st.floats(0.5, 1e6), st.integers(1, 200_000))
def test_uniform_arrivals_do_not_drift(rate: float, number: int) -> None:
    due = next(islice(arrivals_ns(open_plan(rate, requests=number + 1)), number, None))
    assert abs(due - number * 1000 * MS / rate) <= 1


def test_poisson_arrivals_have_the_given_count_and_variance() -> None:
    """The times between are exponential: their standard deviation is their mean."""
    due = list(arrivals_ns(open_plan(1000, arrivals="poisson", requests=50_000)))
    gaps = [after - before for before, after in pairwise(due)]
    mean = sum(gaps) / len(gaps)
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert mean == pytest.approx(1000 * MS / 1000, rel=0.02)
    assert deviation == pytest.approx(mean, rel=0.03)
    assert due == sorted(due)


def test_the_seed_decides_the_poisson_arrivals() -> None:
    first, again, other = (
        list(arrivals_ns(open_plan(100, arrivals="poisson", seed=seed))) for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("requests", "duration_s", "count"), [(None, 0.5, 2), (3, 10.0, 3), (3, None, 3), (300, 1.0, 4)]
)
def test_first_limit_reached_ends_it_and_the_end_has_no_arrival(
    requests: int | None, duration_s: float | None, count: int
) -> None:
    due = list(arrivals_ns(open_plan(4, requests=requests, duration_s=duration_s)))
    assert due == [0, 250 * MS, 500 * MS, 750 * MS][:count]


def test_a_closed_loop_has_no_schedule() -> None:
    with pytest.raises(ValueError, match="closed loop"):
        next(arrivals_ns(Plan("127.0.0.1", 80, (Send("GET", "/"),), requests=1, clients=1)))
