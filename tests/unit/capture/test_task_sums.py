"""Tasks that end soon are told as a sum each: nothing of them is lost or told twice, whoever tells when."""

from __future__ import annotations

import sys
import threading
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.task_sums import TaskSums

YIELD, DONE, SLEEP, FUTURE, QUEUE = wire.WAIT_YIELD, wire.WAIT_DONE, 2, 3, 4
PLAIN = {YIELD: (False, False), DONE: (False, False), SLEEP: (True, False), FUTURE: (True, True)}
MAIN = 0


class Told:
    """What leaves the process."""

    def __init__(self) -> None:
        self.definitions: list[Any] = []
        self.numbers: list[int] = []
        groups = iter(range(10**9))
        self.sums = TaskSums(self.definitions, self.numbers, PLAIN, groups.__next__)

    @property
    def events(self) -> list[tuple[int, ...]]:
        each = iter(self.numbers)
        return list(zip(each, each, each, each, each, each, strict=True))

    @property
    def tracks(self) -> list[int]:
        """Those told whole."""
        return [one[0] for one in self.definitions if type(one) is tuple]

    def live(self, track: int, made_ns: int, steps: list[tuple[int, int, int, int, int]]) -> None:
        """One task from its beginning to its end. steps: (ready_ns, start_ns, end_ns, wait, waker)"""
        self.make(track, made_ns)
        for ready_ns, start_ns, end_ns, wait, waker in steps:
            if wait == DONE:
                self.sums.record((wire.ENDED, track, end_ns, False, 0, 0))
            self.sums.record_step((track, ready_ns, start_ns, end_ns, wait, waker))

    def make(self, track: int, made_ns: int, parent: int | None = MAIN) -> None:
        self.sums.hold(track, f"Task-{track}", "work", 7, 8, parent, made_ns, 1, False)


def begun() -> Told:
    """The longest task there is was told whole."""
    told = Told()
    told.live(1, 0, [(0, 0, 900, SLEEP, MAIN), (5_000, 5_000, 5_900, DONE, wire.BY_TIMER)])
    assert told.tracks == [1]
    told.definitions.clear()
    told.numbers.clear()
    return told


def test_a_task_is_one_event() -> None:
    told = begun()
    told.live(
        2,
        100,
        [(100, 110, 130, YIELD, MAIN), (130, 140, 170, SLEEP, 2), (1170, 1200, 1250, DONE, wire.BY_TIMER)],
    )
    (group,) = told.definitions
    assert group == wire.TaskGroup(group.group, "work", "returned", MAIN, 1, 7)
    steps = 3 << wire.WAITS_SHIFT
    assert told.events == [(wire.TASK_SUMMED, group.group + steps, 100, 1250, 20 + 30 + 50, 1000)]


def test_what_exceeds_all_before_is_told_whole() -> None:
    told = begun()
    told.live(2, 0, [(0, 10, 910, DONE, MAIN)])
    assert told.tracks == []  # as long as the longest step
    told.live(3, 0, [(0, 10, 911, DONE, MAIN)])
    assert told.tracks == [3]
    told.live(4, 0, [(0, 10, 610, YIELD, MAIN), (610, 610, 922, DONE, 4)])
    assert told.tracks == [3, 4], "there is nothing between two steps, so they are one"
    told.live(5, 0, [(0, 10, 610, YIELD, MAIN), (610, 611, 922, DONE, 5)])
    assert told.tracks == [3, 4]
    told.live(6, 0, [(0, 0, 10, SLEEP, MAIN), (7_000, 7_000, 7_010, DONE, wire.BY_TIMER)])
    assert told.tracks == [3, 4, 6]
    told.live(7, 0, [(0, 0, 10, FUTURE, MAIN), (9_000, 9_000, 9_010, DONE, 3)])
    assert told.tracks == [3, 4, 6], "that it waited for another task is no work of its own"
    told.live(8, 0, [(0, 0, 10, FUTURE, MAIN), (9_000, 9_000, 9_010, DONE, wire.BY_IO)])
    assert told.tracks == [3, 4, 6, 8]


def test_whatever_names_a_task_tells_it() -> None:
    told = begun()
    for track in range(2, 12):
        told.make(track, track)
        told.sums.record_step((track, track, 20, 30, YIELD, MAIN))
    sums = told.sums
    sums.define(wire.Wait(9, "task", 2, None, 2, None, None))
    assert told.tracks == [2]
    assert told.definitions.index(next(one for one in told.definitions if one[0] == 2)) == 0, "before that"
    sums.define(wire.Site(1, "file", 1, "f"))
    sums.define(wire.SlowStep(3, 0, 1, None, 0, None, None))
    sums.record((wire.TAKEN, 4, 40, 1, 0, 0))
    sums.record((wire.ITEM_QUEUED, 1, 40, 2, 5, 0))
    sums.record((wire.LEVEL, 6, 40, 7, 0, 0))
    assert told.tracks == [2, 3, 4, 5]
    assert told.events[-1][0] == wire.LEVEL
    told.make(12, 50, parent=6)
    assert told.tracks == [2, 3, 4, 5, 6], "it has made another"
    sums.record_step((7, 50, 50, 60, QUEUE, MAIN))
    assert told.tracks == [2, 3, 4, 5, 6, 7], "it waits for its turn"
    sums.define(wire.End(8, 70, "raised", "ValueError", None, None))
    assert told.tracks == [2, 3, 4, 5, 6, 7, 8]
    sums.define(wire.Pending([9]))
    assert sorted(told.tracks) == list(range(2, 13))
    assert {one[0] for one in told.events if one[0] >= 0} == set(range(2, 12))


def test_a_task_that_goes_on_for_long_is_told() -> None:
    told = begun()
    told.make(2, 0)
    for at_ns in range(0, 1000, 10):
        told.sums.record_step((2, at_ns, at_ns, at_ns + 5, YIELD, 2))
    assert told.tracks == [2]
    assert [one[1] for one in told.events] == list(range(0, 1000, 10))


def test_threads_that_are_interrupted_anywhere_tell_each_task_once_and_in_order() -> None:
    told, count, lanes = begun(), 4_000, 5
    done: list[int] = []

    def work(first: int) -> None:
        at_ns = 1000
        for number in range(0, count, lanes):
            tracks = range(first + number, first + number + lanes)
            for track in tracks:
                told.make(track, at_ns)
            for wait in (YIELD, SLEEP, DONE):
                for track in tracks:
                    at_ns += 10
                    if wait == DONE:
                        told.sums.record((wire.ENDED, track, at_ns, False, 0, 0))
                    told.sums.record_step((track, at_ns, at_ns - 2, at_ns, wait, MAIN))
        done.append(first)

    firsts = (10_000, 20_000, 30_000)
    threads = [threading.Thread(target=work, args=(first,)) for first in firsts]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        while len(done) < len(threads):
            told.sums.report_all()
            told.sums.report(range(20_000, 20_000 + count, 7))
    finally:
        sys.setswitchinterval(before)
        for thread in threads:
            thread.join()
    told.sums.report_all()
    events, whole = told.events, told.tracks
    summed = sum(one[0] == wire.TASK_SUMMED for one in events)
    assert len(whole) == len(set(whole))
    assert len(whole) + summed == count * len(firsts)
    assert whole and summed
    by_track: dict[int, list[int]] = {track: [] for track in whole}
    for tag, *rest in events:
        if tag == wire.ENDED:
            by_track[rest[0]].append(wire.ENDED)
        elif tag >= 0:
            by_track[tag].append(rest[3])
    assert all(waits == [YIELD, SLEEP, wire.ENDED, DONE] for waits in by_track.values())
