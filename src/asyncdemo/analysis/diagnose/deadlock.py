"""Which tasks and threads wait for which in a run that did not end, and the cycles among them.

They are stuck if nothing that is left can wake them: the largest set in which all wait only for each other,
or for something held by one that has ended. Waits that anybody could end (an event, an item of a queue) are
in no cycle: it is unknown who would end them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from asyncdemo.analysis.diagnose.finding import Finding, detector, finding
from asyncdemo.analysis.diagnose.waiting import Phrases, join_names, pluralized
from asyncdemo.model import (
    LOOPS,
    MOST_STUCK,
    Holding,
    Outcome,
    ResourceKind,
    Run,
    Site,
    State,
    Stuck,
    Track,
    TrackKind,
)

_AT_A_HOLDER = frozenset({"lock", "semaphore", "connection pool"})
"""Waits that end when one of the holders gives it back."""
_BY_OTHERS = frozenset({"lock", "semaphore"})
"""... or when anybody else does."""
_ANY_OF_THEM = frozenset({"tasks", "executor"})
"""Waits for the first of several."""
_BY_ANYBODY = frozenset(
    {"event", "condition", "barrier", "empty queue", "full queue", "queue.join", "future", "greenlet"}
)
_FindingText = tuple[str, str, Site | None]
"""(message, advice, the line it is about)"""
_MOST_CLAUSES = 6
_MOST_PLACES = 8


@detector(
    "deadlock",
    "threads or tasks wait for each other, or for something that was never given back",
    about_correctness=True,
)
def deadlocks(run: Run) -> Iterator[Finding]:
    """Find cycles, and what was held by a task or thread that ended."""
    graph, phrases = _Graph(run), Phrases(run)
    for cycle in graph.cycles():
        yield finding(*_cycle(run, graph, phrases, cycle))
    for resource, holders in graph.abandoned():
        yield finding(*_abandoned(graph, phrases, resource, holders))


def where_they_wait(run: Run) -> tuple[str, ...]:
    """Return a sentence for each place: who waits there, for what, at which line. Cycles are left out."""
    graph, phrases = _Graph(run), Phrases(run)
    reported = {track for cycle in graph.cycles() for track in cycle}
    groups: defaultdict[str, list[Stuck]] = defaultdict(list)
    for stuck in run.stuck:
        if stuck.track is None or stuck.track not in reported:
            groups[_words(graph, phrases, stuck)].append(stuck)
    sentences = [f"{_clause(phrases, words, together)}." for words, together in groups.items()]
    if not reported and graph.nothing_can_wake:
        sentences.append("No task or thread is left that could wake any of them.")
    more = len(sentences) - _MOST_PLACES
    return (*sentences[:_MOST_PLACES], *([f"And {more} more places."] if more > 0 else []))


def _words(graph: _Graph, phrases: Phrases, one: Stuck, again: Collection[int] = ()) -> str:
    blocker = None if one.track is None else graph.held_up_by(one.track)
    if blocker is not None:
        return f"cannot run, because {phrases.who(blocker)} blocks the event loop"
    return phrases.where(one, again)


def _clause(phrases: Phrases, words: str, together: list[Stuck]) -> str:
    return f"{phrases.names(together)} {words if len(together) == 1 else pluralized(words)}"


class _Graph:
    """Which tasks and threads that have not ended wait for which; tracks by index."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.known = {one.track: one for one in run.stuck if one.track is not None}
        self._holders: defaultdict[int, list[Holding]] = defaultdict(list)
        for holding in run.holdings:
            self._holders[holding.resource].append(holding)
        self._loop_held_by: dict[int, int] = {}
        """Thread -> the task that blocks its event loop with a blocking call."""
        for track, one in self.known.items():
            thread = run.tracks[track].thread
            if one.state is State.RUNNING and one.reason and thread is not None:
                self._loop_held_by[thread] = track

    def holders(self, resource: int | None) -> list[Holding]:
        return [] if resource is None else self._holders[resource]

    def held_up_by(self, track: int) -> int | None:
        """Return the task that blocks the event loop that this task runs on."""
        thread = self._run.tracks[track].thread
        holder = None if thread is None else self._loop_held_by.get(thread)
        return None if holder == track else holder

    def targets(self, track: int) -> list[int]:
        one = self.known[track]
        blocker = self.held_up_by(track)
        targets = [] if blocker is None else [blocker]
        if one.reason in _AT_A_HOLDER:
            targets += [holding.track for holding in self.holders(one.resource)]
        for target in one.on:
            targets += self._stands_for(target)
        return list(dict.fromkeys(targets))

    def _stands_for(self, target: int) -> list[int]:
        """Return the track itself or, for a thread with an event loop, the task that the loop runs for."""
        if target in self.known:
            return [target]
        for span in reversed(self._run.tracks[target].spans[-3:]):
            if span.wait.reason in LOOPS and span.wait.on is not None:
                return [span.wait.on]
        return [target]

    def _stuck(self, *, by_timeout: bool) -> set[int]:
        stuck = set(self.known)
        while leave := {one for one in stuck if self._can_continue(one, stuck, by_timeout=by_timeout)}:
            stuck -= leave
        return stuck

    def stay_stuck(self, tracks: Collection[int]) -> bool:
        """Whether no timeout, no other timer and no other task or thread can end these waits.

        A task may cancel those that it made, waits for, or refers to. What a thread may cancel is unknown,
        and so is who else there is if many are stuck.
        """
        stuck = self._stuck(by_timeout=True)
        others = set() if self.nothing_can_wake else self.known.keys() - stuck
        if len(self._run.stuck) >= MOST_STUCK or self.may_be_given(tracks):
            return False
        if self._kinds(others, TrackKind.THREAD) and self._kinds(tracks, TrackKind.TASK):
            return False
        cancel = {one for other in others for one in (*self.targets(other), *self.known[other].refers_to)}
        cancel |= {track for track in tracks if self._run.tracks[track].parent in others}
        return not self._run.alarms and stuck.issuperset(tracks) and cancel.isdisjoint(tracks)

    def _kinds(self, tracks: Collection[int], kind: TrackKind) -> bool:
        return any(self._run.tracks[track].kind is kind for track in tracks)

    def may_be_given(self, tracks: Collection[int]) -> bool:
        """Whether what any of them waits for may be given back by another task or thread than its holder."""
        waits = (self.known[track] for track in tracks)
        return any(
            one.reason in _BY_OTHERS and self._others_may_give(self.holders(one.resource)) for one in waits
        )

    def _can_continue(
        self, track: int, stuck: Collection[int], *, by_anybody: bool = True, by_timeout: bool = True
    ) -> bool:
        """``by_anybody``: whether something may end a wait that any task or thread could end."""
        one = self.known[track]
        if by_timeout and one.at_most_s is not None:
            return True
        blocker = self.held_up_by(track)
        if blocker is not None and blocker in stuck:
            return False
        if one.state is State.READY or (one.state is State.RUNNING and not one.reason):
            return True
        if one.reason in _AT_A_HOLDER:
            holders = self.holders(one.resource)
            if not holders or any(not self._never_gives(holding, stuck) for holding in holders):
                return True
            return by_anybody and one.reason == "semaphore" and self._others_may_give(holders)
        targets = [target for number in one.on for target in self._stands_for(number)]
        if targets:
            stay = [target in stuck for target in targets]
            return not (all(stay) if one.reason in _ANY_OF_THEM else any(stay))
        return by_anybody or one.reason not in _BY_ANYBODY

    def _never_gives(self, holding: Holding, stuck: Collection[int]) -> bool:
        return holding.track in stuck or self._has_ended(holding.track)

    def _others_may_give(self, holders: Sequence[Holding]) -> bool:
        """Whether a callback or another task or thread may give it back: its holders need no ``with``."""
        return not (self.nothing_can_wake or all(holding.in_block for holding in holders))

    def _has_ended(self, track: int) -> bool:
        return track not in self.known and self._run.tracks[track].outcome is not Outcome.OPEN

    @cached_property
    def nothing_can_wake(self) -> bool:
        """Whether no task or thread can wake those that wait, and no timer or file might."""
        open_ = (track for track in self._run.tracks if track.outcome is Outcome.OPEN and not track.own)
        if any(track.index not in self.known and not _hosts(track) for track in open_):
            return False
        if any(self._can_continue(track, self.known, by_anybody=False) for track in self.known):
            return False
        return self._run.idle and bool(self.known)

    def cycles(self) -> list[list[int]]:
        """Return the stuck tracks that wait, through others, for themselves: each cycle once."""
        stuck = self._stuck(by_timeout=False)
        reach = {track: self._reachable(track, stuck) for track in stuck}
        found: list[list[int]] = []
        for track in sorted(stuck):
            if track in reach[track] and not any(track in cycle for cycle in found):
                found.append(sorted(other for other in reach[track] if track in reach.get(other, ())))
        return found

    def _reachable(self, track: int, stuck: Collection[int]) -> set[int]:
        found: set[int] = set()
        ahead = self.targets(track)
        while ahead:
            target = ahead.pop()
            if target in stuck and target not in found:
                found.add(target)
                ahead += self.targets(target)
        return found

    def abandoned(self) -> Iterator[tuple[int, list[Holding]]]:
        """Yield (resource, holders) if some wait for it and all its holders ended without giving it back."""
        waited = {one.resource for one in self.known.values() if one.reason in _AT_A_HOLDER}
        for resource, holders in self._holders.items():
            gone = [holder for holder in holders if self._has_ended(holder.track)]
            by_others = self._run.resources[
                resource
            ].kind is ResourceKind.SEMAPHORE and self._others_may_give(gone)
            if resource in waited and gone and len(gone) == len(holders) and not by_others:
                yield resource, gone


def _hosts(track: Track) -> bool:
    return any(span.wait.reason in LOOPS for span in track.spans[-3:])


def _cycle(run: Run, graph: _Graph, phrases: Phrases, cycle: list[int]) -> _FindingText:
    wanted = {graph.known[track].resource for track in cycle if graph.known[track].reason in _AT_A_HOLDER}
    groups: defaultdict[str, list[Stuck]] = defaultdict(list)
    for track in cycle:
        one = graph.known[track]
        held = [holding for holding in run.holdings if holding.track == track and holding.resource in wanted]
        words = _words(graph, phrases, one, again={holding.resource for holding in held})
        groups[(phrases.holds(held) + " and " if held else "") + words].append(one)
    clauses = [_clause(phrases, words, together) for words, together in groups.items()]
    more = len(clauses) - _MOST_CLAUSES
    chain = "; ".join(clauses[:_MOST_CLAUSES]) + (f"; and {more} more" if more > 0 else "")
    if graph.stay_stuck(cycle):
        none = "It can never continue." if len(cycle) == 1 else "None of them can ever continue."
    elif len(cycle) == 1:
        none = f"It can't continue {_unless(graph, cycle, 'this wait')}."
    else:
        none = f"None of them can continue {_unless(graph, cycle, 'one of these waits')}."
    return (
        f"Deadlock: {chain}. {none}",
        _advice(run, graph, cycle, wanted),
        next((graph.known[track].site for track in cycle if graph.held_up_by(track) is None), None),
    )


def _unless(graph: _Graph, tracks: Collection[int], wait: str) -> str:
    given = "another task or thread gives a lock back, or " if graph.may_be_given(tracks) else ""
    return f"unless {given}a timeout, a signal or a cancellation ends {wait}"


def _advice(run: Run, graph: _Graph, cycle: list[int], wanted: set[int | None]) -> str:
    reasons = {graph.known[track].reason for track in cycle}
    kinds = {run.resources[resource].kind for resource in wanted if resource is not None}
    blocking = [graph.known[track] for track in cycle if graph.known[track].state is State.RUNNING]
    if any(one.reason == "lock" for one in blocking):
        return (
            "Between tasks, use `asyncio.Lock`: a task that waits for it lets other tasks run, including the "
            "one that holds it."
        )
    if blocking:
        return (
            "Do not block the event loop's thread to wait for something that the loop has to do. Await it, "
            "or wait for it in another thread (`await asyncio.to_thread(...)`)."
        )
    if "executor" in reasons:
        return (
            "A worker must not wait for other work of its own executor: submit that work from outside, or to "
            "another executor."
        )
    if kinds == {ResourceKind.LOCK} and len(wanted) == 1:
        return (
            "Not even its holder can take a `Lock` a second time. Give it back first, or do not take it in a "
            "function that is called while it is held. Between threads, use an `RLock`: its holder can take "
            "it again."
        )
    if kinds == {ResourceKind.LOCK} and reasons == {"lock"}:
        return "Take the locks in the same order everywhere: the holder of the first can then get the second."
    if kinds and kinds <= {ResourceKind.SEMAPHORE, ResourceKind.POOL} and len(wanted) == 1:
        return (
            "Do not ask for a second one while holding one. Do everything with the first (pass it on as an "
            "argument), or give it back before you ask."
        )
    if kinds:
        return "Give back what is held before waiting for a task or thread that needs it."
    return "One of them must not wait for the other."


def _abandoned(graph: _Graph, phrases: Phrases, resource: int, holders: list[Holding]) -> _FindingText:
    waiting = [one for one in graph.known.values() if one.resource == resource and one.reason in _AT_A_HOLDER]
    ended = join_names(list(dict.fromkeys(phrases.who(holding.track) for holding in holders)))
    what = phrases.holds(holders).removeprefix("holds ")
    where = _clause(phrases, phrases.where(waiting[0]), waiting)
    tracks = [one.track for one in waiting if one.track is not None]
    never = "Not" if graph.may_be_given(tracks) else "Never"
    stay = graph.stay_stuck(tracks)
    ever = "can never continue" if stay else f"can't continue {_unless(graph, tracks, 'the wait')}"
    return (
        f"{never} given back: {ended} took {what} and ended without giving it back. {where}, and {ever}.",
        "Take it in a `with` block (or `async with`), which gives it back however the block ends.",
        holders[0].site or waiting[0].site,
    )
