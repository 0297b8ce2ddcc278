"""Hypothesis strategies for valid runs: any story, however unlikely, that the model can hold."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import strategies as st

from asyncdemo.model import (
    AwaitSequence,
    BlockingCall,
    Clock,
    Connection,
    CountedLanes,
    Gap,
    Holding,
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
    Stuck,
    Track,
    TrackKind,
    Unawaited,
    Uncaught,
    Wait,
    Wake,
    Wakes,
)

Item = TypeVar("Item")

_TIMES = st.integers(0, 60)
_NAMES = st.sampled_from(["brew(1)", "main", "", "Ünï☕", "a\nb", "\ud800"])
_ADVICE = st.just("") | _NAMES.map("Do {}.".format)
_WORDS_OF_POOL = st.builds(PoolWords, st.booleans(), _NAMES, _NAMES, _ADVICE, _ADVICE)
_REASONS = st.sampled_from(["", "sleep", "net.read", "thread", "semaphore", "idle", "accept", "redis"])
_PLACES = st.builds(Site, st.sampled_from(["/a.py", "/b.py"]), st.integers(1, 9), _NAMES)
_SITES = st.none() | _PLACES
_RESULTS = st.none() | st.sampled_from(["1", "[None, 'a']"])
_OUTCOMES = st.sampled_from(Outcome)
_PROCESSES = st.integers(0, 2)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    track_count = draw(st.integers(1, 5))
    resource_count = draw(st.integers(0, 3))
    track_indices = st.integers(0, track_count - 1)
    some_track = st.none() | track_indices
    some_resource = st.none() | st.integers(0, resource_count - 1) if resource_count else st.none()
    waits = st.builds(Wait, _REASONS, some_resource, some_track, some_track, _SITES)

    tracks = tuple(draw(_track(index, waits, some_track)) for index in range(track_count))
    resources = tuple(draw(_resource(index, track_indices)) for index in range(resource_count))
    stuck = st.builds(
        Stuck,
        _NAMES,
        _NAMES,
        _SITES,
        _NAMES,
        st.sampled_from(State),
        some_track,
        _REASONS,
        some_resource,
        _some(track_indices, 2),
        st.none() | st.integers(0, 3),
        st.none() | st.floats(0, 60),
        _some(track_indices, 2),
    )
    holding = st.builds(
        Holding, track_indices, st.integers(0, max(resource_count - 1, 0)), _SITES, st.booleans()
    )
    values = st.integers() | st.floats(allow_nan=False) | st.booleans() | _NAMES
    return Run(
        name=draw(_NAMES),
        script="/a.py",
        argv=draw(_some(_NAMES, 2)),
        python="3.13.0",
        clock=draw(st.sampled_from(Clock)),
        outcome=draw(st.sampled_from(RunOutcome)),
        exit_code=draw(st.none() | st.integers(-15, 255)),
        threshold_ns=draw(_TIMES),
        tracks=tracks,
        lanes=tuple(draw(st.permutations([lane for track in tracks for lane in draw(_lanes_of(track))]))),
        named=draw(st.booleans()),
        knobs=draw(st.dictionaries(_NAMES, values, max_size=2)),
        resources=resources,
        wakes=Wakes(draw(st.lists(st.builds(Wake, _TIMES, track_indices, track_indices), max_size=4))),
        slow_steps=draw(_some(_slow_steps(some_track))),
        blocking_calls=draw(_some(_blocking_calls(some_track))),
        await_sequences=draw(_some(_await_sequences(track_indices))),
        uncaught=draw(
            _some(st.builds(Uncaught, _NAMES, _NAMES, st.booleans(), st.booleans(), _NAMES, _SITES), 2)
        ),
        unawaited=draw(_some(st.builds(Unawaited, _NAMES, _TIMES, _SITES), 2)),
        left_pending=tuple(draw(st.lists(track_indices, max_size=2, unique=True))),
        stuck=draw(_some(stuck, 2)),
        holdings=draw(_some(holding)) if resource_count else (),
        result=draw(_RESULTS),
        notes=draw(_some(_NAMES, 2)),
        requests=draw(_some(_requests(waits, some_track), 4)) if draw(st.booleans()) else (),
        memory=tuple(draw(_memory())),
        processes=draw(st.integers(1, 3)),
        gaps=draw(
            _some(
                st.builds(lambda when, *rest: Gap(*when, *rest), _intervals(), st.integers(0, 9), _PROCESSES)
            )
        ),
        complete_from_ns=draw(st.none() | _TIMES),
        counted=draw(
            _some(st.builds(CountedLanes, _NAMES, _OUTCOMES, st.none() | _NAMES, st.integers(1, 9)))
        ),
    )


def _some(strategy: st.SearchStrategy[Item], most: int = 3) -> st.SearchStrategy[tuple[Item, ...]]:
    return st.lists(strategy, max_size=most).map(tuple)


@st.composite
def _track(
    draw: st.DrawFn, index: int, waits: st.SearchStrategy[Wait], some_track: st.SearchStrategy[int | None]
) -> Track:
    spans = draw(_spans(waits))
    return Track(
        index=index,
        kind=draw(st.sampled_from(TrackKind)),
        name=draw(_NAMES),
        function=draw(_NAMES),
        start_ns=spans[0].start_ns,
        end_ns=spans[-1].end_ns,
        outcome=draw(_OUTCOMES),
        spans=Spans.of(spans),
        site=draw(_SITES),
        created_at=draw(_SITES),
        parent=draw(st.none() | st.integers(0, index - 1)) if index else None,
        thread=draw(some_track),
        steps=draw(st.integers(0, 5)),
        cpu_ns=draw(st.none() | _TIMES),
        error=draw(st.none() | _NAMES),
        own=draw(st.booleans()),
        process=draw(_PROCESSES),
    )


@st.composite
def _resource(draw: st.DrawFn, index: int, track_indices: st.SearchStrategy[int]) -> Resource:
    kind = draw(st.sampled_from(ResourceKind))
    is_queue, is_pool = kind is ResourceKind.QUEUE, kind is ResourceKind.POOL
    return Resource(
        index=index,
        kind=kind,
        limit=draw(st.none() | st.integers(0, 3)),
        site=draw(_SITES),
        slots=() if is_queue else draw(_slots(track_indices)),
        levels=draw(_some(st.tuples(_TIMES, st.integers(0, 9)))) if is_queue else (),
        queue=draw(_slots(track_indices)) if kind is ResourceKind.EXECUTOR else (),
        name=draw(_NAMES) if is_pool else "",
        connections=draw(_connections(track_indices)) if is_pool else (),
        process=draw(_PROCESSES),
        refused=draw(_slots(track_indices)) if is_pool else (),
        made_ns=draw(st.none() | _TIMES),
        made_by=draw(st.none() | track_indices),
        closed_ns=draw(st.none() | _TIMES),
        words=draw(_WORDS_OF_POOL) if is_pool else PoolWords(),
    )


@st.composite
def _spans(draw: st.DrawFn, waits: st.SearchStrategy[Wait]) -> list[Span]:
    at = draw(_TIMES)
    spans = []
    for length in draw(st.lists(st.integers(1, 20), min_size=1, max_size=6)):
        state = draw(st.sampled_from(State))
        wait = draw(waits) if state in (State.WAITING, State.QUEUED) or draw(st.booleans()) else Wait()
        spans.append(Span(at, at + length, state, wait))
        at += length
    return spans


@st.composite
def _lanes_of(draw: st.DrawFn, track: Track) -> list[Lane]:
    """None, the track itself, or calls on it that nest as calls do."""
    lanes: list[Lane] = []

    def call(start: int, end: int, depth: int) -> None:
        spans = track.spans.clip(start, end)
        name, outcome, function = draw(_NAMES), draw(_OUTCOMES), draw(_NAMES)
        result, error = draw(_RESULTS), draw(st.none() | _NAMES)
        lanes.append(Lane(name, track.index, start, end, outcome, spans, function, result, error))
        at = start
        while depth < 2 and at < end and draw(st.booleans()):
            inner_start = draw(st.integers(at, end))
            at = draw(st.integers(inner_start, end))
            call(inner_start, at, depth + 1)

    if draw(st.booleans()):
        call(track.start_ns, track.end_ns, draw(st.integers(0, 2)))
    return lanes


@st.composite
def _requests(
    draw: st.DrawFn, waits: st.SearchStrategy[Wait], some_track: st.SearchStrategy[int | None]
) -> Request:
    spans = draw(_spans(waits))
    start, end = spans[0].start_ns, spans[-1].end_ns
    within = st.none() | st.integers(start, end)
    return Request(
        name=f"{draw(st.sampled_from(['GET', 'POST']))} {draw(st.sampled_from(['/', '/a?b=1', '/ü']))} 1",
        start_ns=start,
        end_ns=end,
        outcome=draw(_OUTCOMES),
        spans=Spans.of(spans),
        sent_ns=draw(st.integers(start, end)),
        track=draw(some_track),
        accepted_ns=draw(within),
        handled_ns=draw(within),
        status=draw(st.none() | st.sampled_from([200, 404, 503])),
        error=draw(st.none() | st.sampled_from(["timeout", "refused"])),
    )


@st.composite
def _connections(draw: st.DrawFn, track_indices: st.SearchStrategy[int]) -> tuple[Connection, ...]:
    connections = []
    for _ in range(draw(st.integers(0, 3))):
        opened = draw(_TIMES)
        uses = sorted(draw(_slots(track_indices)), key=lambda use: use.start_ns)
        later = st.none() | st.integers(opened, opened + 60)
        connections.append(
            Connection(
                opened,
                draw(later),
                draw(later),
                draw(st.none() | track_indices),
                tuple(uses),
                kept=draw(st.booleans()),
                dropped=draw(st.booleans()),
            )
        )
    return tuple(connections)


@st.composite
def _memory(draw: st.DrawFn) -> list[MemorySample]:
    times = sorted(draw(st.lists(st.integers(-20, 120), max_size=5)))
    sizes = st.integers(0, 2**40)
    return [MemorySample(at, draw(sizes), draw(sizes), draw(st.integers(0, 300))) for at in times]


def _slots(track_indices: st.SearchStrategy[int]) -> st.SearchStrategy[tuple[Slot, ...]]:
    return _some(st.builds(lambda track, when: Slot(track, *when), track_indices, _intervals()), 4)


def _intervals() -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(_TIMES, st.integers(0, 30)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def _slow_steps(some_track: st.SearchStrategy[int | None]) -> st.SearchStrategy[SlowStep]:
    reasons = st.sampled_from(["", "sleep", "net.read", "gil"])
    return st.builds(
        lambda track, when, *more: SlowStep(track, *when, *more),
        some_track,
        _intervals(),
        st.none() | _TIMES,
        _TIMES,
        _SITES,
        _SITES,
        reasons,
    )


def _blocking_calls(some_track: st.SearchStrategy[int | None]) -> st.SearchStrategy[BlockingCall]:
    return st.builds(
        lambda track, when, reason, site: BlockingCall(track, when[0], when[1], reason, site, site),
        some_track,
        _intervals(),
        _REASONS,
        _SITES,
    )


@st.composite
def _await_sequences(draw: st.DrawFn, track_indices: st.SearchStrategy[int]) -> AwaitSequence:
    (start, end), count = draw(_intervals()), draw(st.integers(1, 5))
    sites, independent = draw(_some(_PLACES, 2)), draw(st.sampled_from([True, False, None]))
    waited = end - start
    return AwaitSequence(draw(track_indices), start, end, count, waited, waited // count, sites, independent)
