"""Runs made by hand, written as the story of what happened.

    story = Story()
    gate = story.semaphore(limit=1)
    story.task("first").takes(gate).sleeps(100).gives_back(gate).returns()
    story.task("second").queues(gate, 100).takes(gate).sleeps(100).gives_back(gate).returns()
    run = story.run()

Requests to a server begin with their client's events and go on with what the handler's track did:

    handler = story.thread("Thread-1").enters("upload(1)").sleeps(100).leaves().returns()
    story.request("POST /upload 1", at=0).queues_for("accept", 20).is_handled_by(handler).answered(200)

All times are in milliseconds and may have fractions. Every track goes on from where its last
sentence left it. For tests only; nothing here looks at a clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

from asyncdemo.capture import libraries
from asyncdemo.model import (
    AwaitSequence,
    BlockingCall,
    Clock,
    Connection,
    Lane,
    MemorySample,
    Outcome,
    PoolWords,
    Request,
    Resource,
    ResourceKind,
    Run,
    RunOutcome,
    Site,
    Slot,
    SlowStep,
    Span,
    Spans,
    State,
    Track,
    TrackKind,
    Unawaited,
    Wait,
    Wakes,
)

APP = "/home/ada/app.py"
"""The file that all stories are about."""
_WORDS = {
    kind.name: PoolWords(kind.is_http, kind.size, kind.giving_back, kind.if_refused, kind.if_reopened)
    for library in libraries.known().values()
    if (kind := library.pools) is not None
}


def ns(ms: float) -> int:
    return round(ms * 1_000_000)


def _ns(ms: float | None) -> int | None:
    return None if ms is None else ns(ms)


def _index(teller: Teller | None) -> int | None:
    return None if teller is None else teller.index


def at_line(line: int, function: str = "", file: str = APP) -> Site:
    return Site(file, line, function)


class Teller:
    """Tells what one track does. Every method returns the teller, so sentences can be chained."""

    def __init__(self, story: Story, track: Track, start_ms: float) -> None:
        self._story = story
        self._track = track
        self._now = start_ms
        self._spans: list[Span] = []
        self._open_calls: list[tuple[str, float, int]] = []
        self._held: dict[int, list[float]] = {}
        self._outcome = Outcome.OPEN
        self._error: str | None = None
        self._steps = 0

    @property
    def index(self) -> int:
        return self._track.index

    @property
    def now_ms(self) -> float:
        return self._now

    # what it does, for how long

    def runs(self, ms: float) -> Self:
        self._steps += self._track.kind is TrackKind.TASK
        return self._spend(ms, State.RUNNING)

    def is_ready(self, ms: float) -> Self:
        return self._spend(ms, State.READY)

    def sleeps(self, ms: float) -> Self:
        return self.waits(ms, "sleep")

    def waits(self, ms: float, reason: str, on: Teller | None = None, at: Site | None = None) -> Self:
        return self._spend(ms, State.WAITING, Wait(reason, on=_index(on), site=at))

    def queues(self, resource: Resource, ms: float) -> Self:
        pool = resource.kind is ResourceKind.POOL
        reason = "connection pool" if pool else str(resource.kind)
        return self._spend(ms, State.QUEUED, Wait(reason, resource=resource.index))

    def shows(self, child: Teller, ms: float, state: State = State.WAITING, reason: str = "") -> Self:
        """It only awaits its own child, and borrows the child's state."""
        return self._spend(ms, state, Wait(reason, via=child.index))

    def blocks(
        self,
        ms: float,
        reason: str = "sleep",
        at: Site | None = None,
        called_from: Site | None = None,
        cpu_ms: float | None = None,
        stolen_ms: float = 0,
    ) -> Self:
        """A step that holds the loop, in a blocking call of that reason ("": it computes)."""
        start, end = ns(self._now), ns(self._now + ms)
        step = SlowStep(self.index, start, end, _ns(cpu_ms), ns(stolen_ms), at, called_from, reason)
        self._story.slow_steps.append(step)
        if reason not in ("", "gil"):
            self._story.blocking_calls.append(BlockingCall(self.index, start, end, reason, at, called_from))
        return self.runs(ms)

    # what it holds

    def takes(self, resource: Resource) -> Self:
        self._held.setdefault(resource.index, []).append(self._now)
        return self

    def gives_back(self, resource: Resource) -> Self:
        taken = self._held[resource.index].pop()
        self._story.slots[resource.index].append(Slot(self.index, ns(taken), ns(self._now)))
        return self

    # calls of a named function: they become the lanes

    def enters(self, name: str) -> Self:
        self._open_calls.append((name, self._now, len(self._story.calls)))
        self._story.calls.append(None)
        return self

    def leaves(self, outcome: Outcome = Outcome.RETURNED) -> Self:
        name, opened, place = self._open_calls.pop()
        self._story.calls[place] = (name, self.index, opened, self._now, outcome)
        return self

    # how it ends

    def returns(self) -> Self:
        self._outcome = Outcome.RETURNED
        return self

    def raises(self, error: str) -> Self:
        self._outcome, self._error = Outcome.RAISED, error
        return self

    def is_cancelled(self) -> Self:
        self._outcome = Outcome.CANCELLED
        return self

    def is_left_pending(self) -> Self:
        self._story.left_pending.append(self.index)
        return self

    def _spend(self, ms: float, state: State, wait: Wait | None = None) -> Self:
        start, self._now = self._now, self._now + ms
        self._spans.append(Span(ns(start), ns(self._now), state, wait or Wait()))
        return self

    def _finished(self) -> Track:
        return replace(
            self._track,
            end_ns=ns(self._now),
            outcome=self._outcome,
            error=self._error,
            steps=self._steps,
            spans=Spans.of(self._spans),
        )


class Asker:
    """Tells what became of one request. Every method but the last returns the asker."""

    def __init__(self, story: Story, name: str, at: float) -> None:
        self._story = story
        self._name = name
        self._start = self._now = self._sent = at
        self._spans: list[Span] = []
        self._handler: Teller | None = None
        self._handled: float | None = None

    def is_late(self, ms: float) -> Self:
        """Its client had not begun with it."""
        self._sent = self._now + ms
        return self._spend(ms, State.WAITING, "client")

    def queues_for(self, reason: str, ms: float) -> Self:
        return self._spend(ms, State.QUEUED, reason)

    def is_ready(self, ms: float) -> Self:
        return self._spend(ms, State.READY, "")

    def is_handled_by(
        self, handler: Teller, from_ms: float | None = None, to_ms: float | None = None
    ) -> Self:
        """From now on it shows what the handler did, until that one's last sentence or ``to_ms``."""
        self._handler, self._handled = handler, self._now
        start = ns(self._now if from_ms is None else from_ms)
        end = ns(handler.now_ms if to_ms is None else to_ms)
        self._spans += Spans.of(handler._spans).clip(start, end)
        self._now = end / 1e6
        return self

    def waits_for_response(self, ms: float) -> Self:
        return self._spend(ms, State.WAITING, "response")

    def answered(self, status: int) -> None:
        self._end(Outcome.RETURNED, status, None)

    def fails(self, error: str) -> None:
        self._end(Outcome.RAISED, None, error)

    def _end(self, outcome: Outcome, status: int | None, error: str | None) -> None:
        request = Request(
            self._name,
            ns(self._start),
            ns(self._now),
            outcome,
            Spans.of(self._spans),
            sent_ns=ns(self._sent),
            track=_index(self._handler),
            handled_ns=_ns(self._handled),
            status=status,
            error=error,
        )
        self._story.requests.append(request)

    def _spend(self, ms: float, state: State, reason: str) -> Self:
        start, self._now = self._now, self._now + ms
        if ms:
            self._spans.append(Span(ns(start), ns(self._now), state, Wait(reason)))
        return self


class Story:
    """Collects tracks and resources, and gives the run that they make."""

    def __init__(self, threshold_ms: float = 50) -> None:
        self._threshold_ns = ns(threshold_ms)
        self._tellers: list[Teller] = []
        self._resources: list[Resource] = []
        self.slots: dict[int, list[Slot]] = {}
        self.calls: list[tuple[str, int, float, float, Outcome] | None] = []
        self.slow_steps: list[SlowStep] = []
        self.blocking_calls: list[BlockingCall] = []
        self.await_sequences: list[AwaitSequence] = []
        self.unawaited: list[Unawaited] = []
        self.left_pending: list[int] = []
        self.requests: list[Request] = []
        self.memory: list[MemorySample] = []

    # who takes part

    def task(
        self,
        name: str,
        at: float = 0,
        function: str | None = None,
        parent: Teller | None = None,
        thread: Teller | None = None,
        defined: Site | None = None,
        created: Site | None = None,
    ) -> Teller:
        more = {"thread": _index(thread), "site": defined, "created_at": created}
        return self._teller(TrackKind.TASK, name, at, function, parent, **more)

    def thread(
        self,
        name: str,
        at: float = 0,
        function: str | None = None,
        parent: Teller | None = None,
        cpu_ms: float | None = None,
    ) -> Teller:
        return self._teller(TrackKind.THREAD, name, at, function, parent, cpu_ns=_ns(cpu_ms))

    def request(self, name: str, at: float = 0) -> Asker:
        return Asker(self, name, at)

    def callback_blocks(
        self, ms: float, at: float = 0, site: Site | None = None, stolen_ms: float = 0
    ) -> None:
        """A callback that is no task's step holds the loop."""
        start, end = ns(at), ns(at + ms)
        self.slow_steps.append(SlowStep(None, start, end, None, ns(stolen_ms), site, site, "sleep"))

    # what is limited

    def semaphore(self, limit: int, made: Site | None = None) -> Resource:
        return self._resource(ResourceKind.SEMAPHORE, limit, made)

    def lock(self, made: Site | None = None) -> Resource:
        return self._resource(ResourceKind.LOCK, 1, made)

    def pool(
        self,
        limit: int | None,
        made: Site | None = None,
        name: str = "",
        at: float | None = None,
        by: Teller | None = None,
        process: int = 0,
        closed: float | None = None,
    ) -> Resource:
        """at, by: when and by whom it was made. A library's pool has that library's words."""
        more: dict[str, Any] = {
            "made_ns": _ns(at),
            "made_by": _index(by),
            "process": process,
            "closed_ns": _ns(closed),
            "words": _WORDS.get(name, PoolWords()),
        }
        return self._resource(ResourceKind.POOL, limit, made, name=name, **more)

    def connection(
        self,
        pool: Resource,
        opened: float,
        ready: float | None,
        uses: Sequence[tuple[Teller, float, float]] = (),
        closed: float | None = None,
        by: Teller | None = None,
        kept: bool = False,
        dropped: bool = False,
    ) -> None:
        """uses: (who, from, to); each of them holds a slot of the pool too."""
        slots = tuple(Slot(who.index, ns(start), ns(end)) for who, start, end in uses)
        connection = Connection(ns(opened), _ns(ready), _ns(closed), _index(by), slots, kept, dropped)
        self._add(pool, "connections", connection)
        self.slots[pool.index] += slots

    def refuses(self, pool: Resource, who: Teller, start: float, end: float) -> None:
        self._add(pool, "refused", Slot(who.index, ns(start), ns(end)))

    def has_memory(self, at: float, resident_mb: float, virtual_mb: float, threads: int = 1) -> None:
        self.memory.append(MemorySample(ns(at), round(resident_mb * 1e6), round(virtual_mb * 1e6), threads))

    def executor(self, workers: int | None, made: Site | None = None) -> Resource:
        return self._resource(ResourceKind.EXECUTOR, workers, made)

    def has_queued(self, executor: Resource, who: Teller, start: float, end: float) -> None:
        """An item that ``who`` handed in waited for a worker, whatever that one did meanwhile."""
        self._add(executor, "queue", Slot(who.index, ns(start), ns(end)))

    def queue(
        self, limit: int | None, levels: tuple[tuple[float, int], ...] = (), made: Site | None = None
    ) -> Resource:
        levels_ns = tuple((ns(at), level) for at, level in levels)
        return self._resource(ResourceKind.QUEUE, limit, made, levels=levels_ns)

    # what else was seen

    def awaits_in_sequence(
        self,
        who: Teller,
        start: float,
        end: float,
        waits: tuple[float, ...],
        sites: tuple[Site, ...],
        independent: bool | None = True,
    ) -> None:
        sums = len(waits), sum(map(ns, waits)), max(map(ns, waits), default=0)
        sequence = AwaitSequence(who.index, ns(start), ns(end), *sums, sites, independent)
        self.await_sequences.append(sequence)

    def never_awaited(self, function: str, at: float = 0, site: Site | None = None) -> None:
        self.unawaited.append(Unawaited(function, ns(at), site))

    # the end

    def run(self, **changes: Any) -> Run:
        tracks = tuple(teller._finished() for teller in self._tellers)
        called = [call for call in self.calls if call is not None]
        lanes = [self._call(tracks, *call) for call in called] if called else map(self._row, tracks)
        whole = Run(
            name="story",
            script=APP,
            argv=(),
            python="3.13.0",
            clock=Clock.REAL,
            outcome=RunOutcome.OK,
            exit_code=0,
            threshold_ns=self._threshold_ns,
            tracks=tracks,
            lanes=tuple(lanes),
            named=bool(called),
            resources=tuple(
                replace(resource, slots=tuple(sorted(self.slots[resource.index], key=_by_start)))
                for resource in self._resources
            ),
            wakes=Wakes(),
            slow_steps=tuple(self.slow_steps),
            blocking_calls=tuple(self.blocking_calls),
            await_sequences=tuple(self.await_sequences),
            unawaited=tuple(self.unawaited),
            left_pending=tuple(self.left_pending),
            requests=tuple(self.requests),
            memory=tuple(sorted(self.memory, key=lambda sample: sample.at_ns)),
        )
        return replace(whole, **changes)

    def _teller(
        self,
        kind: TrackKind,
        name: str,
        at: float,
        function: str | None,
        parent: Teller | None,
        **more: Any,
    ) -> Teller:
        track = Track(
            index=len(self._tellers),
            kind=kind,
            name=name,
            function=name.partition("(")[0] if function is None else function,
            start_ns=ns(at),
            end_ns=ns(at),
            outcome=Outcome.OPEN,
            spans=Spans.of(()),
            parent=_index(parent),
            **more,
        )
        self._tellers.append(Teller(self, track, at))
        return self._tellers[-1]

    def _resource(self, kind: ResourceKind, limit: int | None, made: Site | None, **more: Any) -> Resource:
        self._resources.append(Resource(len(self._resources), kind, limit, made, **more))
        self.slots[self._resources[-1].index] = []
        return self._resources[-1]

    def _add(self, resource: Resource, field: str, item: object) -> None:
        known: Any = self._resources[resource.index]
        self._resources[resource.index] = replace(known, **{field: (*getattr(known, field), item)})

    @staticmethod
    def _row(track: Track) -> Lane:
        return Lane(
            track.name,
            track.index,
            track.start_ns,
            track.end_ns,
            track.outcome,
            track.spans,
            track.function,
            error=track.error,
        )

    @staticmethod
    def _call(
        tracks: tuple[Track, ...], name: str, track: int, opened: float, closed: float, outcome: Outcome
    ) -> Lane:
        start, end = ns(opened), ns(closed)
        spans = tracks[track].spans.clip(start, end)
        return Lane(name, track, start, end, outcome, spans, name.partition("(")[0])


def _by_start(slot: Slot) -> tuple[int, int]:
    return slot.start_ns, slot.end_ns
