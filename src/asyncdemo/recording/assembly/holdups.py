"""Steps that hold up their loops, and what they were doing: known calls, computing, waiting for a thread."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from asyncdemo.capture import wire
from asyncdemo.model import BlockingCall, Site, SlowStep, State, Track, TrackKind
from asyncdemo.recording.assembly.live_feed import LiveFeed
from asyncdemo.recording.assembly.records import Outline
from asyncdemo.recording.assembly.tracks import Tracks

_RECENT = 20
_MOSTLY = 0.5
_HARDLY_STOLEN = 0.75
"""Linux now and then counts nearly all of a sleep as time in which the thread waited for a processor."""


class Holdups:
    def __init__(self, tracks: Tracks, live_feed: LiveFeed) -> None:
        self._tracks = tracks
        self._live_feed = live_feed
        self._slow_steps: defaultdict[int, list[SlowStep]] = defaultdict(list)
        """By process, as the calls."""
        self._blocking_calls: defaultdict[int, list[BlockingCall]] = defaultdict(list)
        self._calls: dict[int, tuple[str, Site | None, Site | None]] = {}
        """Index of a call -> (reason, site, called from)."""
        self._begun: dict[int, SlowStep] = {}
        """The steps that currently block a loop, by their start."""

    def begun(self) -> dict[int | None, SlowStep]:
        """Return track -> the step in which it currently blocks its loop."""
        return {step.track: step for step in self._begun.values()}

    def handle(self, message: wire.HoldupMessage) -> None:
        site = self._tracks.site
        match message:
            case wire.SlowStep(index, start_ns, end_ns, cpu_ns, stolen_ns, place, caller, reason):
                self._begun.pop(start_ns, None)
                track = index if index >= 0 else None
                places = site(place), site(caller)
                step = SlowStep(track, start_ns, end_ns, cpu_ns, stolen_ns, *places, reason)
                self._slow_steps[self._tracks.script.process.number].append(step)
            case wire.Call(call, reason, place, caller):
                self._calls[call] = reason, site(place), site(caller)
            case wire.Blocked():
                self._add_begun(message)
            case _:
                assert_never(message)

    def _add_begun(self, message: wire.Blocked) -> None:
        """Record a step in progress, and who waits for its end: the run may end before it does."""
        index, since_ns, now_ns, site, called_from, reason, starved = message
        recent = self._slow_steps[self._tracks.script.process.number][-_RECENT:]
        if any(step.start_ns == since_ns for step in recent):
            return  # the step ended before this could be reported
        place, caller = self._tracks.site(site), self._tracks.site(called_from)
        known = index if index in self._tracks.records else None
        if known is not None and since_ns not in self._begun:
            self._live_feed.changed(known, since_ns, State.RUNNING, "")
        self._begun[since_ns] = SlowStep(known, since_ns, now_ns, None, 0, place, caller, reason)
        for waiting, ready_ns in starved:
            self._tracks.mark_starved(waiting, ready_ns)
        self._live_feed.blocked(since_ns, now_ns, place, caller)

    def on_called(self, index: int, start_ns: int, end_ns: int, call: int, *_: int) -> None:
        made = BlockingCall(index if index >= 0 else None, start_ns, end_ns, *self._calls[call])
        self._blocking_calls[self._tracks.script.process.number].append(made)

    # -- what a run has of it -------------------------------------------------------------------

    def slow_steps(self, outline: Outline, tracks: Sequence[Track]) -> tuple[SlowStep, ...]:
        """Return the steps and what they were doing: a known call that filled half of it, or computing."""
        over = [
            step
            for process, steps in self._slow_steps.items()
            for step in explain(
                steps,
                self._blocking_calls.get(process, ()),
                [track for track in tracks if track.process == process],
            )
        ]
        going_on = [replace(step, end_ns=outline.end_ns) for step in self._begun.values()]
        return tuple(
            replace(step, track=outline.track(step.track))
            for step in sorted([*over, *going_on], key=lambda step: step.start_ns)
        )

    def blocking_calls(self, outline: Outline) -> tuple[BlockingCall, ...]:
        return tuple(
            replace(call, track=outline.track(call.track))
            for calls in self._blocking_calls.values()
            for call in calls
        )


def explain(
    steps: Sequence[SlowStep], calls: Sequence[BlockingCall], tracks: Sequence[Track]
) -> tuple[SlowStep, ...]:
    """Return the steps with a ``reason``, and with the place of the calls if calls explain them."""
    ordered = sorted(calls, key=lambda call: call.start_ns)
    starts = [call.start_ns for call in ordered]
    threads = [track for track in tracks if track.kind is TrackKind.THREAD]
    return tuple(_explain_step(step, ordered, starts, threads) for step in steps)


def _explain_step(
    step: SlowStep, calls: Sequence[BlockingCall], starts: Sequence[int], threads: Sequence[Track]
) -> SlowStep:
    length = step.end_ns - step.start_ns
    inside: defaultdict[tuple[str, Site | None, Site | None], int] = defaultdict(int)
    for call in calls[bisect_left(starts, step.start_ns) : bisect_right(starts, step.end_ns)]:
        if call.end_ns <= step.end_ns:
            inside[call.reason, call.site, call.called_from] += call.end_ns - call.start_ns
    in_calls = sum(inside.values())
    if in_calls >= _MOSTLY * length > 0:
        reason, site, called_from = max(inside, key=inside.__getitem__)
        stolen_ns = step.stolen_ns
        if stolen_ns > _HARDLY_STOLEN * length:
            stolen_ns = min(stolen_ns, max(length - in_calls, 0))
        return replace(step, reason=reason, site=site, called_from=called_from, stolen_ns=stolen_ns)
    if step.reason or step.cpu_ns is None or step.cpu_ns >= _MOSTLY * step.held_ns:
        return step  # it imported, or computed for most of the time that it had the processor
    computing = any(_running_ns(thread, step) >= _MOSTLY * length for thread in threads)
    return replace(step, reason="gil" if computing else "outside Python")


def _running_ns(thread: Track, step: SlowStep) -> int:
    """Return how long a thread ran during the step; the loop's own counts as waiting for the loop."""
    return sum(
        span.duration_ns
        for span in thread.spans.clip(step.start_ns, step.end_ns)
        if span.state is State.RUNNING
    )
