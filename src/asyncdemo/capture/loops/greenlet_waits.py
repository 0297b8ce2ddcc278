"""Tells from the frames of a suspended greenlet what it waits for: gevent's own functions name the reason.

Functions that gevent has compiled (``Greenlet.join``, ``Event.wait``, ``Semaphore.acquire``, ...) have no
frame. Each of them waits for another greenlet, and so, it is assumed, does anything that is not known here.
"""

from __future__ import annotations

import os
from types import CodeType, FrameType
from typing import Any

from asyncdemo.capture.recorder import QUEUED, WAITING

Reason = tuple[str, int]

OTHERS: Reason = ("greenlet", WAITING)
"""Waits for another greenlet, as far as is known."""

_READ, _WRITE = ("net.read", WAITING), ("net.write", WAITING)
_CONNECT, _DNS = ("net.connect", WAITING), ("dns", WAITING)
_THREAD = ("thread", WAITING)
_SOCKET = {
    "accept": ("net.accept", WAITING),
    "connect": _CONNECT,
    "connect_ex": _CONNECT,
    "_internal_connect": _CONNECT,
    "do_handshake": _CONNECT,
    "getaddrinfo": _DNS,
    "gethostbyname": _DNS,
    "read": _READ,
    "recv": _READ,
    "recv_into": _READ,
    "recvfrom": _READ,
    "recvfrom_into": _READ,
    "recvmsg": _READ,
    "recvmsg_into": _READ,
    "send": _WRITE,
    "sendall": _WRITE,
    "sendmsg": _WRITE,
    "sendto": _WRITE,
    "write": _WRITE,
}
_REASONS: dict[str, dict[str, Reason]] = {
    "hub.py": {"sleep": ("sleep", WAITING), "idle": ("sleep", WAITING)},
    "_socket3.py": _SOCKET,
    "_socketcommon.py": _SOCKET,
    "ssl.py": _SOCKET,
    "pool.py": {"add": ("semaphore", QUEUED), "wait_available": ("semaphore", QUEUED)},
    "select.py": {"select": _READ, "poll": _READ},
    "subprocess.py": {"wait": ("subprocess", WAITING), "communicate": ("subprocess", WAITING)},
    "threadpool.py": {"apply": _THREAD, "spawn": _THREAD, "map": _THREAD},
}
"""gevent's file -> function -> reason."""
_OTHER_PACKAGES: dict[str, Reason] = {"psycogreen": ("sql", WAITING)}

_by_code: dict[CodeType, Reason | None] = {}


def reason(frame: FrameType | None) -> tuple[Reason, FrameType | None]:
    """Return (reason, the frame that tells it), from the innermost frame of a greenlet just suspended."""
    found: tuple[Reason, FrameType | None] = OTHERS, None
    while frame is not None:
        code = frame.f_code
        if code in _by_code:
            known = _by_code[code]
        else:
            known = _by_code[code] = _reason_of(code)
        if known is not None:
            found = known, frame
            if known is not _THREAD:  # for example, gevent looks names up in a thread
                break
        frame = frame.f_back
    return found


def descriptor(frame: FrameType | None) -> int:
    """Return the file that a greenlet which was just switched to waited for; -1 if that is not known."""
    _, teller = reason(frame)
    names = {} if teller is None else teller.f_locals
    waited_for: Any = names.get("conn", names.get("self"))
    try:
        return int(waited_for.fileno())
    except Exception:  # noqa: BLE001 - no such method, or closed: each library raises its own error
        return -1


def _reason_of(code: CodeType) -> Reason | None:
    folder, file = os.path.split(code.co_filename)
    package = os.path.basename(folder)
    if package == "gevent":
        return _REASONS.get(file, {}).get(code.co_name)
    return _OTHER_PACKAGES.get(package)
