"""Steps that come too fast are summed up: exactly, in their order, and within a bound of memory."""

from __future__ import annotations

import socket
import sys
import threading
from collections import Counter

import pytest

from asyncdemo.capture import recorder as recorders
from asyncdemo.capture import wire
from asyncdemo.capture.outbox import sender
from asyncdemo.capture.recorder import Origins, Recorder
from asyncdemo.capture.sums import Event, StepSums

SLOW_NS = 1_000


def summing(numbers: list[int]) -> StepSums:
    sums = StepSums(numbers.extend, SLOW_NS)
    sums.active = True
    sums.longest_ns = SLOW_NS
    return sums


def events(numbers: list[int]) -> list[tuple[int, ...]]:
    return list(wire.events(wire.numbers_frame(numbers)[5:]))


def step(track: int, at_ns: int, wait: int = wire.WAIT_YIELD, *, ready_ns: int = 0, ran_ns: int = 3) -> Event:
    return track, ready_ns or at_ns, at_ns, at_ns + ran_ns, wait, track


def steps_told(told: list[tuple[int, ...]]) -> Counter[int]:
    """How many of each track."""
    steps = Counter[int]()
    for tag, *rest in told:
        if tag >= 0:
            steps[tag] += 1
        elif tag == wire.SUMMED:
            steps[rest[0] % (1 << wire.WAITS_SHIFT)] += rest[2]
    return steps


def test_between_two_steps_that_are_told_alone_there_is_one_sum() -> None:
    numbers: list[int] = []
    sums = summing(numbers)
    for at_ns in range(0, 100, 10):
        sums.record(step(7, at_ns, ready_ns=max(at_ns - 2, 1)))
    sums.record(step(7, 100, wire.WAIT_DONE))
    first, total, waited, last = events(numbers)
    assert first == step(7, 0, ready_ns=1)
    assert total == (wire.SUMMED, 7 + (1 << wire.WAITS_SHIFT), 93, 9, 27, wire.WAIT_YIELD)
    assert waited == (wire.WAITED, 7, wire.WAIT_YIELD, 7, 9 * 5, 0)
    assert last == step(7, 100, wire.WAIT_DONE)
    assert len(sums) == 0


def test_what_means_something_by_itself_is_told_alone() -> None:
    numbers: list[int] = []
    sums = summing(numbers)
    sums.plain_waits |= {5, 6}
    sums.threads.add(9)
    queued = 8
    by_thread = (1, 2060, 2060, 2061, 5, 9)
    alone = [step(1, 20, ran_ns=SLOW_NS + 1), step(1, 2000, queued), step(1, 2010, 6), by_thread]
    for one in (step(1, 0), step(1, 10), *alone[:3], step(1, 2020, 5), by_thread):
        sums.record(one)
    told = events(numbers)
    assert [one for one in alone if one in told] == alone
    assert steps_told(told)[1] == 7


def test_after_it_was_settled_the_next_step_is_told_alone() -> None:
    numbers: list[int] = []
    sums = summing(numbers)
    for at_ns in range(0, 50, 10):
        sums.record(step(1, at_ns))
    sums.settle(1)
    sums.settle(2)
    assert steps_told(events(numbers)) == {1: 5}
    sums.record(step(1, 50))
    assert events(numbers)[-1] == step(1, 50)


def test_the_longest_step_is_told_alone() -> None:
    numbers: list[int] = []
    sums = summing(numbers)
    sums.longest_ns = 0
    lengths = [5, 3, 9, 9, 4, 12, 1]
    for place, ran_ns in enumerate(lengths):
        sums.record(step(1, place * 100, ran_ns=ran_ns))
    assert (1, 500, 500, 512, wire.WAIT_YIELD, 1) in events(numbers)


def test_no_longer_active_it_completes_what_was_begun() -> None:
    numbers: list[int] = []
    sums = summing(numbers)
    for at_ns in (0, 10, 20):
        sums.record(step(1, at_ns))
    sums.active = False
    sums.record(step(1, 30))
    assert sums.report() == 3
    sums.record(step(1, 40))
    sums.record(step(1, 50))
    assert [one[0] for one in events(numbers)] == [1, wire.SUMMED, wire.WAITED, 1, 1]


def test_what_waits_in_ever_more_ways_is_told_sooner() -> None:
    numbers: list[int] = []
    sums = summing(numbers)
    sums.plain_waits |= set(range(10_000))
    for number in range(2, 1000):
        sums.record(step(1, number * 100, number, ready_ns=number * 100 - 10))
    sums.report()
    told = events(numbers)
    assert steps_told(told)[1] == 998
    waits = Counter(one[0] for one in told)
    assert waits[wire.SUMMED] > 10 and waits[wire.WAITED] < 998


def test_steps_of_threads_that_are_interrupted_anywhere_are_all_told_in_order() -> None:
    numbers: list[int] = []
    sums = summing(numbers)
    done: list[int] = []
    count, lanes = 20_000, 5

    def work(first: int) -> None:
        for number in range(count):
            track = first + number % lanes
            at_ns = 1000 + number * 10
            sums.record(step(track, at_ns, ready_ns=at_ns - (number // lanes) % 3))
            if number % 1000 < lanes:
                sums.settle(track)
        done.append(first)

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 100, 200)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        while len(done) < len(threads):
            sums.report()
    finally:
        sys.setswitchinterval(before)
        for thread in threads:
            thread.join()
    sums.report()
    told = events(numbers)
    expected = {first + lane: count // lanes for first in (0, 100, 200) for lane in range(lanes)}
    assert steps_told(told) == expected
    ends: dict[int, int] = {}
    for tag, *rest in told:
        if tag >= 0 or (tag == wire.SUMMED and rest[2]):
            track, end = (tag, rest[2]) if tag >= 0 else (rest[0] % (1 << wire.WAITS_SHIFT), rest[1])
            assert end > ends.get(track, 0)
            ends[track] = end


def test_what_is_kept_is_bounded_though_nobody_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted are bytes that are packed, numbers that are not, and sums."""
    bound, turn, tracks = 1 << 20, 5_000, 500
    monkeypatch.setattr(recorders, "MOST_UNSENT", bound)
    ours, theirs = socket.socketpair()
    recorder = Recorder(Origins(()), slow_ns=10**9)
    recorder.connect(sender(ours))
    used: list[int] = []
    recorded = 0
    for number in range(60):
        for place in range(turn):
            recorder.record_step(step(place % tracks, number * turn * 10 + place * 10 + 1))
        recorded += turn
        recorder.pack()
        recorder.offer(lambda: None)
        sums = sum(len(total) for total in recorder.sums._open.values())
        used.append(recorder._unsent + 8 * (len(recorder.numbers) + sums))
    a_turn = 8 * wire.STEP_SIZE * turn
    assert max(used) < bound + 2 * a_turn
    assert used[-1] - used[20] < bound / 2, "it does not go on growing"

    told: list[int] = []
    reader = wire.FrameReader()

    def take() -> None:
        while data := theirs.recv(1 << 16):
            for kind, payload in reader.feed(data):
                told.extend(number for one in wire.events(payload) for number in one if kind == wire.NUMBERS)

    taking = threading.Thread(target=take)
    taking.start()
    recorder.flush()
    ours.close()
    taking.join()
    theirs.close()
    assert steps_told(events(told)).total() == recorded
