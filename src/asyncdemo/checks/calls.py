"""The calls of one function in a run, and the sentences about them.

A method returns the calls, so that sentences can be chained, or raises ``CheckFailed``. How many were at
work at once is counted as everywhere (``metrics.peak``): a call that meets a limit is at work while it
holds a slot, any other from its start to its end.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from asyncdemo.checks.failure import CheckFailed, Evidence
from asyncdemo.checks.moments import Stretch, first_stretch_above
from asyncdemo.checks.words import at, count, length, listed, was
from asyncdemo.metrics.limits import Interval, Meeting, most_at_once
from asyncdemo.model import Clock, Lane, Outcome, Run

__tracebackhide__ = True
"""A failed sentence is the test's: pytest shows the line that said it, not ours."""

__all__ = ["Calls", "Recorded"]

_NO_TIME_NS = 100_000
_MARGIN = 4
"""The stretch that is shown begins and ends this share of its length before and after the fault."""


@dataclass(frozen=True)
class Recorded:
    """A run, its limits as each lane met them, and the sentences about it that held so far."""

    run: Run
    meetings: Sequence[Meeting]
    held: list[str]

    @property
    def zero_ns(self) -> int:
        return min((lane.start_ns for lane in self.run.lanes), default=0)

    @property
    def end_ns(self) -> int:
        return max((lane.end_ns for lane in self.run.lanes), default=0)

    def evidence(self, lanes: Iterable[int], start_ns: int, end_ns: int) -> Evidence | None:
        """The stretch with something before and after it, so that one sees where it lies.

        None if the whole run took no time to speak of: there is nothing to be seen in its picture.
        """
        shown = tuple(sorted(set(lanes)))
        if not shown or self.end_ns - self.zero_ns < _NO_TIME_NS:
            return None
        margin = max((end_ns - start_ns) // _MARGIN, (self.end_ns - self.zero_ns) // 100, 1)
        start_ns, end_ns = max(start_ns - margin, self.zero_ns), min(end_ns + margin, self.end_ns)
        return Evidence(self.run, shown, start_ns, max(end_ns, start_ns + 1))


class Calls:
    """The calls of a function, in order of their start; there may be none."""

    def __init__(self, recorded: Recorded, function: str, nouns: str, indices: Sequence[int]) -> None:
        self._recorded = recorded
        self.function = function
        self._nouns = nouns
        lanes = recorded.run.lanes
        self._indices = tuple(sorted(indices, key=lambda index: (lanes[index].start_ns, index)))

    def __len__(self) -> int:
        return len(self._indices)

    def __repr__(self) -> str:
        return f"<{count(len(self), self._nouns)}>"

    @property
    def indices(self) -> tuple[int, ...]:
        """Where they stand in ``run.lanes``."""
        return self._indices

    @property
    def lanes(self) -> tuple[Lane, ...]:
        return tuple(self._recorded.run.lanes[index] for index in self._indices)

    @property
    def values(self) -> list[Any]:
        """What each returned; None also for what is no plain value (see ``Lane.result``)."""
        return [None if lane.result is None else ast.literal_eval(lane.result) for lane in self.lanes]

    def only(self, *names: str) -> Calls:
        """Those of these names, for a sentence about a part of the calls: ``only("send(1)", "send(2)")``."""
        chosen = [index for index in self._indices if self._recorded.run.lanes[index].name in names]
        return Calls(self._recorded, self.function, self._nouns, chosen)

    # -- how many, and how they ended -----------------------------------------------------------

    def happen(self, times: int) -> Calls:
        """Exactly so many calls."""
        if len(self) != times:
            self._fail(f"There should be {count(times, self._nouns)}; there {was(len(self))} {self._all()}.")
        return self._held(f"There {was(times)} {count(times, self._nouns)}.")

    def happen_at_least(self, times: int) -> Calls:
        if len(self) < times:
            self._fail(
                f"There should be at least {count(times, self._nouns)}; there {was(len(self))} {self._all()}."
            )
        return self._held(f"There {was(len(self))} {count(len(self), self._nouns)}.")

    def are_named(self, names: Sequence[str]) -> Calls:
        """Exactly these calls, in order of their start: ``["brew(1)", "brew(2)"]``."""
        seen = [lane.name for lane in self.lanes]
        if seen != list(names):
            expected = listed(list(names), 10) if names else "none"
            found = listed(seen, 10) if seen else "none"
            self._fail(
                f"The {self._nouns} should be, in order of their start: {expected}. They were: {found}."
            )
        return self._held(f"The {self._nouns} started in this order: {listed(seen, 5) if seen else 'none'}.")

    def all_return(self) -> Calls:
        """None raised, was cancelled or had not ended when the program did."""
        return self._all_end(Outcome.RETURNED, "return", "returned")

    def all_raise(self, error: str | None = None) -> Calls:
        """All raised; with a name, that error, as far as the task that made the call ended with it."""
        self._all_end(Outcome.RAISED, "raise", "raised")
        if error is not None:
            tracks = self._recorded.run.tracks
            for index, lane in zip(self._indices, self.lanes, strict=True):
                seen = tracks[lane.track].error
                if seen is not None and seen != error:
                    self._fail(f"{lane.name} should raise {error}; it raised {seen}.", [index])
        return self

    def all_cancelled(self) -> Calls:
        return self._all_end(Outcome.CANCELLED, "be cancelled", "were cancelled")

    def return_values(self, expected: Sequence[Any]) -> Calls:
        """Results equal, in order of start."""
        for index, lane, value, wanted in zip(self._indices, self.lanes, self.values, expected, strict=False):
            if value != wanted or type(value) is not type(wanted):
                self._fail(f"{lane.name} should return {wanted!r}; it returned {_shown(lane)}.", [index])
        if len(self) != len(expected):
            self.happen(len(expected))
        return self._held(f"{_upper(self._nouns)} returned what they should.")

    def return_values_in_any_order(self, expected: Sequence[Any]) -> Calls:
        """The same results, each as often as expected."""
        seen, wanted = Counter(map(repr, self.values)), Counter(map(repr, expected))
        if seen != wanted:
            missing, surplus = list((wanted - seen).elements()), list((seen - wanted).elements())
            parts = [f"missing: {listed(missing)}"] if missing else []
            parts += [f"not expected: {listed(surplus)}"] if surplus else []
            self._fail(f"The results of the {self._nouns} are not those they should be; {'; '.join(parts)}.")
        return self._held(f"{_upper(self._nouns)} returned what they should.")

    # -- at once --------------------------------------------------------------------------------

    def peak_is(self, limit: int) -> Calls:
        """At work at once: this many were reached, and never exceeded."""
        self.peak_at_most(limit, remember=False)
        self.peak_at_least(limit, remember=False)
        return self._held(f"{_upper(count(limit, self._nouns))} at work at once, and never more.")

    def peak_at_most(self, limit: int, *, remember: bool = True) -> Calls:
        stretch = first_stretch_above(limit, self._at_work)
        if stretch is not None:
            self._fail(
                f"At most {count(limit, self._nouns)} may be at work at once; {stretch.most} were, "
                f"from {self._at(stretch.start_ns)} to {self._at(stretch.end_ns)}.",
                self._during(stretch),
                (stretch.start_ns, stretch.end_ns),
            )
        return (
            self._held(f"Never more than {count(limit, self._nouns)} at work at once.") if remember else self
        )

    def peak_at_least(self, least: int, *, remember: bool = True) -> Calls:
        most = most_at_once(interval for intervals in self._at_work.values() for interval in intervals)
        if most < least:
            self._fail(self._too_few(least, most, "at work"))
        held = f"{_upper(count(most, self._nouns))} at work at once."
        return self._held(held) if remember else self

    def open_at_least(self, least: int) -> Calls:
        """Started and not yet ended at one moment, whether at work or in a queue."""
        most = most_at_once((lane.start_ns, lane.end_ns) for lane in self.lanes)
        if most < least:
            self._fail(self._too_few(least, most, "open"))
        return self._held(f"{_upper(count(most, self._nouns))} open at once.")

    def all_overlap(self) -> Calls:
        """The last start comes before the first end."""
        if len(self) > 1:
            last = self._indices[-1]
            first = min(self._indices, key=lambda index: self._lane(index).end_ns)
            started, ended = self._lane(last), self._lane(first)
            if ended.end_ns <= started.start_ns:
                self._fail(
                    f"All {count(len(self), self._nouns)} should be open at one moment. {ended.name} had "
                    f"ended, at {self._at(ended.end_ns)}, before {started.name} started, at "
                    f"{self._at(started.start_ns)}.",
                )
        return self._held(f"The last of the {self._nouns} started before the first had ended.")

    def never_overlap(self) -> Calls:
        """No two are open at once."""
        latest: int | None = None
        for index in self._indices:
            lane = self._lane(index)
            if latest is not None and lane.start_ns < self._lane(latest).end_ns:
                before = self._lane(latest)
                stop_ns = min(before.end_ns, lane.end_ns)
                self._fail(
                    f"No two {self._nouns} may be open at once; {before.name} and {lane.name} were, "
                    f"from {self._at(lane.start_ns)} to {self._at(stop_ns)}.",
                    [latest, index],
                    (lane.start_ns, stop_ns),
                )
            if latest is None or lane.end_ns > self._lane(latest).end_ns:
                latest = index
        return self._held(f"No two {self._nouns} were open at once.")

    # -- in order -------------------------------------------------------------------------------

    def start_before(self, other: Calls) -> Calls:
        """The last of these starts before the first of the others does."""
        return self._comes_before(other, "start", "started", lambda lane: lane.start_ns)

    def end_before(self, other: Calls) -> Calls:
        """The last of these ends before the first of the others starts."""
        return self._comes_before(other, "end", "ended", lambda lane: lane.end_ns)

    def end_within(self, scope: Calls) -> Calls:
        """Nothing outlives the scope: each call ends before the call of ``scope`` does that it began in."""
        for index in self._indices:
            lane = self._lane(index)
            around = [
                other
                for other in scope.indices
                if self._lane(other).start_ns <= lane.start_ns <= self._lane(other).end_ns and other != index
            ]
            if not around:
                self._fail(
                    f"{lane.name} should run within a call of {scope.function}; it started at "
                    f"{self._at(lane.start_ns)}, when none was open.",
                    [index, *scope.indices],
                )
            outer = self._lane(self._nearest(around, lane))
            if lane.end_ns > outer.end_ns or lane.outcome is Outcome.OPEN:
                how = "never ended" if lane.outcome is Outcome.OPEN else f"ended at {self._at(lane.end_ns)}"
                self._fail(
                    f"No call of {self.function} may outlive {outer.name}. {outer.name} ended at "
                    f"{self._at(outer.end_ns)}; {lane.name}, which had started within it, {how}.",
                    [index, self._nearest(around, lane)],
                )
        return self._held(f"No call of {self.function} outlived the call of {scope.function} it started in.")

    # -- in time --------------------------------------------------------------------------------

    def take_at_most(self, seconds: float) -> Calls:
        """Each single call."""
        for index in self._indices:
            lane = self._lane(index)
            taken_ns = lane.end_ns - lane.start_ns
            if taken_ns > round(seconds * 1e9):
                limit = length(round(seconds * 1e9))
                self._fail(f"{lane.name} may take {limit} at most; it took {length(taken_ns)}.", [index])
        return self._held(f"None of the {self._nouns} took longer than {length(round(seconds * 1e9))}.")

    def take_at_least(self, seconds: float) -> Calls:
        """Each single call: none was cut short or left out its work."""
        for index in self._indices:
            lane = self._lane(index)
            taken_ns = lane.end_ns - lane.start_ns
            if taken_ns < round(seconds * 1e9):
                least = length(round(seconds * 1e9))
                self._fail(f"{lane.name} should take at least {least}; it took {length(taken_ns)}.", [index])
        return self._held(f"Each of the {self._nouns} took at least {length(round(seconds * 1e9))}.")

    def end_by(self, seconds: float) -> Calls:
        """The last end, counted from the start of the run. For virtual time: no machine is that exact."""
        if self._indices:
            last = max(self._indices, key=lambda index: self._lane(index).end_ns)
            lane, limit_ns = self._lane(last), round(seconds * 1e9)
            if lane.end_ns - self._recorded.zero_ns > limit_ns:
                real = "" if self._recorded.run.clock is Clock.VIRTUAL else " (in real time)"
                self._fail(
                    f"{lane.name} should end by {limit_ns / 1e9:.2f} s; it ended at "
                    f"{self._at(lane.end_ns)}{real}.",
                    [last],
                )
        return self._held(f"All of the {self._nouns} ended by {seconds:.2f} s.")

    def largest_gap_at_most(self, seconds: float) -> Calls:
        """Between the starts of successive calls, as of a heartbeat."""
        for before, after in pairwise(self._indices):
            start_ns, stop_ns = self._lane(before).start_ns, self._lane(after).start_ns
            if stop_ns - start_ns > round(seconds * 1e9):
                self._fail(
                    f"Between the starts of two {self._nouns} there may be {length(round(seconds * 1e9))} at "
                    f"most; from {self._at(start_ns)} to {self._at(stop_ns)} there was none, for "
                    f"{length(stop_ns - start_ns)}.",
                    range(len(self._recorded.run.lanes)),
                    (start_ns, stop_ns),
                )
        return self._held(f"Never more than {length(round(seconds * 1e9))} between two {self._nouns}.")

    # -- parts ----------------------------------------------------------------------------------

    @cached_property
    def _at_work(self) -> dict[int, Sequence[Interval]]:
        """Lane -> when it was at work."""
        meetings = self._recorded.meetings
        return {
            index: meetings[index].held if meetings[index].met else [_extent(self._lane(index))]
            for index in self._indices
        }

    def _lane(self, index: int) -> Lane:
        return self._recorded.run.lanes[index]

    def _nearest(self, around: Sequence[int], lane: Lane) -> int:
        """Of the calls that were open when the lane was: one of its own task, or of the task that made it."""
        tracks, track = self._recorded.run.tracks, lane.track
        seen: set[int] = set()
        while track not in seen:
            seen.add(track)
            of_this = [index for index in around if self._lane(index).track == track]
            if of_this:
                return of_this[-1]
            parent = tracks[track].parent
            track = track if parent is None else parent
        return around[-1]

    def _at(self, time_ns: int) -> str:
        return at(time_ns, self._recorded.zero_ns)

    def _all(self) -> str:
        return "none" if not self else str(len(self))

    def _held(self, sentence: str) -> Calls:
        self._recorded.held.append(sentence)
        return self

    def _too_few(self, least: int, most: int, how: str) -> str:
        if most == 0:
            return f"{_upper(count(least, self._nouns))} should be {how} at once; there was none at all."
        return (
            f"{_upper(count(least, self._nouns))} should be {how} at once; there {was(most)} never more "
            f"than {most}."
        )

    def _during(self, stretch: Stretch) -> list[int]:
        return [
            index
            for index, intervals in self._at_work.items()
            if any(start < stretch.end_ns and end > stretch.start_ns for start, end in intervals)
        ]

    def _all_end(self, wanted: Outcome, verb: str, past: str) -> Calls:
        for index, lane in zip(self._indices, self.lanes, strict=True):
            if lane.outcome is not wanted:
                how = _ending(self._recorded.run, lane)
                self._fail(
                    f"{lane.name} should {verb}; it {how}, at {self._at(lane.end_ns)}."
                    if lane.outcome is not Outcome.OPEN
                    else f"{lane.name} should {verb}; it {how}.",
                    [index],
                )
        return self._held(f"All of the {self._nouns} {past}.") if self else self

    def _comes_before(self, other: Calls, verb: str, past: str, moment: Callable[[Lane], int]) -> Calls:
        if self and other:
            last = max(self._indices, key=lambda index: moment(self._lane(index)))
            first = other.indices[0]
            late, early = self._lane(last), self._lane(first)
            if moment(late) > early.start_ns:
                self._fail(
                    f"{late.name} should {verb} before {early.name} starts; it {past} at "
                    f"{self._at(moment(late))}, {early.name} started at {self._at(early.start_ns)}.",
                    [last, first],
                )
        return self._held(f"The {self._nouns} {past} before any of {other.function} started.")

    def _fail(
        self, message: str, lanes: Iterable[int] | None = None, stretch: Interval | None = None
    ) -> None:
        """lanes: those that show it, all by default. stretch: when; by default while these were open."""
        shown = list(self._indices if lanes is None else lanes)
        if not shown:
            raise CheckFailed(message)
        if stretch is None:
            extents = [_extent(self._lane(index)) for index in shown]
            stretch = min(start for start, _ in extents), max(end for _, end in extents)
        raise CheckFailed(message, self._recorded.evidence(shown, *stretch))


def _extent(lane: Lane) -> Interval:
    return lane.start_ns, lane.end_ns


def _ending(run: Run, lane: Lane) -> str:
    if lane.outcome is Outcome.RAISED:
        error = run.tracks[lane.track].error
        return f"raised {error}" if error else "raised an error"
    if lane.outcome is Outcome.CANCELLED:
        return "was cancelled"
    return "had not ended when the program did" if lane.outcome is Outcome.OPEN else "returned"


def _shown(lane: Lane) -> str:
    if lane.outcome is Outcome.RETURNED:
        return lane.result or "something that is no plain value"
    return {Outcome.RAISED: "nothing, it raised", Outcome.CANCELLED: "nothing, it was cancelled"}.get(
        lane.outcome, "nothing, it had not ended"
    )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
