"""What a run shows of tracks: their spans, and lanes with the waits of those that they wait for."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import replace

from asyncdemo.analysis.awaits import function_at, unawaited_call
from asyncdemo.bounded import source_lines
from asyncdemo.model import (
    LOOPS,
    AwaitSequence,
    Clock,
    Lane,
    Site,
    SlowStep,
    Spans,
    State,
    Track,
    TrackKind,
    Unawaited,
    Wait,
    Wakes,
)
from asyncdemo.recording.assembly import sequences
from asyncdemo.recording.assembly.records import Outline, TrackRecord
from asyncdemo.recording.assembly.resources import Item
from asyncdemo.recording.assembly.spans import SpansBuilder, pieces, with_waits
from asyncdemo.recording.assembly.tracks import Tracks

_DEEPEST = 50
"""At most this many waits for each other's tasks are followed."""


class TrackSnapshot:
    def __init__(
        self,
        tracks: Tracks,
        outline: Outline,
        items: Mapping[int, Item],
        begun: Mapping[int | None, SlowStep],
        threshold_ns: int,
    ) -> None:
        """``begun`` has the steps in progress, by track. Threads that only run a loop are hidden.

        ``threshold_ns``: a thread that does other things for less than this only runs a loop.
        """
        self._known = tracks
        self._outline = outline
        self._items = items
        self._begun = begun
        self._threshold_ns = threshold_ns
        self.causes = tracks.causes.renumber(outline)
        self._shown: dict[int, Spans] = {}
        self.tracks = tuple(self._tracks())

    def _tracks(self) -> Iterator[Track]:
        first_task: dict[int, int] = {}
        for index, position in self._outline.tracks.items():
            thread = self._known.records[index].thread
            if thread is not None:
                first_task.setdefault(thread, position)
        parents = self._parents()
        timed = self._known.script.clock is Clock.REAL
        for index, position in self._outline.tracks.items():
            t = self._known.records[index]
            end_ns = self._outline.ends[t.process.number]
            closed_ns = max(t.closed_ns if t.closed_ns is not None else end_ns, t.start_ns)
            yield Track(
                index=position,
                kind=t.kind,
                name=t.name,
                function=t.function,
                start_ns=t.start_ns,
                end_ns=closed_ns,
                outcome=t.outcome,
                spans=self._spans(index, t, closed_ns, first_task.get(index)),
                site=self._known.site(t.site),
                created_at=self._known.site(t.created_at),
                parent=parents.get(index),
                thread=self._outline.track(t.thread),
                steps=t.steps,
                cpu_ns=t.cpu_ns if timed else None,
                error=t.error,
                own=t.own,
                process=t.process.number,
            )

    def _parents(self) -> dict[int, int]:
        """Return track -> index of its creator. A track that would descend from itself has no parent."""
        tracks, order, parents, rooted = (
            self._known.records,
            self._outline.tracks,
            dict[int, int](),
            set[int](),
        )
        for index in order:
            path: list[int] = []
            at: int | None = index
            while at is not None and at in order and at not in rooted:
                rooted.add(at)
                path.append(at)
                at = tracks[at].parent
            circle = at in path
            for child in path[:-1] if circle else path:
                parent = tracks[child].parent
                if parent is not None and parent in order:
                    parents[child] = order[parent]
        return parents

    def _spans(self, index: int, track: TrackRecord, end_ns: int, first_task: int | None) -> Spans:
        spans = self._with_current_step(index, track.spans).build(end_ns, self.causes.table)
        if track.off_cpu:
            spans = with_waits(spans, track.off_cpu)
        if track.waits_for_items:
            spans = self._split_at_item_start(spans)
        if track.hosts_loop:
            named = {
                self.causes.index(Wait(loop)): self.causes.index(Wait(loop, on=first_task)) for loop in LOOPS
            }
            spans = _replace_causes(spans, named)
        return spans

    def _with_current_step(self, index: int, spans: SpansBuilder) -> SpansBuilder:
        """Return its spans with the step that has begun, or with its being ready."""
        step, starved = self._begun.get(index), self._known.starved
        if step is None and index not in starved:
            return spans
        spans = spans.copy()
        if index in starved:
            spans.add(starved[index], State.READY)
        if step is not None:
            spans.add(step.start_ns, State.RUNNING)
        return spans

    def _split_at_item_start(self, spans: Spans) -> Spans:
        """Turn waiting for a work item into queueing until a worker takes it."""
        builder = SpansBuilder()
        for start_ns, stop_ns, state, wait in pieces(spans):
            item = self._items.get(self._known.item_waits.get(wait, -1))
            if item is None:
                builder.add(start_ns, state, wait)
                continue
            started_ns = item.started_ns if item.started_ns is not None else stop_ns
            site = self.causes[wait].site
            if started_ns > start_ns:
                place = self._outline.resource(item.resource)
                queued = self.causes.index(Wait("executor", resource=place, site=site))
                builder.add(start_ns, State.QUEUED, queued)
            if started_ns < stop_ns:
                done = self.causes.index(Wait("thread", site=site))
                builder.add(max(start_ns, started_ns), State.WAITING, done)
        return builder.build(spans.columns[-1], self.causes.table)

    # -- lanes ----------------------------------------------------------------------------------

    def lanes(self) -> tuple[Lane, ...]:
        return tuple(self._named_lanes() if self._known.named else self._track_lanes())

    def _track_lanes(self) -> Iterator[Lane]:
        for track, index in zip(self.tracks, self._outline.tracks, strict=True):
            record = self._known.records[index]
            if not (record.own or (record.hosts_loop and self._only_hosts(track))):
                yield Lane(
                    name=record.label,
                    track=track.index,
                    start_ns=track.start_ns,
                    end_ns=track.end_ns,
                    outcome=track.outcome,
                    spans=self.shown(track.index),
                    function=track.function,
                    error=track.error,
                )

    def _only_hosts(self, track: Track) -> bool:
        """Return whether the thread did hardly anything but run an event loop."""
        outside = sum(
            span.duration_ns
            for span in track.spans
            if span.wait.reason not in LOOPS and span.state not in (State.READY, State.UNKNOWN)
        )
        return outside < self._threshold_ns

    def _named_lanes(self) -> Iterator[Lane]:
        for opened in sorted(self._known.lanes.values(), key=lambda lane: lane.start_ns):
            position = self._outline.track(opened.track)
            if position is None:
                continue
            end_ns = opened.end_ns if opened.end_ns is not None else self.tracks[position].end_ns
            end_ns = max(end_ns, opened.start_ns)
            yield Lane(
                name=opened.name,
                track=position,
                start_ns=opened.start_ns,
                end_ns=end_ns,
                outcome=opened.outcome,
                # An abandoned generator outlives its task until another task closes it.
                spans=self.shown(position).clip(opened.start_ns, end_ns).waiting_until(end_ns),
                function=opened.function,
                result=opened.result,
                error=opened.error,
            )

    def shown(self, position: int, depth: int = 0) -> Spans:
        """Return a track's spans, with the states of its own child instead of waiting for it."""
        known = self._shown.get(position)
        if known is not None:
            return known
        spans = self.tracks[position].spans
        _, _, waits, end_ns = spans.columns
        children = {
            wait: child
            for wait in set(waits)
            if self.causes[wait].reason == "task"
            and (child := self.causes[wait].on) is not None
            and self.tracks[child].parent == position
        }
        if children and depth < _DEEPEST:
            builder = SpansBuilder()
            for start_ns, stop_ns, state, wait in pieces(spans):
                builder.add(start_ns, state, wait)
                if wait not in children or state != State.WAITING:
                    continue
                child = children[wait]
                borrowed = self.shown(child, depth + 1).clip(start_ns, stop_ns)
                for span in borrowed:
                    via = self.causes.index(replace(span.wait, via=child))
                    builder.add(span.start_ns, span.state, via)
                if len(borrowed) and borrowed[-1].end_ns < stop_ns:
                    builder.add(borrowed[-1].end_ns, State.WAITING, wait)
            spans = builder.build(end_ns, self.causes.table)
        self._shown[position] = spans
        return spans

    # -- the rest -------------------------------------------------------------------------------

    def wakes(self) -> Wakes:
        wakes, order = Wakes(), self._outline.tracks
        for wake in self._known.wakes:
            waker, woken = order.get(wake.waker), order.get(wake.woken)
            if waker is not None and woken is not None:
                wakes.add(wake.at_ns, waker, woken)
        return wakes

    def await_sequences(self) -> tuple[AwaitSequence, ...]:
        order = self._outline.tracks
        pauses = [
            replace(pause, track=order[pause.track]) for pause in self._known.pauses if pause.track in order
        ]
        # As shown: on Python 3.11, ``wait_for`` waits in its own task.
        return sequences.find(pauses, {pause.track: self.shown(pause.track) for pause in pauses})

    def unawaited(self) -> tuple[Unawaited, ...]:
        return tuple(_at_call_line(*unawaited) for unawaited in self._known.unawaited)

    def left_pending(self) -> tuple[int, ...]:
        """Return the script's tasks that were not done when their loop's main task was."""
        return tuple(
            place
            for index, place in self._outline.tracks.items()
            for track in (self._known.records[index],)
            if not track.own and (index in self._known.pending or _is_unclosed(track))
        )


def _is_unclosed(track: TrackRecord) -> bool:
    return track.process.finished and track.kind is TrackKind.TASK and track.closed_ns is None


def _at_call_line(unawaited: Unawaited, is_there: bool) -> Unawaited:
    """Replace the line that dropped the coroutine, or called what did, by the line of the call, if known."""
    site = unawaited.site
    if site is None:
        return unawaited
    source = "".join(source_lines(site.file))
    line = unawaited_call(source, unawaited.function, site.line if is_there else None)
    if line is None and source:
        return replace(unawaited, site=None)
    if line is None or line == site.line:
        return unawaited
    return replace(unawaited, site=Site(site.file, line, function_at(source, line)))


def _replace_causes(spans: Spans, changes: dict[int, int]) -> Spans:
    starts, states, waits, end_ns = spans.columns
    changed = array("i", (changes.get(wait, wait) for wait in waits))
    return Spans(starts, states, changed, end_ns, spans.causes)
