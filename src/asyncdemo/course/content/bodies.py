"""Request bodies as a manifest describes them: JSON, text, or an uploaded file.

The same description gives the same bytes every time. Not here: sending them (see ``load``).
"""

from __future__ import annotations

import json
import random
import struct
import zlib
from typing import Final

_BOUNDARY: Final = "----asyncdemo-upload-7MA4YWxkTrZu0gW"
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_TYPES: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "txt": "text/plain",
    "csv": "text/csv",
    "json": "application/json",
}


def json_body(value: object) -> tuple[str, bytes]:
    """Return (content type, body). Raises TypeError if JSON can't represent the value."""
    return "application/json", json.dumps(value, ensure_ascii=False).encode()


def file_body(field: str, name: str, size: int) -> tuple[str, bytes]:
    """Return (content type, body) of a form whose ``field`` is a file with this name and ``size`` bytes.

    A .png is a picture that decoders accept, if ``size`` is enough for the smallest one.
    """
    suffix = name.rpartition(".")[2].lower()
    content = png(size) if suffix == "png" else _noise(size)
    head = (
        f"--{_BOUNDARY}\r\n"
        f'Content-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
        f"Content-Type: {_TYPES.get(suffix, 'application/octet-stream')}\r\n\r\n"
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
