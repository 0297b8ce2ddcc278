"""Make a ``Run`` of what is known so far.

Longer than most: a ``Run`` has many fields, and each is made here, once.
"""

from __future__ import annotations

import linecache
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from asyncdemo.analysis.awaits import assigned_names, function_at, unawaited_call
from asyncdemo.model import (
    LOOPS,
    AwaitSequence,
    BlockingCall,
    Clock,
    Connection,
    Holding,
    Lane,
    Request,
    Resource,
    Run,
    RunOutcome,
    Site,
    Slot,
    SlowStep,
    Spans,
    State,
    Stuck,
    Track,
    Unawaited,
    Wait,
    Wakes,
)
from asyncdemo.recording.assembly import sequences, standstill
from asyncdemo.recording.assembly.explanations import explain
from asyncdemo.recording.assembly.ledger import Ledger
from asyncdemo.recording.assembly.off_cpu import with_waits
from asyncdemo.recording.assembly.records import Held, Item, ResourceRecord
from asyncdemo.recording.assembly.requests import Handler, compose
from asyncdemo.recording.assembly.spans import SpansBuilder
from asyncdemo.recording.assembly.state import AssemblyState


def snapshot(
    state: AssemblyState,
    *,
    name: str,
    script: str,
    argv: Sequence[str],
    outcome: RunOutcome,
    exit_code: int | None,
) -> Run:
    ledger, summing = state.ledger, state.summing
    builder = _Builder(ledger, state.threshold_ns)
    tracks = builder.tracks()
    stuck, holdings = builder.standstill()
    return Run(
        name=name,
        script=script,
        argv=tuple(argv),
        python=ledger.python,
        clock=ledger.clock,
        outcome=outcome,
        exit_code=exit_code,
        threshold_ns=state.threshold_ns,
        tracks=tracks,
        lanes=builder.named_lanes(tracks) if state.named else builder.track_lanes(tracks),
        named=state.named,
        knobs=dict(ledger.knobs),
        resources=builder.resources(),
        wakes=builder.wakes(),
        slow_steps=builder.slow_steps(tracks),
        blocking_calls=builder.blocking_calls(),
        await_sequences=builder.await_sequences(tracks),
        unawaited=tuple(_at_its_call(one) for one in ledger.unawaited),
        uncaught=tuple(ledger.uncaught),
        left_pending=builder.left_pending(),
        stuck=stuck,
        holdings=holdings,
        idle=bool(stuck) and all(ledger.idle.get(number) for number in ledger.stuck),
        result=ledger.result,
        notes=(
            *ledger.notes,
            *_forks(ledger),
            *(() if summing is None else summing.words()),
            *state.coarsening.words(min((track.start_ns for track in tracks), default=0)),
        ),
        requests=builder.requests(tracks),
        memory=ledger.memory_while_it_ran(),
        processes=len(ledger.processes),
        summed=() if summing is None else summing.build(ledger.in_order()),
        delays=tuple(ledger.delays),
    )


class _Builder:
    """One snapshot, which turns the growing columns into the parts of a ``Run``."""

    def __init__(self, ledger: Ledger, threshold_ns: int) -> None:
        self._ledger = ledger
        self._threshold_ns = threshold_ns
        self._order = ledger.in_order()
        self._ends = ledger.ends()
        self._end_ns = max(self._ends.values())
        self._resources = {index: place for place, index in enumerate(sorted(ledger.resources))}
        self._causes = ledger.causes.renumbered(self._order, self._resources)
        self._items = {index: replace(item) for index, item in ledger.items.items()}
        self._begun = {step.track: step.start_ns for step in ledger.begun.values()}
        self._shown_spans: dict[int, Spans] = {}

    # -- tracks and lanes -----------------------------------------------------------------------

    def tracks(self) -> tuple[Track, ...]:
        ledger = self._ledger
        first_task: dict[int, int] = {}
        parents = self._parents()
        for index in self._order:
            thread = ledger.tracks[index].thread
            if thread is not None:
                first_task.setdefault(thread, self._order[index])
        self._start_process_items()
        built = []
        for index, position in self._order.items():
            t = ledger.tracks[index]
            end_ns = self._ends[t.process.number]
            closed_ns = max(t.closed_ns if t.closed_ns is not None else end_ns, t.start_ns)
            spans = self._with_what_goes_on(index, t.spans).build(closed_ns, self._causes.table)
            if t.off_cpu:
                spans = with_waits(spans, t.off_cpu)
            if t.waits_for_items:
                spans = self._split_at_item_start(spans)
            if t.hosts_loop:
                first = first_task.get(index)
                named = {
                    self._causes.index(Wait(loop)): self._causes.index(Wait(loop, on=first)) for loop in LOOPS
                }
                spans = _recaused(spans, named)
            built.append(
                Track(
                    index=position,
                    kind=t.kind,
                    name=t.name,
                    function=t.function,
                    start_ns=t.start_ns,
                    end_ns=closed_ns,
                    outcome=t.outcome,
                    spans=spans,
                    site=ledger.site(t.site),
                    created_at=ledger.site(t.created_at),
                    parent=parents.get(index),
                    thread=None if t.thread is None else self._order.get(t.thread),
                    steps=t.steps,
                    cpu_ns=t.cpu_ns if ledger.clock is Clock.REAL else None,
                    error=t.error,
                    own=t.own,
                    process=t.process.number,
                    coarse=t.spans.coarse,
                )
            )
        return tuple(built)

    def _parents(self) -> dict[int, int]:
        """Return track -> index of its creator. A track that would descend from itself has no parent."""
        tracks, parents, rooted = self._ledger.tracks, dict[int, int](), set[int]()
        for index in self._order:
            path: list[int] = []
            at: int | None = index
            while at is not None and at in self._order and at not in rooted:
                rooted.add(at)
                path.append(at)
                at = tracks[at].parent
            circle = at in path
            for child in path[:-1] if circle else path:
                parent = tracks[child].parent
                if parent is not None and parent in self._order:
                    parents[child] = self._order[parent]
        return parents

    def _with_what_goes_on(self, index: int, spans: SpansBuilder) -> SpansBuilder:
        """Return its spans with the step that has begun, or with its being ready."""
        ledger = self._ledger
        begun_ns = self._begun.get(index)
        if begun_ns is None and index not in ledger.starved:
            return spans
        spans = spans.copy()
        if index in ledger.starved:
            spans.add(ledger.starved[index], State.READY)
        if begun_ns is not None:
            spans.add(begun_ns, State.RUNNING)
        return spans

    def _start_process_items(self) -> None:
        """Estimate when process pools started items, which they don't report: in order, one per worker."""
        by_pool: defaultdict[int, list[Item]] = defaultdict(list)
        for item in self._items.values():
            if item.started_ns is None and item.done_ns is not None and item.resource is not None:
                by_pool[item.resource].append(item)
        for resource, items in by_pool.items():
            free = [0] * (self._ledger.resources[resource].limit or len(items))
            for item in sorted(items, key=lambda i: i.queued_ns):
                assert item.done_ns is not None
                worker = min(range(len(free)), key=free.__getitem__)
                item.started_ns = min(max(item.queued_ns, free[worker]), item.done_ns)
                free[worker] = item.done_ns

    def _split_at_item_start(self, spans: Spans) -> Spans:
        """Turn waiting for a work item into queueing until a worker takes it."""
        starts, states, waits, end_ns = spans.columns
        builder = SpansBuilder()
        for position, start_ns in enumerate(starts):
            wait = waits[position]
            item = self._items.get(self._ledger.item_waits.get(wait, -1))
            if item is None:
                builder.add(start_ns, State(states[position]), wait)
                continue
            stop_ns = starts[position + 1] if position + 1 < len(starts) else end_ns
            started_ns = item.started_ns if item.started_ns is not None else stop_ns
            site = self._causes[wait].site
            if started_ns > start_ns:
                place = None if item.resource is None else self._resources.get(item.resource)
                queued = self._causes.index(Wait("executor", resource=place, site=site))
                builder.add(start_ns, State.QUEUED, queued)
            if started_ns < stop_ns:
                done = self._causes.index(Wait("thread", site=site))
                builder.add(max(start_ns, started_ns), State.WAITING, done)
        return builder.build(end_ns, self._causes.table)

    def track_lanes(self, tracks: Sequence[Track]) -> tuple[Lane, ...]:
        return tuple(
            Lane(
                name=record.label,
                track=track.index,
                start_ns=track.start_ns,
                end_ns=track.end_ns,
                outcome=track.outcome,
                spans=self._as_shown(track.index, tracks),
                function=track.function,
                error=track.error,
            )
            for track, record in zip(tracks, (self._ledger.tracks[i] for i in self._order), strict=True)
            if not (record.own or (record.hosts_loop and self._only_hosts(track)))
        )

    def _only_hosts(self, track: Track) -> bool:
        """Return whether the thread did hardly anything but run an event loop."""
        outside = sum(
            span.duration_ns
            for span in track.spans
            if span.wait.reason not in LOOPS and span.state is not State.READY
        )
        return outside < self._threshold_ns

    def named_lanes(self, tracks: Sequence[Track]) -> tuple[Lane, ...]:
        lanes = []
        for opened in sorted(self._ledger.lanes.values(), key=lambda lane: lane.start_ns):
            position = self._order.get(opened.track)
            if position is None:
                continue
            end_ns = opened.end_ns if opened.end_ns is not None else tracks[position].end_ns
            end_ns = max(end_ns, opened.start_ns)
            spans = self._as_shown(position, tracks).clip(opened.start_ns, end_ns)
            # An abandoned generator outlives its task until another task closes it.
            spans = spans.waiting_until(end_ns)
            lanes.append(
                Lane(
                    opened.name,
                    position,
                    opened.start_ns,
                    end_ns,
                    opened.outcome,
                    spans,
                    opened.function,
                    opened.result,
                    opened.error,
                )
            )
        return tuple(lanes)

    def _as_shown(self, position: int, tracks: Sequence[Track], depth: int = 0) -> Spans:
        """Return a track's spans, with the states of its own child instead of waiting for it."""
        known = self._shown_spans.get(position)
        if known is not None:
            return known
        spans = tracks[position].spans
        starts, states, waits, end_ns = spans.columns
        own = {
            wait
            for wait in set(waits)
            if self._causes[wait].reason == "task"
            and (child := self._causes[wait].on) is not None
            and tracks[child].parent == position
        }
        if own and depth < 50:
            builder = SpansBuilder()
            for i, start_ns in enumerate(starts):
                builder.add(start_ns, State(states[i]), waits[i])
                if waits[i] not in own or states[i] != State.WAITING:
                    continue
                child = self._causes[waits[i]].on
                assert child is not None
                stop_ns = starts[i + 1] if i + 1 < len(starts) else end_ns
                borrowed = self._as_shown(child, tracks, depth + 1).clip(start_ns, stop_ns)
                for span in borrowed:
                    via = self._causes.index(replace(span.wait, via=child))
                    builder.add(span.start_ns, span.state, via)
                if len(borrowed) and borrowed[-1].end_ns < stop_ns:
                    builder.add(borrowed[-1].end_ns, State.WAITING, waits[i])
            spans = builder.build(end_ns, self._causes.table)
        self._shown_spans[position] = spans
        return spans

    def requests(self, tracks: Sequence[Track]) -> tuple[Request, ...]:
        """Return the requests, in the order in which they were meant to be sent."""
        ledger = self._ledger
        return tuple(
            compose(
                request,
                list(self._handlers(request.trace_id, tracks)),
                sorted(ledger.accepted.get(request.port, ())),
                self._end_ns,
                self._causes,
            )
            for request in sorted(ledger.requests.values(), key=lambda request: request.intended_ns)
        )

    def _handlers(self, trace_id: str, tracks: Sequence[Track]) -> Iterator[Handler]:
        for one in sorted(self._ledger.handlings.get(trace_id, ()), key=lambda one: one.start_ns):
            place = self._order.get(one.track)
            if place is not None:
                end_ns = max(self._end_ns if one.end_ns is None else one.end_ns, one.start_ns)
                shown = self._as_shown(place, tracks)
                yield Handler(place, tracks[place].kind, one.start_ns, end_ns, shown)

    # -- the rest -------------------------------------------------------------------------------

    def resources(self) -> tuple[Resource, ...]:
        ledger = self._ledger
        slots = {index: list(self._slots(ledger.slots[index])) for index in self._resources}
        queues: defaultdict[int, list[Slot]] = defaultdict(list)
        for item in self._items.values():
            if item.resource is None or item.submitter not in self._order:
                continue
            submitter = self._order[item.submitter]
            stop_ns = item.done_ns if item.done_ns is not None else self._end_of(item.submitter)
            started_ns = item.started_ns if item.started_ns is not None else stop_ns
            if started_ns > item.queued_ns:
                queues[item.resource].append(Slot(submitter, item.queued_ns, started_ns))
            if item.started_ns is not None and item.resource in slots:
                slots[item.resource].append(Slot(submitter, item.started_ns, stop_ns))
        uses: defaultdict[int | None, list[Held]] = defaultdict(list)
        for held in (held for taken in ledger.slots.values() for held in taken):
            uses[held.connection].append(held)
        labels = self._labels()
        return tuple(
            Resource(
                place,
                known.kind,
                known.limit,
                known.site,
                tuple(slots[index]),
                tuple(ledger.levels[index]),
                tuple(queues[index]),
                name=known.name,
                connections=tuple(self._connections(known, uses)),
                process=known.process.number,
                refused=tuple(self._slots(known.refused)),
                made_ns=known.made_ns,
                made_by=self._position(known.made_by),
                closed_ns=known.closed_ns,
                label=labels.get(index, ""),
            )
            for index, place in self._resources.items()
            for known in (ledger.resources[index],)
        )

    def _connections(
        self, pool: ResourceRecord, uses: Mapping[int | None, Sequence[Held]]
    ) -> Iterator[Connection]:
        """Yield the connections of a pool in the order in which they were opened. ``uses`` by connection."""
        connections = self._ledger.connections
        for index in sorted(pool.connections, key=lambda index: (connections[index].opened_ns, index)):
            known, its_uses = connections[index], uses.get(index, ())
            yield replace(
                known,
                track=self._position(known.track),
                uses=tuple(self._slots(its_uses)),
                kept=known.kept or any(use.end_ns is None for use in its_uses),
            )

    def _slots(self, taken: Iterable[Held]) -> Iterator[Slot]:
        for held in taken:
            if held.track in self._order:
                end_ns = self._end_of(held.track) if held.end_ns is None else held.end_ns
                yield Slot(self._order[held.track], held.start_ns, max(held.start_ns, end_ns))

    def standstill(self) -> tuple[tuple[Stuck, ...], tuple[Holding, ...]]:
        return standstill.placed(self._ledger, self._order, self._resources)

    def _labels(self) -> dict[int, str]:
        """Return the resources' names in the source, which is read only if something will show them."""
        if not self._ledger.stuck:
            return {}
        names: dict[str, dict[int, tuple[str, ...]]] = {}
        made: Counter[Site] = Counter()
        labels: dict[int, str] = {}
        for index in self._resources:
            site = self._ledger.resources[index].site
            if site is None or site.installed:
                continue
            if site.file not in names:
                names[site.file] = assigned_names("".join(linecache.getlines(site.file)))
            candidates = names[site.file].get(site.line, ("",))
            labels[index] = candidates[made[site] % len(candidates)]
            made[site] += 1
        return labels

    def _end_of(self, track: int) -> int:
        """Return when what this track has not closed ended."""
        return self._ends[self._ledger.tracks[track].process.number]

    def left_pending(self) -> tuple[int, ...]:
        left = self._ledger.left_pending()
        return tuple(sorted(self._order[index] for index in left if index in self._order))

    def wakes(self) -> Wakes:
        wakes = Wakes()
        for wake in self._ledger.wakes:
            waker, woken = self._order.get(wake.waker), self._order.get(wake.woken)
            if waker is not None and woken is not None:
                wakes.add(wake.at_ns, waker, woken)
        return wakes

    def blocking_calls(self) -> tuple[BlockingCall, ...]:
        return tuple(
            replace(call, track=self._position(call.track))
            for calls in self._ledger.blocking_calls.values()
            for call in calls
        )

    def _position(self, track: int | None) -> int | None:
        return None if track is None else self._order.get(track)

    def slow_steps(self, tracks: Sequence[Track]) -> tuple[SlowStep, ...]:
        """Return the steps and what they were doing: a known call that filled half of it, or computing."""
        over = [
            step
            for process, steps in self._ledger.slow_steps.items()
            for step in explain(
                steps,
                self._ledger.blocking_calls.get(process, ()),
                [track for track in tracks if track.process == process],
            )
        ]
        going_on = [replace(step, end_ns=self._end_ns) for step in self._ledger.begun.values()]
        return tuple(
            replace(step, track=self._position(step.track))
            for step in sorted([*over, *going_on], key=lambda step: step.start_ns)
        )

    def await_sequences(self, tracks: Sequence[Track]) -> tuple[AwaitSequence, ...]:
        pauses = [
            replace(pause, track=self._order[pause.track])
            for pause in self._ledger.pauses
            if pause.track in self._order
        ]
        # As shown: on Python 3.11, ``wait_for`` waits in its own task.
        shown = {pause.track: self._as_shown(pause.track, tracks) for pause in pauses}
        return sequences.find(pauses, shown)


def _forks(ledger: Ledger) -> Iterator[str]:
    """Yield sentences about processes that were not observed."""
    for process in ledger.processes.values():
        if process.forks:
            who = process.name or f"process {process.number}" if process.number else "The script"
            times = "once" if process.forks == 1 else f"{process.forks:,} times"
            yield f"{who} was forked {times}: what goes on in a fork is not observed."


def _at_its_call(one: Unawaited) -> Unawaited:
    """Replace the line that dropped the coroutine, such as its function's end, by the line of the call."""
    if one.site is None:
        return one
    source = "".join(linecache.getlines(one.site.file))
    line = unawaited_call(source, one.function, one.site.line)
    if line is None or line == one.site.line:
        return one
    return replace(one, site=Site(one.site.file, line, function_at(source, line)))


def _recaused(spans: Spans, changes: dict[int, int]) -> Spans:
    starts, states, waits, end_ns = spans.columns
    changed = array("i", (changes.get(wait, wait) for wait in waits))
    return Spans(starts, states, changed, end_ns, spans.causes)
