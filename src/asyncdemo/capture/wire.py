"""What travels between the traced child and its parent: frames, tags and the handshake.

A frame is one kind byte, a length and a payload. Frequent events are six 64-bit integers each,
sent as packed arrays; everything else is a *definition*, a JSON list whose first item is its name.
Definitions travel before the numbers that refer to them.

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
    NOW                at_ns                       nothing happened until then
    STUCK              at_ns                       the definition "stuck" tells of this moment
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator

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
DEFINITIONS = b"D"
OPTIONS = b"O"
GO = b"G"
ASK = b"A"
"""Who has not ended? Answered by the definition "stuck" and the number of that name."""

ENV = "ASYNCDEMO_RUN"
"""Names the parent's socket and this run's token; it stays set, so that a process which the script
leaves behind can be told from others."""

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
