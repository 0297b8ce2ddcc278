"""Make a ``Run`` of what is known so far."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from asyncdemo.analysis.awaits import assigned_names, function_at, unawaited_call
from asyncdemo.bounded import source_lines
from asyncdemo.model import (
    LOOPS,
    AwaitSequence,
    BlockingCall,
    Clock,
    Connection,
    Gap,
    Holding,
    Lane,
    MemorySample,
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
from asyncdemo.recording.assembly import sequences
from asyncdemo.recording.assembly.explanations import explain
from asyncdemo.recording.assembly.records import Held, Item, ResourceRecord
from asyncdemo.recording.assembly.requests import Handler, compose
from asyncdemo.recording.assembly.spans import SpansBuilder, pieces, with_waits

if TYPE_CHECKING:
    from asyncdemo.recording.assembly.assembly import Assembly


def snapshot(
    assembly: Assembly,
    *,
    name: str,
    script: str,
    argv: Sequence[str],
    outcome: RunOutcome,
    exit_code: int | None,
) -> Run:
    builder = _Builder(assembly)
    stuck, holdings = builder.standstill()
    return Run(
        name=name,
        script=script,
        argv=tuple(argv),
        python=assembly.python,
        clock=assembly.clock,
        outcome=outcome,
        exit_code=exit_code,
        threshold_ns=assembly.threshold_ns,
        tracks=builder.tracks,
        lanes=builder.named_lanes() if assembly.named else builder.track_lanes(),
        named=assembly.named,
        knobs=dict(assembly.knobs),
        resources=builder.resources(),
        wakes=builder.wakes(),
        slow_steps=builder.slow_steps(),
        blocking_calls=builder.blocking_calls(),
        await_sequences=builder.await_sequences(),
        unawaited=tuple(_at_call_line(unawaited) for unawaited in assembly.unawaited),
        uncaught=tuple(assembly.uncaught),
        left_pending=builder.left_pending(),
        stuck=stuck,
        holdings=holdings,
        idle=bool(stuck) and all(assembly.idle.get(number) for number in assembly.stuck),
        alarms=bool(stuck) and any(assembly.alarms.get(number, True) for number in assembly.stuck),
        result=assembly.result,
        notes=(
            *assembly.notes,
            *_forks(assembly),
        ),
        requests=builder.requests(),
        memory=_memory_while_it_ran(assembly),
        processes=len(assembly.processes),
        gaps=_gaps(assembly),
        complete_from_ns=assembly.window.complete_from_ns,
        counted=assembly.window.counted(),
        incomplete=assembly.incomplete,
        delays=tuple(assembly.delays),
    )


class _Builder:
    """One snapshot, which turns the growing columns into the parts of a ``Run``."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        made = sorted(assembly.tracks, key=lambda index: (assembly.tracks[index].start_ns, index))
        self.order = {index: place for place, index in enumerate(made)}
        """Track -> its index in the run, in order of creation."""
        self._ends = self._ends_of_processes()
        self._end_ns = max(self._ends.values())
        self._resources = {index: place for place, index in enumerate(sorted(assembly.resources))}
        self._causes = assembly.causes.renumber(self.order, self._resources)
        self._items = {index: replace(item) for index, item in assembly.items.items()}
        self._begun = {step.track: step.start_ns for step in assembly.begun.values()}
        self._shown_spans: dict[int, Spans] = {}
        self.tracks = self._tracks()

    def _ends_of_processes(self) -> dict[int, int]:
        """Return process -> end time of what it has not closed, as far as recorded."""
        assembly = self._assembly
        run_ns = max([assembly.now_ns, *(track.ended_ns for track in assembly.tracks.values())])
        processes = assembly.processes.items()
        ends = {number: process.now_ns if process.gone else run_ns for number, process in processes}
        for track in assembly.tracks.values():
            ends[track.process.number] = max(ends[track.process.number], track.ended_ns)
        return ends

    def _position(self, track: int | None) -> int | None:
        return None if track is None else self.order.get(track)

    # -- tracks and lanes -----------------------------------------------------------------------

    def _tracks(self) -> tuple[Track, ...]:
        first_task: dict[int, int] = {}
        parents = self._parents()
        for index in self.order:
            thread = self._assembly.tracks[index].thread
            if thread is not None:
                first_task.setdefault(thread, self.order[index])
        self._start_process_items()
        built = []
        for index, position in self.order.items():
            t = self._assembly.tracks[index]
            end_ns = self._ends[t.process.number]
            closed_ns = max(t.closed_ns if t.closed_ns is not None else end_ns, t.start_ns)
            spans = self._with_current_step(index, t.spans).build(closed_ns, self._causes.table)
            if t.off_cpu:
                spans = with_waits(spans, t.off_cpu)
            if t.waits_for_items:
                spans = self._split_at_item_start(spans)
            if t.hosts_loop:
                first = first_task.get(index)
                named = {
                    self._causes.index(Wait(loop)): self._causes.index(Wait(loop, on=first)) for loop in LOOPS
                }
                spans = _replace_causes(spans, named)
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
                    site=self._assembly.site(t.site),
                    created_at=self._assembly.site(t.created_at),
                    parent=parents.get(index),
                    thread=None if t.thread is None else self.order.get(t.thread),
                    steps=t.steps,
                    cpu_ns=t.cpu_ns if self._assembly.clock is Clock.REAL else None,
                    error=t.error,
                    own=t.own,
                    process=t.process.number,
                )
            )
        return tuple(built)

    def _parents(self) -> dict[int, int]:
        """Return track -> index of its creator. A track that would descend from itself has no parent."""
        tracks, parents, rooted = self._assembly.tracks, dict[int, int](), set[int]()
        for index in self.order:
            path: list[int] = []
            at: int | None = index
            while at is not None and at in self.order and at not in rooted:
                rooted.add(at)
                path.append(at)
                at = tracks[at].parent
            circle = at in path
            for child in path[:-1] if circle else path:
                parent = tracks[child].parent
                if parent is not None and parent in self.order:
                    parents[child] = self.order[parent]
        return parents

    def _with_current_step(self, index: int, spans: SpansBuilder) -> SpansBuilder:
        """Return its spans with the step that has begun, or with its being ready."""
        begun_ns = self._begun.get(index)
        if begun_ns is None and index not in self._assembly.starved:
            return spans
        spans = spans.copy()
        if index in self._assembly.starved:
            spans.add(self._assembly.starved[index], State.READY)
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
            free = [0] * (self._assembly.resources[resource].limit or len(items))
            for item in sorted(items, key=lambda i: i.queued_ns):
                assert item.done_ns is not None
                worker = min(range(len(free)), key=free.__getitem__)
                item.started_ns = min(max(item.queued_ns, free[worker]), item.done_ns)
                free[worker] = item.done_ns

    def _split_at_item_start(self, spans: Spans) -> Spans:
        """Turn waiting for a work item into queueing until a worker takes it."""
        builder = SpansBuilder()
        for start_ns, stop_ns, state, wait in pieces(spans):
            item = self._items.get(self._assembly.item_waits.get(wait, -1))
            if item is None:
                builder.add(start_ns, state, wait)
                continue
            started_ns = item.started_ns if item.started_ns is not None else stop_ns
            site = self._causes[wait].site
            if started_ns > start_ns:
                place = None if item.resource is None else self._resources.get(item.resource)
                queued = self._causes.index(Wait("executor", resource=place, site=site))
                builder.add(start_ns, State.QUEUED, queued)
            if started_ns < stop_ns:
                done = self._causes.index(Wait("thread", site=site))
                builder.add(max(start_ns, started_ns), State.WAITING, done)
        return builder.build(spans.columns[-1], self._causes.table)

    def track_lanes(self) -> tuple[Lane, ...]:
        return tuple(
            Lane(
                name=record.label,
                track=track.index,
                start_ns=track.start_ns,
                end_ns=track.end_ns,
                outcome=track.outcome,
                spans=self._as_shown(track.index),
                function=track.function,
                error=track.error,
            )
            for track, record in zip(self.tracks, (self._assembly.tracks[i] for i in self.order), strict=True)
            if not (record.own or (record.hosts_loop and self._only_hosts(track)))
        )

    def _only_hosts(self, track: Track) -> bool:
        """Return whether the thread did hardly anything but run an event loop."""
        outside = sum(
            span.duration_ns
            for span in track.spans
            if span.wait.reason not in LOOPS and span.state not in (State.READY, State.UNKNOWN)
        )
        return outside < self._assembly.threshold_ns

    def named_lanes(self) -> tuple[Lane, ...]:
        lanes = []
        for opened in sorted(self._assembly.lanes.values(), key=lambda lane: lane.start_ns):
            position = self.order.get(opened.track)
            if position is None:
                continue
            end_ns = opened.end_ns if opened.end_ns is not None else self.tracks[position].end_ns
            end_ns = max(end_ns, opened.start_ns)
            spans = self._as_shown(position).clip(opened.start_ns, end_ns)
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

    def _as_shown(self, position: int, depth: int = 0) -> Spans:
        """Return a track's spans, with the states of its own child instead of waiting for it."""
        known = self._shown_spans.get(position)
        if known is not None:
            return known
        spans = self.tracks[position].spans
        _, _, waits, end_ns = spans.columns
        children = {
            wait: child
            for wait in set(waits)
            if self._causes[wait].reason == "task"
            and (child := self._causes[wait].on) is not None
            and self.tracks[child].parent == position
        }
        if children and depth < 50:
            builder = SpansBuilder()
            for start_ns, stop_ns, state, wait in pieces(spans):
                builder.add(start_ns, state, wait)
                if wait not in children or state != State.WAITING:
                    continue
                child = children[wait]
                borrowed = self._as_shown(child, depth + 1).clip(start_ns, stop_ns)
                for span in borrowed:
                    via = self._causes.index(replace(span.wait, via=child))
                    builder.add(span.start_ns, span.state, via)
                if len(borrowed) and borrowed[-1].end_ns < stop_ns:
                    builder.add(borrowed[-1].end_ns, State.WAITING, wait)
            spans = builder.build(end_ns, self._causes.table)
        self._shown_spans[position] = spans
        return spans

    def requests(self) -> tuple[Request, ...]:
        """Return the requests, in the order in which they were meant to be sent."""
        return tuple(
            compose(
                request,
                list(self._handlers(request.trace_id)),
                sorted(self._assembly.requests.accepted.get(request.port, ())),
                self._end_ns,
                self._causes,
            )
            for request in sorted(
                self._assembly.requests.sent.values(), key=lambda request: request.intended_ns
            )
        )

    def _handlers(self, trace_id: str) -> Iterator[Handler]:
        for handling in sorted(
            self._assembly.requests.handlings.get(trace_id, ()), key=lambda handling: handling.start_ns
        ):
            place = self.order.get(handling.track)
            if place is not None:
                end_ns = max(self._end_ns if handling.end_ns is None else handling.end_ns, handling.start_ns)
                shown = self._as_shown(place)
                yield Handler(place, self.tracks[place].kind, handling.start_ns, end_ns, shown)

    # -- the rest -------------------------------------------------------------------------------

    def resources(self) -> tuple[Resource, ...]:
        slots = {index: list(self._slots(self._assembly.slots[index])) for index in self._resources}
        queues: defaultdict[int, list[Slot]] = defaultdict(list)
        for item in self._items.values():
            if item.resource is None or item.submitter not in self.order:
                continue
            submitter = self.order[item.submitter]
            stop_ns = item.done_ns if item.done_ns is not None else self._end_of(item.submitter)
            started_ns = item.started_ns if item.started_ns is not None else stop_ns
            if started_ns > item.queued_ns:
                queues[item.resource].append(Slot(submitter, item.queued_ns, started_ns))
            if item.started_ns is not None and item.resource in slots:
                slots[item.resource].append(Slot(submitter, item.started_ns, stop_ns))
        uses: defaultdict[int | None, list[Held]] = defaultdict(list)
        for held in (held for taken in self._assembly.slots.values() for held in taken):
            uses[held.connection].append(held)
        labels = self._labels()
        return tuple(
            Resource(
                place,
                known.kind,
                known.limit,
                known.site,
                tuple(slots[index]),
                tuple(self._assembly.levels[index]),
                tuple(queues[index]),
                name=known.name,
                words=known.words,
                connections=tuple(self._connections(known, uses)),
                process=known.process.number,
                refused=tuple(self._slots(known.refused)),
                made_ns=known.made_ns,
                made_by=self._position(known.made_by),
                closed_ns=known.closed_ns,
                label=labels.get(index, ""),
            )
            for index, place in self._resources.items()
            for known in (self._assembly.resources[index],)
        )

    def _connections(
        self, pool: ResourceRecord, uses: Mapping[int | None, Sequence[Held]]
    ) -> Iterator[Connection]:
        """Yield the connections of a pool in the order in which they were opened. ``uses`` by connection."""
        connections = self._assembly.connections
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
            if held.track in self.order:
                end_ns = self._end_of(held.track) if held.end_ns is None else held.end_ns
                yield Slot(self.order[held.track], held.start_ns, max(held.start_ns, end_ns))

    def standstill(self) -> tuple[tuple[Stuck, ...], tuple[Holding, ...]]:
        stuck = tuple(
            replace(
                stuck,
                track=self._position(stuck.track),
                resource=None if stuck.resource is None else self._resources.get(stuck.resource),
                on=tuple(self.order[track] for track in stuck.on if track in self.order),
                refers_to=tuple(self.order[track] for track in stuck.refers_to if track in self.order),
            )
            for _, found in sorted(self._assembly.stuck.items())
            for stuck in found
        )
        holdings = tuple(
            replace(holding, track=self.order[holding.track], resource=self._resources[holding.resource])
            for _, found in sorted(self._assembly.holdings.items())
            for holding in found
            if holding.track in self.order and holding.resource in self._resources
        )
        return stuck, holdings

    def _labels(self) -> dict[int, str]:
        """Return the resources' names in the source, which is read only if something will show them."""
        if not self._assembly.stuck:
            return {}
        names: dict[str, dict[int, tuple[str, ...]]] = {}
        made: Counter[Site] = Counter()
        labels: dict[int, str] = {}
        for index in self._resources:
            site = self._assembly.resources[index].site
            if site is None or site.installed:
                continue
            if site.file not in names:
                names[site.file] = assigned_names("".join(source_lines(site.file)))
            candidates = names[site.file].get(site.line, ("",))
            labels[index] = candidates[made[site] % len(candidates)]
            made[site] += 1
        return labels

    def _end_of(self, track: int) -> int:
        return self._ends[self._assembly.tracks[track].process.number]

    def left_pending(self) -> tuple[int, ...]:
        """Return the script's tasks that were not done when their loop's main task was."""
        assembly = self._assembly
        unclosed = (
            index
            for index, track in assembly.tracks.items()
            if track.process.finished and track.kind is TrackKind.TASK and track.closed_ns is None
        )
        left = {*assembly.pending, *unclosed}
        return tuple(
            place for index, place in self.order.items() if index in left and not assembly.tracks[index].own
        )

    def wakes(self) -> Wakes:
        wakes = Wakes()
        for wake in self._assembly.wakes:
            waker, woken = self.order.get(wake.waker), self.order.get(wake.woken)
            if waker is not None and woken is not None:
                wakes.add(wake.at_ns, waker, woken)
        return wakes

    def blocking_calls(self) -> tuple[BlockingCall, ...]:
        return tuple(
            replace(call, track=self._position(call.track))
            for calls in self._assembly.blocking_calls.values()
            for call in calls
        )

    def slow_steps(self) -> tuple[SlowStep, ...]:
        """Return the steps and what they were doing: a known call that filled half of it, or computing."""
        over = [
            step
            for process, steps in self._assembly.slow_steps.items()
            for step in explain(
                steps,
                self._assembly.blocking_calls.get(process, ()),
                [track for track in self.tracks if track.process == process],
            )
        ]
        going_on = [replace(step, end_ns=self._end_ns) for step in self._assembly.begun.values()]
        return tuple(
            replace(step, track=self._position(step.track))
            for step in sorted([*over, *going_on], key=lambda step: step.start_ns)
        )

    def await_sequences(self) -> tuple[AwaitSequence, ...]:
        pauses = [
            replace(pause, track=self.order[pause.track])
            for pause in self._assembly.pauses
            if pause.track in self.order
        ]
        # As shown: on Python 3.11, ``wait_for`` waits in its own task.
        shown = {pause.track: self._as_shown(pause.track) for pause in pauses}
        return sequences.find(pauses, shown)


def _gaps(assembly: Assembly) -> tuple[Gap, ...]:
    found = assembly.gaps.items()
    gaps = (
        Gap(since_ns, until_ns, steps, process)
        for (process, since_ns), (until_ns, steps) in found
        if steps  # else nothing is missing
    )
    return tuple(sorted(gaps, key=lambda gap: (gap.start_ns, gap.process)))


def _forks(assembly: Assembly) -> Iterator[str]:
    for process in assembly.processes.values():
        if process.forks:
            times = "once" if process.forks == 1 else f"{process.forks:,} times"
            yield f"{process.title} was forked {times}: forks are not recorded."


def _memory_while_it_ran(assembly: Assembly) -> tuple[MemorySample, ...]:
    """Return the samples without those of an interpreter that is shutting down."""
    script = assembly.processes[0]
    return tuple(sample for sample in assembly.memory if not script.finished or sample.at_ns <= script.now_ns)


def _at_call_line(unawaited: Unawaited) -> Unawaited:
    """Replace the line that dropped the coroutine, such as its function's end, by the line of the call."""
    if unawaited.site is None:
        return unawaited
    source = "".join(source_lines(unawaited.site.file))
    line = unawaited_call(source, unawaited.function, unawaited.site.line)
    if line is None or line == unawaited.site.line:
        return unawaited
    return replace(unawaited, site=Site(unawaited.site.file, line, function_at(source, line)))


def _replace_causes(spans: Spans, changes: dict[int, int]) -> Spans:
    starts, states, waits, end_ns = spans.columns
    changed = array("i", (changes.get(wait, wait) for wait in waits))
    return Spans(starts, states, changed, end_ns, spans.causes)
