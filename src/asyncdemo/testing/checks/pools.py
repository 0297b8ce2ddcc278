"""Sentences about connection pools: how many there were, how they were used, and how they ended.

A program with several processes has a pool in each; numbers apply to each process.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NoReturn, Self

from asyncdemo.analysis.metrics.limits import Interval, most_at_once
from asyncdemo.analysis.metrics.pools import leaked
from asyncdemo.model import Connection, Resource, Slot
from asyncdemo.testing.checks.endings import Group
from asyncdemo.testing.checks.observation import CheckFailed, Observation, Sentences, first_stretch_above
from asyncdemo.testing.checks.words import count, join_names, place, upper, was

_SAID_WITH_A_VOWEL = re.compile(r"[aeio]|[fhlmnrsx]\d")
"""At its beginning, a letter before a figure is said by its name: an s3 client."""

__tracebackhide__ = True
"""pytest shows the line of the test that failed, not ours."""


class Pools(Sentences):
    """Some pools of a run. Made by ``Seen.pool`` and ``Seen.pools``.

    A method is a sentence: it returns the pools, or raises ``CheckFailed``. A sentence about held connections
    fails if none ever was: a program that never asks for one would meet any limit.
    """

    def __init__(self, observation: Observation, name: str, pools: Sequence[Resource]) -> None:
        """Made by ``Seen.pool`` and ``Seen.pools``.

        Args:
            observation: The observed run.
            name: The kind of pools: "redis", "s3", "asyncpg", ...; "" for all pools of the run.
            pools: The pools.
        """
        self._observation = observation
        self._name = name
        self._pools = tuple(pools)

    def __len__(self) -> int:
        return len(self._pools)

    @property
    def resources(self) -> tuple[Resource, ...]:
        """The pools themselves, in order of creation."""
        return self._pools

    @property
    def connections(self) -> tuple[Connection, ...]:
        """All connections that were ever opened."""
        return tuple(connection for pool in self._pools for connection in pool.connections)

    # -- how many -------------------------------------------------------------------------------

    def made_once_per_process(self) -> Self:
        """Assert that each process that has a pool has only one, not one for each call."""
        self._there_are_some()
        self._one_in_each()
        return self._held(f"{upper(self._one())} was made, and shared.")

    def opened_at_most(self, most: int) -> Self:
        """Assert that at most this many were opened in the whole run; reopened ones count again."""
        self._something_was_held()
        for pools in self._by_process():
            opened = sum(len(pool.connections) for pool in pools)
            if opened > most:
                self._fail(
                    f"At most {self._counted(most)} should be opened; {opened} were.",
                    self._tracks(pools),
                )
        return self._held(f"Never more than {self._counted(most)} were opened.")

    def opened_and_closed_once_per_process(self) -> Self:
        """Assert that each process has one pool, whose connections were used, and which was closed.

        So were all its connections: it does not hold if a server closed them, but not the pool.
        """
        self._something_was_held()
        self._one_in_each()
        unclosed = [pool for pool in self._pools if not _is_closed(pool)]
        if unclosed:
            number = f"{len(unclosed)} of {len(self)} {was(len(unclosed))}" if len(self) > 1 else "it was"
            self._fail(
                f"{upper(self._one())} should be closed at the end; {number} not.", self._tracks(unclosed)
            )
        left = [
            connection
            for connection in self.connections
            if connection.closed_ns is None or connection.dropped
        ]
        if left:
            self._fail(
                f"Every {_singular(self._connections)} should be closed at the end; {len(left)} of "
                f"{len(self.connections)} {was(len(left))} not.",
                self._tracks(self._pools),
            )
        return self._held(f"{upper(self._one())} was made, shared, and closed at the end.")

    # -- use ------------------------------------------------------------------------------------

    def held_exactly(self, most: int) -> Self:
        """Assert that this many were in use at the same time in some process, and never more."""
        self._something_was_held()
        self._never_more(most)
        reached = max(
            most_at_once((slot.start_ns, slot.end_ns) for pool in pools for slot in pool.slots)
            for pools in self._by_process()
        )
        if reached < most:
            self._fail(
                f"{upper(self._counted(most))} should be held at the same time; "
                f"there {was(reached)} never "
                f"more than {reached}.",
                self._tracks(self._pools),
            )
        return self._held(f"{upper(self._counted(most))} were held at the same time, and never more.")

    def no_task_holds_two(self) -> Self:
        """Assert that no task or thread held a second connection while it had one."""
        self._something_was_held()
        for pools in self._by_process():
            slots: defaultdict[int, list[Slot]] = defaultdict(list)
            for pool in pools:
                for slot in pool.slots:
                    slots[slot.track].append(slot)
            for track, held in slots.items():
                for first, second in pairwise(sorted(held, key=lambda slot: slot.start_ns)):
                    if second.start_ns < first.end_ns:
                        self._fail(
                            f"Nobody should hold two {self._connections} at the same time; "
                            f"{self._who(track, second)} "
                            f"took a second one at {self._at(second.start_ns)}.",
                            [track],
                            (first.start_ns, second.end_ns),
                        )
        return self._held(f"Nobody held two {self._connections} at the same time.")

    def held_in_each(self, calls: Group) -> Self:
        """Assert that during each of the calls, its own task or thread held a connection for some time.

        A pool that was only created, or used once for show, would serve nobody.
        """
        self._something_was_held()
        if not len(calls):
            self._fail(f"There should be calls of {calls.function}; there were none.", ())
        slots = [slot for pool in self._pools for slot in pool.slots]
        without = [
            lane
            for lane in calls.lanes
            if not any(
                slot.track == lane.track and max(slot.start_ns, lane.start_ns) < min(slot.end_ns, lane.end_ns)
                for slot in slots
            )
        ]
        if without:
            names = join_names([lane.name for lane in without])
            self._fail(
                f"Each call of {calls.function} should use {_article(self._connections)}; {names} did not.",
                [lane.track for lane in without],
            )
        return self._held(f"Each call of {calls.function} used {_article(self._connections)}.")

    def none_leaked(self) -> Self:
        """Assert that every task or thread that held a connection returned it before it ended."""
        self._something_was_held()
        lost = [use for pool in self._pools for _, use in leaked(self._observation.run, pool)]
        if lost:
            names = list(dict.fromkeys(self._who(use.track, use) for use in lost))
            self._fail(
                f"Every {_singular(self._connections)} should be given back; {len(lost)} {was(len(lost))} "
                f"not, held by {join_names(names)}.",
                [use.track for use in lost],
            )
        return self._held(f"Every {_singular(self._connections)} was given back.")

    # -- parts ----------------------------------------------------------------------------------

    @property
    def _connections(self) -> str:
        return f"{self._name} connections".strip()

    def _counted(self, number: int) -> str:
        """Like ``count``, which takes the first word for the noun."""
        return f"1 {_singular(self._connections)}" if number == 1 else count(number, self._connections)

    def _one(self) -> str:
        """Return, for example, "one redis pool" or "one s3 client in each process"."""
        several = len({pool.process for pool in self._pools}) > 1
        return f"one {self._name} pool".replace("  ", " ") + (" in each process" if several else "")

    def _one_in_each(self) -> None:
        for pools in self._by_process():
            if len(pools) > 1:
                lines = list(dict.fromkeys(place(pool.site) for pool in pools if pool.site))
                self._fail(
                    f"{upper(self._one())} should be made, and shared; {len(pools)} were"
                    + (f", at {join_names(lines)}." if lines else "."),
                    self._tracks(pools),
                )

    def _never_more(self, most: int) -> None:
        for pools in self._by_process():
            held = [(slot.start_ns, slot.end_ns) for pool in pools for slot in pool.slots]
            stretch = first_stretch_above(most, held)
            if stretch is not None:
                self._fail(
                    f"At most {self._counted(most)} may be held at the same time; "
                    f"{stretch.most} were, "
                    f"from {self._at(stretch.start_ns)} to {self._at(stretch.end_ns)}.",
                    self._tracks(pools),
                    (stretch.start_ns, stretch.end_ns),
                )

    def _by_process(self) -> list[list[Resource]]:
        groups: defaultdict[int, list[Resource]] = defaultdict(list)
        for pool in self._pools:
            groups[pool.process].append(pool)
        return [groups[process] for process in sorted(groups)]

    def _tracks(self, pools: Iterable[Resource]) -> set[int]:
        return {slot.track for pool in pools for slot in pool.slots}

    def _there_are_some(self) -> None:
        if not self._pools:
            self._fail(f"There should be {_article(f'{self._name} pools'.strip())}; none was made.", ())

    def _something_was_held(self) -> None:
        self._there_are_some()
        if not any(pool.slots for pool in self._pools):
            self._fail(f"{upper(self._connections)} should be used; none ever was.", ())

    def _who(self, track: int, slot: Slot) -> str:
        """Return the innermost open call on the track when the slot began, or else what the track runs."""
        run = self._observation.run
        calls = [
            lane for lane in run.lanes if lane.track == track and lane.start_ns <= slot.start_ns < lane.end_ns
        ]
        if calls:
            return max(calls, key=lambda lane: lane.start_ns).name
        return run.tracks[track].function or run.tracks[track].name

    def _fail(self, message: str, tracks: Iterable[int], stretch: Interval | None = None) -> NoReturn:
        """``tracks`` have the lanes that show it. ``stretch`` is when; by default, while these were open."""
        wanted, run = set(tracks), self._observation.run
        lanes = [index for index, lane in enumerate(run.lanes) if lane.track in wanted]
        if stretch is not None:
            start_ns, end_ns = stretch
            meanwhile = [
                i for i in lanes if run.lanes[i].start_ns < end_ns and run.lanes[i].end_ns > start_ns
            ]
            lanes = meanwhile or lanes
        raise CheckFailed(message, self._observation.evidence(lanes, stretch))


def _is_closed(pool: Resource) -> bool:
    """Return whether it was closed for good: some can be closed and used again."""
    last_ns = max((connection.opened_ns for connection in pool.connections), default=0)
    return pool.closed_ns is not None and pool.closed_ns >= last_ns


def _singular(plural: str) -> str:
    return plural.removesuffix("s")


def _article(plural: str) -> str:
    noun = _singular(plural)
    return f"an {noun}" if _SAID_WITH_A_VOWEL.match(noun) else f"a {noun}"
