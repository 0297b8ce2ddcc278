"""The load for the servers of a lesson, as described in the table ``[load]`` of its manifest."""

from __future__ import annotations

import json
import mimetypes
import random
import re
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from asyncdemo.course.content.manifest import Knobs, Table
from asyncdemo.errors import UsageError

if TYPE_CHECKING:
    from asyncdemo.load.plan import Plan

_HOST, _PORT = "127.0.0.1", 1
"""Placeholders until the server's address is known."""
_BOUNDARY: Final = "----asyncdemo-upload-7MA4YWxkTrZu0gW"
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"

Amount = float | str
"""A number, or the name of a knob of the load."""


@dataclass(frozen=True, slots=True)
class Sending:
    """One kind of request, sent ``times`` times in a row before the next kind.

    ``status`` is the status that the response must have; None: any that is not an error.
    """

    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    times: Amount = 1
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """The load. ``sends`` rotate.

    Attributes:
        knobs: The constants of the load, as written.
        clients: How many send at the same time, each as soon as it has its response (a closed loop).
        requests: How many in total.
        workers: How many worker processes must be running before anything is sent; or the script's constant.
    """

    sends: tuple[Sending, ...]
    knobs: Knobs
    clients: Amount
    requests: Amount
    timeout_s: Amount = 30.0
    keep_alive: bool = False
    workers: int | str = 0

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the requests, each once, without the query."""
        return tuple(dict.fromkeys(sending.path.partition("?")[0] for sending in self.sends))

    def plan(self, knobs: Knobs, keep_answers: int = 0) -> Plan:
        """Return the plan for the load client, without the server's port.

        ``knobs`` has their values in this run; missing ones are as written. ``keep_answers`` is how many
        bytes of each response's body to keep. Raises UsageError if it makes no sense, or sends nothing.
        """
        from asyncdemo.load.plan import Plan, Send

        values = {**self.knobs, **knobs}

        def amount(given: Amount) -> float:
            if isinstance(given, str) and given not in values:
                raise UsageError(f"load: {given!r} is neither a number nor a knob of the load")
            return float(values[given]) if isinstance(given, str) else given

        sends = [
            Send(sending.method, sending.path, sending.headers, sending.body)
            for sending in self.sends
            for _ in range(round(amount(sending.times)))
        ]
        if not sends:
            raise UsageError("With these knobs, no request would be sent.")
        return Plan(
            host=_HOST,
            port=_PORT,
            sends=tuple(sends),
            requests=round(amount(self.requests)),
            clients=round(amount(self.clients)),
            timeout_s=amount(self.timeout_s),
            keep_alive=self.keep_alive,
            report=True,
            keep_answers=keep_answers,
        )


def read_load(table: Table) -> Load:
    """Read the table ``[load]`` of a lesson or an exercise. Raises CourseError with file and field."""
    knobs = table.values("knobs")
    for name, value in knobs.items():
        if isinstance(value, bool | str):
            raise table.error(f"knobs.{name}", f"must be a number, not {value!r}")
    workers = table.number_or_text("workers", 0)
    if not workers.isupper() if isinstance(workers, str) else workers < 0 or workers != int(workers):
        raise table.error("workers", f"must be a whole number or a constant of the scripts, not {workers!r}")
    load = Load(
        sends=table.each("sends", _sending),
        knobs=knobs,
        clients=table.number_or_text("clients"),
        requests=table.number_or_text("requests"),
        timeout_s=table.number_or_text("timeout_s", 30.0),
        keep_alive=table.flag("keep_alive", False),
        workers=workers if isinstance(workers, str) else int(workers),
    )
    table.close()
    amounts = (load.clients, load.requests, load.timeout_s, *(sending.times for sending in load.sends))
    for name in knobs:
        if name not in amounts:
            raise table.error(f"knobs.{name}", "is not used in the load")
    try:
        load.plan({})
    except UsageError as error:
        raise table.error("", str(error).removeprefix("load: ")) from None
    return load


def _sending(entry: Table) -> Sending:
    path, status = entry.text("path"), entry.whole("status", 0)
    if not re.fullmatch(r"/[!-~]*", path):
        raise entry.error("path", f"must begin with / and be ASCII without spaces, not {path!r}")
    if status and not 200 <= status < 600:
        raise entry.error("status", f"must be 200 to 599, not {status}")
    content_type, body = _body(entry)
    return Sending(
        method=entry.text("method", "GET"),
        path=path,
        headers=(("Content-Type", content_type),) if content_type else (),
        body=body,
        times=entry.number_or_text("times", 1),
        status=status or None,
    )


def _body(entry: Table) -> tuple[str, bytes]:
    """Return (content type, body), both empty if none is given. The same entry gives the same bytes."""
    data, text, file = entry.anything("json"), entry.text("body", ""), entry.table("file")
    if data is not None:
        try:
            return "application/json", json.dumps(data, ensure_ascii=False).encode()
        except TypeError as error:
            raise entry.error("json", f"cannot be written as JSON: {error}") from None
    if file is not None:
        body = file_body(file.text("field"), file.text("name"), file.whole("bytes"))
        file.close()
        return body
    return ("text/plain; charset=utf-8", text.encode()) if text else ("", b"")


def file_body(field: str, name: str, size: int) -> tuple[str, bytes]:
    """Return (content type, body) of a form whose ``field`` is a file with this name and ``size`` bytes.

    A .png is a picture that decoders accept, if ``size`` is enough for the smallest one.
    """
    content = png(size) if name.endswith(".png") else _noise(size)
    head = (
        f"--{_BOUNDARY}\r\n"
        f'Content-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
        f"Content-Type: {mimetypes.guess_type(name)[0] or 'application/octet-stream'}\r\n\r\n"
    )
    body = head.encode() + content + f"\r\n--{_BOUNDARY}--\r\n".encode()
    return f"multipart/form-data; boundary={_BOUNDARY}", body


def png(size: int) -> bytes:
    """Return a picture of one pixel, padded to ``size`` with a private chunk; cut off below 67 bytes."""
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixel = _chunk(b"IDAT", zlib.compress(b"\x00\x80"))
    end = _chunk(b"IEND", b"")
    smallest = len(_SIGNATURE) + len(header) + len(pixel) + len(end)
    filler = b"" if size < smallest + 12 else _chunk(b"fiLl", _noise(size - smallest - 12))
    # Decoders ignore what follows the end; it pads when there is no room for a chunk (12 bytes or more).
    return (_SIGNATURE + header + pixel + filler + end).ljust(size, b"\0")[:size]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _noise(size: int) -> bytes:
    """Return incompressible bytes."""
    return random.Random(size).randbytes(size)
