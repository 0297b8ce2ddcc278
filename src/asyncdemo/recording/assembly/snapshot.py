"""Makes a ``Run`` of what is known so far."""

from __future__ import annotations

import linecache
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from asyncdemo.analysis.awaits import assigned_names, function_at, unawaited_call
from asyncdemo.model import (
    LOOPS,
    AwaitSequence,
    BlockingCall,
    Clock,
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
    TrackKind,
    Unawaited,
    Wait,
    Wakes,
)
from asyncdemo.recording.assembly import sequences, standstill
from asyncdemo.recording.assembly.coarsening import Coarsening
from asyncdemo.recording.assembly.explanations import explain
from asyncdemo.recording.assembly.ledger import Ledger
from asyncdemo.recording.assembly.off_cpu import with_waits
from asyncdemo.recording.assembly.records import Item
from asyncdemo.recording.assembly.requests import compose, handlers_of
from asyncdemo.recording.assembly.spans import SpansBuilder
from asyncdemo.recording.assembly.summing import Summing


def snapshot(
    ledger: Ledger,
    summing: Summing | None,
    coarsening: Coarsening,
    *,
    named: bool,
    threshold_ns: int,
    name: str,
    script: str,
    argv: Sequence[str],
    outcome: RunOutcome,
    exit_code: int | None,
) -> Run:
    builder = _Builder(ledger, threshold_ns)
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
        threshold_ns=threshold_ns,
        tracks=tracks,
        lanes=builder.named_lanes(tracks) if named else builder.track_lanes(tracks),
        named=named,
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
            *coarsening.words(min((track.start_ns for track in tracks), default=0)),
        ),
        requests=builder.requests(tracks),
        memory=ledger.memory_while_it_ran(),
        processes=len(ledger.processes),
        summed=() if summing is None else summing.build(ledger.in_order()),
        delays=tuple(ledger.delays),
    )


class _Builder:
    """One snapshot: turns the growing columns into the parts of a ``Run``."""

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
        """Track -> the place of who made it. One that is said to descend from itself has no parent."""
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
        """Its spans, with the step it has begun or the readiness it has come to."""
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
        """A process pool does not tell when it started an item: first come, first served, a worker each."""
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
        """Waiting for a work item is queueing until a worker takes it."""
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
        """Did the thread do nothing to speak of but run an event loop?"""
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
            # A generator that is left outlives its task, until another one closes it.
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
        """A track's spans, with the state of its own child in place of waiting for it."""
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
        """In the order in which they were meant to be sent."""

        def place(index: int) -> tuple[int, TrackKind, Spans] | None:
            position = self._order.get(index)
            return (
                None
                if position is None
                else (position, tracks[position].kind, self._as_shown(position, tracks))
            )

        ledger = self._ledger
        return tuple(
            compose(
                request,
                handlers_of(ledger.handlings.get(request.trace_id, ()), self._end_ns, place),
                sorted(ledger.accepted.get(request.port, ())),
                self._end_ns,
                self._causes,
            )
            for request in sorted(ledger.requests.values(), key=lambda request: request.intended_ns)
        )

    # -- the rest -------------------------------------------------------------------------------

    def resources(self) -> tuple[Resource, ...]:
        ledger = self._ledger
        slots: defaultdict[int, list[Slot]] = defaultdict(list)
        for resource, taken in ledger.slots.items():
            for held in taken:
                if held.track in self._order:
                    stop_ns = held.end_ns if held.end_ns is not None else self._end_of(held.track)
                    slot = Slot(self._order[held.track], held.start_ns, max(held.start_ns, stop_ns))
                    slots[resource].append(slot)
        queues: defaultdict[int, list[Slot]] = defaultdict(list)
        for item in self._items.values():
            if item.resource is None or item.submitter not in self._order:
                continue
            submitter = self._order[item.submitter]
            stop_ns = item.done_ns if item.done_ns is not None else self._end_of(item.submitter)
            started_ns = item.started_ns if item.started_ns is not None else stop_ns
            if started_ns > item.queued_ns:
                queues[item.resource].append(Slot(submitter, item.queued_ns, started_ns))
            if item.started_ns is not None:
                slots[item.resource].append(Slot(submitter, item.started_ns, stop_ns))
        taken_of_all = (held for taken in ledger.slots.values() for held in taken)
        connections = ledger.pools.built(taken_of_all, self._order, self._end_of)
        refused = ledger.pools.refusals_of(self._order)
        labels = self._labels()
        made = {index: ledger.pools.origin(index, self._order) for index in self._resources}
        return tuple(
            Resource(
                place,
                ledger.resources[index].kind,
                ledger.resources[index].limit,
                ledger.resources[index].site,
                tuple(slots[index]),
                tuple(ledger.levels[index]),
                tuple(queues[index]),
                name=ledger.pools.name(index),
                connections=connections.get(index, ()),
                process=ledger.resources[index].process.number,
                refused=refused.get(index, ()),
                made_ns=made[index][0],
                made_by=made[index][1],
                closed_ns=ledger.pools.closed_ns(index),
                label=labels.get(index, ""),
            )
            for index, place in self._resources.items()
        )

    def standstill(self) -> tuple[tuple[Stuck, ...], tuple[Holding, ...]]:
        return standstill.placed(self._ledger, self._order, self._resources)

    def _labels(self) -> dict[int, str]:
        """What the lines that made the resources call them; read only where somebody is told of it."""
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
        """When what this track has not closed ended."""
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
        """With what they were doing: a known call that filled half of the step, or computing."""
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
        # as shown: on 3.11 ``wait_for`` waits in a task of its own
        shown = {pause.track: self._as_shown(pause.track, tracks) for pause in pauses}
        return sequences.find(pauses, shown)


def _forks(ledger: Ledger) -> Iterator[str]:
    """Sentences about processes that are not observed."""
    for process in ledger.processes.values():
        if process.forks:
            who = process.name or f"process {process.number}" if process.number else "The script"
            times = "once" if process.forks == 1 else f"{process.forks:,} times"
            yield f"{who} was forked {times}: what goes on in a fork is not observed."


def _at_its_call(one: Unawaited) -> Unawaited:
    """With the line of the call, where the coroutine was dropped later: when its function ended, say."""
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
