"""The protocol between the traced process and its parent: every message, its encoding, and the handshake.

A frame is one kind byte, a length and a payload. Frequent events are six 64-bit integers each, sent as packed
arrays. Everything else is a message: one of the NamedTuples of this module, sent as a JSON list of its name
and its fields, before the numbers that refer to it.

Numbers, by their first integer (a task's step has its track there, so tags are negative):

    STEP (track >= 0)  ready_ns, start_ns, end_ns, wait, waker
    THREAD_WAITS       track, at_ns, wait          the thread starts to wait
    THREAD_RUNS        track, at_ns                it runs again
    TAKEN, GIVEN_BACK  track, at_ns, resource, connection + 1, site + 1   one slot (of a pool: this
                       connection), and the line that took it; 0 for none
    LEVEL              resource, at_ns, length     of a queue
    ITEM_QUEUED        item, at_ns, resource, track that submitted it
    ITEM_STARTED       item, at_ns, worker's track
    ITEM_DONE          item, at_ns
    CALLED             track or -1, start_ns, end_ns, call   a blocking call inside a step
    OFF_CPU            track, start_ns, end_ns, wait   a wait that no hook saw, found by the CPU clock
    GAP                since_ns, until_ns, steps   number of steps of tasks not recorded in that time
    UNSEEN             track, since_ns         the task made steps since then that were not recorded
    NOW                at_ns                       nothing else happened until then
    STUCK              at_ns                       the message ``Stuck`` describes this moment
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
GAP = -13
"""Sent when it begins, again while it lasts, and when it ends; ``since_ns`` is always the same."""
UNSEEN = -14
ENDED = -15
"""Ends most tasks: track, when, and whether it was cancelled. ``End`` is sent if there is more to tell."""

WOKEN_BY_LANES = frozenset(
    {"event", "condition", "barrier", "empty queue", "queue.join", "future", "taskgroup", "gather", "tasks"}
)
"""Waits that another lane may end: the wake tells which one did."""

# Wakers that are not tracks.
BY_LOOP = -1
BY_IO = -2
BY_TIMER = -3
BY_THREAD = -4

# Waits that are not really waits: the step ended in a bare yield, or the task was done.
WAIT_YIELD = 0
WAIT_DONE = 1
FIRST_WAIT = 2

PROCESS_SHIFT = 40
"""A process that the script started counts everything from its number << this, so indices do not collide."""

NUMBERS = b"N"
MESSAGES = b"M"
OPTIONS = b"O"
GO = b"G"
ASK = b"A"
"""Asks what has not ended. The answer is the message ``Stuck`` and the event ``STUCK``."""
FORK = b"F"
"""For a process that runs a script in forks of itself: it can fork, is to, has forked, or a fork ended."""
BEHIND = b"B"
CAUGHT_UP = b"C"
"""The parent has received more than it has processed so far; it has processed everything."""

ENV = "ASYNCDEMO_RUN"
"""Names the parent's socket and this run's token. It stays set, so that a process which the script leaves
behind can be recognised."""


# No `from __future__ import annotations`: NamedTuple would compile each annotation a second time.

# -- messages: the process ------------------------------------------------------------------------
# Times (`..._ns`) are integer nanoseconds on the clock of the run. Tracks, sites, waits, resources, lanes and
# connections are referred to by indices, which the messages `Task`, `Thread`, `Site`, `Wait`, ... introduce.


class Hello(NamedTuple):
    """The first message of a connection. A parent of another version would not understand the rest."""

    token: str
    pid: int
    version: int


class Refused(NamedTuple):
    """The script is not run, because the request does not fit it."""

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
    """The script is compiled. ``clock`` is "real" or "virtual"."""

    python: str
    knobs: dict[str, Any]
    clock: str


class Start(NamedTuple):
    """The script begins."""

    at_ns: int


class Finish(NamedTuple):
    """The interpreter ended by itself."""

    at_ns: int


class Forked(NamedTuple):
    """The script forked, and the fork is not observed."""


class Cut(NamedTuple):
    """Recording has stopped, because the parent did not keep up."""

    at_ns: int


class Note(NamedTuple):
    """A sentence for the reader of the run."""

    text: str


class HookFailed(NamedTuple):
    """A hook failed. If ``switched_off``, it is not tried again."""

    hook: str
    why: str
    at_ns: int
    switched_off: bool


class Clock(NamedTuple):
    """Time is "real" or "virtual" from now on."""

    kind: str
    why: str


class Delay(NamedTuple):
    """Time passed before a loop's callback, as the run's schedule says. ``callback`` is its number."""

    callback: int
    length_ns: int
    at_ns: int


class Result(NamedTuple):
    """What the called function returned, as a Python literal."""

    literal: str | None


# -- messages: tables -----------------------------------------------------------------------------


class Site(NamedTuple):
    site: int
    file: str
    line: int
    function: str


class Wait(NamedTuple):
    """A wait at ``site``. ``state`` is a ``model.State``, ``on`` a track, ``item`` an executor's item."""

    wait: int
    reason: str
    state: int
    resource: int | None
    on: int | None
    item: int | None
    site: int | None


class Call(NamedTuple):
    """A call at ``site`` that blocks a loop. ``called_from`` is the nearest line of the user's own code."""

    call: int
    reason: str
    site: int | None
    called_from: int | None


# -- messages: tasks, threads, lanes --------------------------------------------------------------


class Task(NamedTuple):
    """A new task.

    Attributes:
        site: Where its coroutine is defined.
        created: The line that created it.
        thread: The track of its loop's thread.
        own: Whether the standard library, or the tracer, created it for its own use.
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


class TasksCounted(NamedTuple):
    """Tasks that began and ended in a gap. The fields are those of ``Task`` and ``End``."""

    function: str
    outcome: str
    error: str | None
    tasks: int


class Thread(NamedTuple):
    track: int
    name: str
    function: str
    site: int | None
    created: int | None
    parent: int | None
    at_ns: int


class Runs(NamedTuple):
    """The thread is already running."""

    track: int
    at_ns: int


class End(NamedTuple):
    """``outcome`` is a ``model.Outcome``, ``error`` an exception type's name, ``name`` a changed name."""

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
    """A call of a function that was chosen as a lane."""

    lane: int
    track: int
    name: str
    function: str
    at_ns: int


class LaneEnd(NamedTuple):
    """The end of such a call. ``result`` is a Python literal, if results are recorded."""

    lane: int
    at_ns: int
    outcome: str
    result: str | None
    error: str | None


class Pause(NamedTuple):
    """A long wait of a task. ``places`` are (serial number of the awaitable, site), outermost first."""

    track: int
    start_ns: int
    end_ns: int
    places: list[Any]


class Unawaited(NamedTuple):
    """A coroutine was never awaited. If ``is_there``, the line itself dropped it, not what it calls."""

    function: str
    at_ns: int
    site: int | None
    is_there: bool


class Uncaught(NamedTuple):
    """The error that ended the script, raised in ``raised_in``. If ``own``, its type is the script's own."""

    error: str
    text: str
    in_group: bool
    own: bool
    raised_in: str
    site: int | None


class Stuck(NamedTuple):
    """What has not ended.

    If ``idle``, nothing is outstanding in any loop, and the script handles no signal. If ``alarms``, a timer
    is set that may do anything.
    """

    who: list[Any]
    idle: bool
    alarms: bool


# -- messages: loops that are held up -------------------------------------------------------------


class SlowStep(NamedTuple):
    """A slow step; ``track`` is -1 in a callback. Other programs had the processor for ``stolen_ns``."""

    track: int
    start_ns: int
    end_ns: int
    cpu_ns: int | None
    stolen_ns: int
    site: int | None
    called_from: int | None
    reason: str
    """"import" if it imported a module; else "", and the calls that it made may explain it."""


class Blocked(NamedTuple):
    """A step that is not over. ``starved`` has [track, ready_ns] of the tasks that wait for it to end."""

    track: int
    since_ns: int
    now_ns: int
    site: int | None
    called_from: int | None
    reason: str
    starved: list[Any]


# -- messages: resources and pools ----------------------------------------------------------------


class Resource(NamedTuple):
    """``kind`` is a ``model.ResourceKind``, ``site`` the line that made it."""

    resource: int
    kind: str
    limit: int | None
    site: int | None


class Pool(NamedTuple):
    """All after ``at_ns`` is what a ``libraries.pool_registry.PoolKind`` says of it."""

    resource: int
    name: str
    track: int
    at_ns: int
    is_http: bool
    size: str
    giving_back: str
    if_refused: str
    if_reopened: str


class PoolClosed(NamedTuple):
    resource: int
    at_ns: int


class PoolRefused(NamedTuple):
    """The pool refused a connection that was requested at ``asked_ns``."""

    resource: int
    track: int
    asked_ns: int
    at_ns: int


class Connection(NamedTuple):
    """A connection is being opened."""

    connection: int
    resource: int
    track: int
    at_ns: int


class ConnectionReady(NamedTuple):
    connection: int
    at_ns: int


class ConnectionReturned(NamedTuple):
    """A connection was given back after it was closed while held."""

    connection: int


class ConnectionClosed(NamedTuple):
    """``held`` tells that it was handed out, ``dropped`` that the program lost it without closing it."""

    connection: int
    at_ns: int
    held: bool
    dropped: bool


# -- messages: requests of servers ----------------------------------------------------------------


class Accepted(NamedTuple):
    """A server accepted a connection from this port of the client."""

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


# By the part of `recording.assembly` that they change.
ScriptMessage = (
    Hello | Refused | Invalid | Process | Code | Ready | Start | Finish | Forked | Cut | Note | HookFailed
    | Clock | Delay | Result
)  # fmt: skip
TrackMessage = (
    Site | Wait | Task | TasksCounted | Thread | Runs | End | Destroyed | Pending | Lane | LaneEnd | Pause
    | Unawaited | Uncaught
)  # fmt: skip
ResourceMessage = (
    Resource | Pool | PoolClosed | PoolRefused | Connection | ConnectionReady | ConnectionReturned
    | ConnectionClosed
)  # fmt: skip
HoldupMessage = SlowStep | Blocked | Call
RequestMessage = Accepted | Handling | Handled
Message = ScriptMessage | TrackMessage | ResourceMessage | HoldupMessage | RequestMessage | Stuck

VERSION = 1
"""The protocol's. If a script starts another Python, the two sides may be different installations."""

# The script may replace json.dumps, struct.pack and others, so we keep our own references.
_encode = json.JSONEncoder(separators=(",", ":")).encode
_pack = struct.pack
_HEADER = struct.Struct("<cI")
_EVENT = struct.Struct(f"<{STEP_SIZE}q")
MAX_FRAME = 1 << 28
_LARGE = 1 << 20
LONGEST_TEXT = 2_000
"""Characters of a name or a message that are of use. Searching in it may take quadratic time."""
_WHOLE = {"Code", "LaneEnd", "Result"}
"""Messages whose texts are more than names: paths, and results, which are limited where they are made."""


def frame(kind: bytes, payload: bytes) -> bytes:
    return _HEADER.pack(kind, len(payload)) + payload


def json_frame(kind: bytes, value: object) -> bytes:
    return frame(kind, _encode(value).encode())


def messages_frame(messages: Sequence[Message]) -> bytes:
    data = json_frame(MESSAGES, [[type(message).__name__, *message] for message in messages])
    if len(data) > _LARGE:  # seldom, and then nearly always because of long texts
        named = ((type(message).__name__, message) for message in messages)
        data = json_frame(MESSAGES, [[name, *_shortened(name, fields)] for name, fields in named])
    return data


def messages(payload: bytes) -> Iterator[Message]:
    """Decode messages. Raises ValueError, TypeError or KeyError at the first that is invalid."""
    may_be_long = len(payload) > LONGEST_TEXT
    for name, *fields in json.loads(payload):
        if may_be_long:
            fields = _shortened(name, fields)
        kind, shapes = _KINDS[name]
        shape = tuple(map(type, fields))
        if shape not in shapes:
            _check(kind, fields)
            shapes.add(shape)
        yield _new(kind, fields)


def _shortened(name: str, fields: Sequence[Any]) -> Sequence[Any]:
    if name in _WHOLE:
        return fields
    return [value[:LONGEST_TEXT] if type(value) is str else value for value in fields]


def _check(kind: type[Message], fields: Sequence[Any]) -> None:
    """Raises ValueError unless the values fit the fields of that kind of message."""
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
"""Name -> the message, and the combinations of field types that have been checked."""


def numbers_frame(numbers: list[int]) -> bytes:
    # struct takes about half as long as array to convert a list
    return frame(NUMBERS, _pack(f"<{len(numbers)}q", *numbers))


def events(payload: bytes) -> Iterator[tuple[int, ...]]:
    """Decode events of six numbers each. Raises ValueError if the payload is not whole events."""
    if len(payload) % _EVENT.size:
        raise ValueError("numbers are not whole events")
    return _EVENT.iter_unpack(payload)


class FrameReader:
    """Splits a byte stream into frames, however it arrives.

    Raises ValueError if a frame claims to be larger than any that is ever sent.
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
