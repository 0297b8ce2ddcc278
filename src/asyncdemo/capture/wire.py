"""What travels between the traced process and its parent: every message, its encoding, and the handshake.

A frame is one kind byte, a length and a payload. Frequent events are six 64-bit integers each, sent as packed
arrays. Everything else is a message: one of the NamedTuples of this module, which travel as JSON lists of
their name and their fields, before the numbers that refer to them.

Numbers, by their first integer (a task's step has its track there, so tags are negative):

    STEP (track >= 0)  ready_ns, start_ns, end_ns, wait, waker
    THREAD_WAITS       track, at_ns, wait          the thread waits from now on
    THREAD_RUNS        track, at_ns                it runs again
    TAKEN, GIVEN_BACK  track, at_ns, resource, connection + 1, site + 1   one slot; of a pool, this
                       connection; the line that took it; 0 for none
    LEVEL              resource, at_ns, length     of a queue
    ITEM_QUEUED        item, at_ns, resource, track that submitted it
    ITEM_STARTED       item, at_ns, worker's track
    ITEM_DONE          item, at_ns
    CALLED             track or -1, start_ns, end_ns, call   a blocking call inside a step
    OFF_CPU            track, start_ns, end_ns, wait   the thread waited, unobserved: seen by its CPU clock
    SUMMED             track + (waits << WAITS_SHIFT), end_ns, steps, running_ns, wait   in place of so many
                       steps up to that time; else the task was ready, but for so many waits that come next:
    WAITED             track, wait, waker, length_ns   all together
    TASK_SUMMED        group + (steps << WAITS_SHIFT), start_ns, end_ns, running_ns, waiting_ns   in place of
                       all that a task did, which is known by its group only
    NOW                at_ns                       nothing happened until then
    STUCK              at_ns                       the definition "stuck" tells of this moment
"""

import json
import struct
from collections.abc import Callable, Iterator, Sequence
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

STEP_SIZE = 6

THREAD_WAITS = -1
THREAD_RUNS = -2
TAKEN = -3
GIVEN_BACK = -4
LEVEL = -5
ITEM_QUEUED = -6
ITEM_STARTED = -7
ITEM_DONE = -8
CALLED = -9
NOW = -10
STUCK = -11
OFF_CPU = -12
SUMMED = -13
WAITED = -14
ENDED = -15
"""A task, as most do: track, when, and whether it was cancelled. ``End`` tells what else there is to tell."""
TASK_SUMMED = -16
WAITS_SHIFT = 56

MOST_WHOLE = 20_000
"""Tasks that have ended and are told of and kept one by one, where no lanes are asked for."""
WOKEN_BY_LANES = frozenset(
    {"event", "condition", "barrier", "empty queue", "queue.join", "future", "taskgroup", "gather", "tasks"}
)
"""Waits that another lane may end: who did is known from the wake."""

# Wakers that are no track.
BY_LOOP = -1
BY_IO = -2
BY_TIMER = -3
BY_THREAD = -4

# Waits that are no wait: the step ended in a bare yield, or the task was done.
WAIT_YIELD = 0
WAIT_DONE = 1
FIRST_WAIT = 2

PROCESS_SHIFT = 40
"""A process that the script started counts everything from its number << this, so no two collide."""

NUMBERS = b"N"
MESSAGES = b"M"
OPTIONS = b"O"
GO = b"G"
ASK = b"A"
"""Who has not ended? Answered by the message ``Stuck`` and the number of that name."""
FORK = b"F"
"""Of a process that runs a script by forks of itself: it can, is to, has done so, or a fork has ended."""
BEHIND = b"B"
CAUGHT_UP = b"C"
"""More has arrived than was looked at so far; all of it was."""

ENV = "ASYNCDEMO_RUN"
"""Names the parent's socket and this run's token; it stays set, so that a process which the script
leaves behind can be told from others."""


# Not `from __future__ import annotations`: each annotation would be compiled a second time, by NamedTuple.

# -- messages: the process ------------------------------------------------------------------------
# Times (`..._ns`) are integer nanoseconds on the clock of the run. Tracks, sites, waits, resources, lanes and
# connections are known by indices, which the messages `Task`, `Thread`, `Site`, `Wait`, ... introduce.


class Hello(NamedTuple):
    """The first message of a connection. A parent of another version would not understand the rest."""

    token: str
    pid: int
    version: int


class Refused(NamedTuple):
    """The script is not run, because it was asked for what cannot be."""

    message: str


class Invalid(NamedTuple):
    """The script cannot be run at all."""

    message: str


class Process(NamedTuple):
    """A process that the script started."""

    number: int
    pid: int
    name: str


class Code(NamedTuple):
    """Where the script's code is, for the processes that it starts."""

    path: str
    roots: list[str]


class Ready(NamedTuple):
    """The script is compiled. clock: "real" or "virtual"."""

    python: str
    knobs: dict[str, Any]
    clock: str


class Start(NamedTuple):
    """The script begins."""

    at_ns: int


class Finish(NamedTuple):
    """The interpreter came to its own end."""

    at_ns: int


class Forked(NamedTuple):
    """A fork was made of which nothing is heard."""


class Cut(NamedTuple):
    """Nothing more is recorded: the parent did not take it."""

    at_ns: int


class Note(NamedTuple):
    """A sentence for whoever reads the run."""

    text: str


class HookFailed(NamedTuple):
    """switched_off: the hook is not tried again."""

    hook: str
    why: str
    at_ns: int
    switched_off: bool


class Clock(NamedTuple):
    """From now on time is "real", or "virtual"."""

    kind: str
    why: str


class Delay(NamedTuple):
    """Time passed before a callback of a loop, because the run's schedule says so. callback: its number."""

    callback: int
    length_ns: int
    at_ns: int


class Result(NamedTuple):
    """What the function that was called has returned, as a Python literal."""

    literal: str | None


# -- messages: tables -----------------------------------------------------------------------------


class Site(NamedTuple):
    site: int
    file: str
    line: int
    function: str


class Wait(NamedTuple):
    """state: of ``model.State``. on: a track. item: a work item of an executor. site: the line that waits."""

    wait: int
    reason: str
    state: int
    resource: int | None
    on: int | None
    item: int | None
    site: int | None


class Call(NamedTuple):
    """A call that blocks a loop. site: its line. called_from: the nearest line of the user's own code."""

    call: int
    reason: str
    site: int | None
    called_from: int | None


# -- messages: tasks, threads, lanes --------------------------------------------------------------


class Task(NamedTuple):
    """site: of its coroutine. created: the line that made it. thread: the track of its loop's thread.

    own: made by the standard library, or by us, for itself.
    """

    track: int
    name: str
    function: str
    site: int | None
    created: int | None
    parent: int | None
    at_ns: int
    thread: int | None
    own: bool


class TaskGroup(NamedTuple):
    """Tasks that are only summed up: what they have in common. Fields as in ``Task`` and ``End``."""

    group: int
    function: str
    outcome: str
    parent: int | None
    thread: int | None
    site: int | None


class Thread(NamedTuple):
    track: int
    name: str
    function: str
    site: int | None
    created: int | None
    parent: int | None
    at_ns: int


class Runs(NamedTuple):
    """The thread runs already."""

    track: int
    at_ns: int


class End(NamedTuple):
    """outcome: of ``model.Outcome``. error: the name of the exception's type. name: if it changed."""

    track: int
    at_ns: int
    outcome: str
    error: str | None
    cpu_ns: int | None
    name: str | None


class Destroyed(NamedTuple):
    """The task was collected before it was done."""

    track: int
    at_ns: int


class Pending(NamedTuple):
    """The tasks that were not done when their loop's main task was."""

    tracks: list[int]


class Lane(NamedTuple):
    """A call of a function that is to be a lane."""

    lane: int
    track: int
    name: str
    function: str
    at_ns: int


class LaneEnd(NamedTuple):
    """result: a Python literal, where results are recorded."""

    lane: int
    at_ns: int
    outcome: str
    result: str | None
    error: str | None


class Pause(NamedTuple):
    """A long wait of a task. places: (serial number of the awaitable, site), from its coroutine inwards."""

    track: int
    start_ns: int
    end_ns: int
    places: list[Any]


class Unawaited(NamedTuple):
    """A coroutine was never awaited."""

    function: str
    at_ns: int
    site: int | None


class Uncaught(NamedTuple):
    """The error that ended the script. own: its type is the script's. raised_in: the innermost function."""

    error: str
    text: str
    in_group: bool
    own: bool
    raised_in: str
    site: int | None


class Stuck(NamedTuple):
    """Who has not ended. idle: nothing is outstanding in any loop."""

    who: list[Any]
    idle: bool


# -- messages: loops that are held up -------------------------------------------------------------


class SlowStep(NamedTuple):
    """track: -1 in a callback. stolen_ns: how long another program had the processor meanwhile."""

    track: int
    start_ns: int
    end_ns: int
    cpu_ns: int | None
    stolen_ns: int
    site: int | None
    called_from: int | None


class Blocked(NamedTuple):
    """A step that is not over. starved: [track, ready_ns] of those that wait for its end."""

    track: int
    since_ns: int
    now_ns: int
    site: int | None
    called_from: int | None
    reason: str
    starved: list[Any]


# -- messages: resources and pools ----------------------------------------------------------------


class Resource(NamedTuple):
    """kind: of ``model.ResourceKind``. site: the line that made it."""

    resource: int
    kind: str
    limit: int | None
    site: int | None


class Pool(NamedTuple):
    resource: int
    name: str
    track: int
    at_ns: int


class PoolClosed(NamedTuple):
    resource: int
    at_ns: int


class PoolRefused(NamedTuple):
    """Nobody got a connection who asked for one at ``asked_ns``."""

    resource: int
    track: int
    asked_ns: int
    at_ns: int


class Connection(NamedTuple):
    """It is being opened."""

    connection: int
    resource: int
    track: int
    at_ns: int


class ConnectionReady(NamedTuple):
    connection: int
    at_ns: int


class ConnectionReturned(NamedTuple):
    """It was given back already when it was taken for held."""

    connection: int


class ConnectionClosed(NamedTuple):
    """held: somebody had it. dropped: the program lost it without closing it."""

    connection: int
    at_ns: int
    held: bool
    dropped: bool


# -- messages: requests of servers ----------------------------------------------------------------


class Accepted(NamedTuple):
    """A connection from this port of the client's."""

    port: int
    at_ns: int


class Handling(NamedTuple):
    number: int
    trace_id: str
    track: int
    at_ns: int


class Handled(NamedTuple):
    number: int
    at_ns: int


Message = (
    Hello | Refused | Invalid | Process | Code | Ready | Start | Finish | Forked | Cut | Note | HookFailed
    | Clock | Delay
    | Result | Site | Wait | Call | Task | TaskGroup | Thread | Runs | End | Destroyed | Pending
    | Lane | LaneEnd | Pause | Unawaited | Uncaught | Stuck | SlowStep | Blocked | Resource | Pool
    | PoolClosed | PoolRefused | Connection | ConnectionReady | ConnectionReturned | ConnectionClosed
    | Accepted | Handling | Handled
)  # fmt: skip

VERSION = 1
"""Of all of this. The sides may be of two installations where a script starts another Python."""

# The script may replace json.dumps, struct.pack and others: we keep to what we have.
_encode = json.JSONEncoder(separators=(",", ":")).encode
_pack = struct.pack
_HEADER = struct.Struct("<cI")
_EVENT = struct.Struct(f"<{STEP_SIZE}q")
MAX_FRAME = 1 << 28


def frame(kind: bytes, payload: bytes) -> bytes:
    return _HEADER.pack(kind, len(payload)) + payload


def json_frame(kind: bytes, value: object) -> bytes:
    return frame(kind, _encode(value).encode())


def messages_frame(messages: Sequence[Message]) -> bytes:
    return json_frame(MESSAGES, [[type(message).__name__, *message] for message in messages])


def messages(payload: bytes) -> Iterator[Message]:
    """Raises ValueError, TypeError or KeyError at what is no message, after those before it."""
    for name, *fields in json.loads(payload):
        kind, shapes = _KINDS[name]
        shape = tuple(map(type, fields))
        if shape not in shapes:
            _check(kind, fields)
            shapes.add(shape)
        yield _new(kind, fields)


def _check(kind: type[Message], fields: Sequence[Any]) -> None:
    """Raises ValueError unless these are values for the fields of that kind of message."""
    wanted = get_type_hints(kind)
    if len(fields) != len(wanted):
        raise ValueError(f"{kind.__name__} has {len(wanted)} fields, not {len(fields)}")
    for (name, hint), value in zip(wanted.items(), fields, strict=True):
        allowed = get_args(hint) if isinstance(hint, UnionType) else (get_origin(hint) or hint,)
        if type(value) not in allowed:
            raise ValueError(f"{kind.__name__}.{name} is {value!r}")


_new: Callable[[type[Message], Sequence[Any]], Message] = tuple.__new__
_KINDS: dict[str, tuple[type[Message], set[tuple[type, ...]]]] = {
    kind.__name__: (kind, set()) for kind in get_args(Message)
}
"""Name -> the message, and the types that its fields have been checked to have."""


def numbers_frame(numbers: list[int]) -> bytes:
    # struct takes about half as long as array to convert a list
    return frame(NUMBERS, _pack(f"<{len(numbers)}q", *numbers))


def events(payload: bytes) -> Iterator[tuple[int, ...]]:
    """Of six numbers each. Raises ValueError if the payload is not whole events."""
    if len(payload) % _EVENT.size:
        raise ValueError("numbers are not whole events")
    return _EVENT.iter_unpack(payload)


class FrameReader:
    """Cuts a byte stream into frames, however it arrives.

    Raises ValueError at a frame that claims to be larger than any that is ever sent.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            kind, length = _HEADER.unpack_from(self._buffer)
            if length > MAX_FRAME:
                raise ValueError("the stream of events is garbled")
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[_HEADER.size : end])
            del self._buffer[:end]
            yield kind, payload
