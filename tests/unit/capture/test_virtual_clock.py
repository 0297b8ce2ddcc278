"""How the virtual clock moves while a loop never waits."""

from __future__ import annotations

import asyncio

from asyncdemo.capture.loops.virtual_clock import VirtualClock

MS = 1_000_000


def clock_after(turns: int) -> VirtualClock:
    clock = VirtualClock(lambda _: None, lambda: None)
    for _ in range(turns):
        clock.turn()
    return clock


def passed_ns(turns: int) -> int:
    return clock_after(turns).now_ns() - clock_after(0).now_ns()


def test_loop_that_spins_reaches_its_next_timer() -> None:
    assert passed_ns(1_000) == 0
    assert passed_ns(10_000) < 50 * MS
    assert passed_ns(60_000) > 1_000 * MS


def test_work_without_timers_takes_no_time() -> None:
    async def passed_without_timers_ns() -> int:
        return passed_ns(60_000)

    assert asyncio.run(passed_without_timers_ns()) == 0


def test_wait_ends_a_spin() -> None:
    clock = clock_after(60_000)
    clock.jump(1)
    before_ns = clock.now_ns()
    clock.turn()
    assert clock.now_ns() == before_ns
