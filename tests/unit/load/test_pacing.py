"""Alarms and arrivals: at their time, in order, and none lost when the loop was late."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from time import perf_counter_ns

import pytest

from asyncdemo.load.arrivals import Arrivals
from asyncdemo.load.pacing import SpinningAlarm, TimerfdAlarm, make_alarm

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


def test_all_that_is_overdue_begins_at_once_with_the_times_at_which_it_was_due() -> None:
    loop = Open(0, 10, 20, 500)
    loop.rings_at(1400)
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


def test_an_alarm_that_rings_early_begins_nothing() -> None:
    loop = Open(100)
    loop.rings_at(1050)
    assert (loop.begun, loop.alarms[0].due_ns) == ([], 1100)


def test_nothing_begins_once_it_is_closed() -> None:
    loop = Open(0, 10)
    loop.arrivals.close()
    assert loop.alarms[0].closed


def test_an_empty_schedule_ends_at_once() -> None:
    assert Open().ended == 1


@pytest.mark.parametrize("kind", ALARMS)
def test_an_alarm_rings_once_and_never_before_its_time(
    kind: type[SpinningAlarm] | type[TimerfdAlarm],
) -> None:
    async def ring_ten_times() -> list[tuple[int, int]]:
        loop = asyncio.get_running_loop()
        rung: asyncio.Queue[int] = asyncio.Queue()
        alarm = kind(loop, lambda: rung.put_nowait(perf_counter_ns()))
        times = []
        for wait_ns in (0, 1, 100_000, 3 * MS, 5 * MS) * 2:
            due_ns = perf_counter_ns() + wait_ns
            alarm.set(due_ns)
            times.append((due_ns, await rung.get()))
        await asyncio.sleep(0.005)
        assert rung.empty()
        alarm.close()
        alarm.close()
        return times

    assert all(rung_ns >= due_ns for due_ns, rung_ns in asyncio.run(ring_ten_times()))


@pytest.mark.parametrize("kind", ALARMS)
def test_what_is_past_rings_at_once_and_what_is_set_anew_rings_only_then(
    kind: type[SpinningAlarm] | type[TimerfdAlarm],
) -> None:
    async def run() -> tuple[int, list[int]]:
        loop = asyncio.get_running_loop()
        rung: asyncio.Queue[int] = asyncio.Queue()
        alarm = kind(loop, lambda: rung.put_nowait(perf_counter_ns()))
        for due_ns in (0, -5, perf_counter_ns() - MS):
            alarm.set(due_ns)
            await rung.get()
        alarm.set(perf_counter_ns() + 2 * MS)
        later_ns = perf_counter_ns() + 20 * MS
        alarm.set(later_ns)
        first_ns = await rung.get()
        alarm.set(perf_counter_ns() + MS)
        alarm.close()
        await asyncio.sleep(0.01)
        return later_ns, [first_ns, *(rung.get_nowait() for _ in range(rung.qsize()))]

    later_ns, rings_ns = asyncio.run(run())
    assert len(rings_ns) == 1
    assert rings_ns[0] >= later_ns


def test_linux_has_timerfd() -> None:
    async def name() -> str:
        alarm = make_alarm(asyncio.get_running_loop(), lambda: None)
        alarm.close()
        return alarm.name

    assert asyncio.run(name()) == ("timerfd" if sys.platform == "linux" else "spin")
