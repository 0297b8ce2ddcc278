"""Small JSON objects that several processes change at once, without locks and without losing a change.

The object NAME is the readable file ``NAME.N.json`` with the highest N. Who changes it reads revision N and
publishes N + 1, which fails if somebody else was first: then it is read and changed again. So each revision
holds all that the ones before it held, and a process that is killed leaves at most a draft behind.

Superseded revisions are removed, and then a number is free again: a process that was stopped between reading
and publishing could take it, and nobody would look at what it wrote. Hence every change leaves a ticket in
the object, and is made anew unless the newest revision has it. That revision is surely found, though listing
a folder is not atomic: a revision stays for a minute after the next one came, and a listing takes less.

Not for: what the objects mean (``progress``, ``context``).
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from asyncdemo.course.workspace.files import draft, publish, sweep

__all__ = ["Data", "names", "newest", "update"]

Data = dict[str, Any]

_REVISION: Final = re.compile(r"(.+)\.(\d+)\.json")
_TICKETS: Final = "tickets"
_KEEP_S: Final = 60.0
_KEEP_TICKET_S: Final = 600.0
_LISTING_S: Final = 20.0
_UNFINISHED_S: Final = 2.0
"""How long to wait for an unreadable newest revision: without hard links a name comes before the content."""
_RETRY_S: Final = 0.01


def names(folder: Path) -> set[str]:
    """The objects there are. Raises OSError, but a folder that is not there is empty."""
    return {match[1] for match in map(_REVISION.fullmatch, _listing(folder)) if match}


def newest(folder: Path, name: str) -> Data | None:
    """The object as it is now; None if there is none that can be read. Raises OSError."""
    return _newest(folder, name).data


def update(folder: Path, name: str, change: Callable[[Data | None], Data]) -> Data:
    """Publishes what ``change`` makes of the newest revision, and returns it. Raises OSError.

    change: is called again if others were faster, so it must be a function of its argument.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ticket = os.urandom(6).hex()
    while True:
        found = _newest_finished(folder, name)
        changed = dict(change(found.data))
        changed[_TICKETS] = {**_recent_tickets(found.data), ticket: round(time.time(), 3)}
        content = json.dumps(changed, indent=1, ensure_ascii=False).encode(errors="surrogatepass")
        try:
            publish(draft(folder, content), _file(folder, name, found.highest + 1))
        except FileExistsError:
            continue
        found = _newest(folder, name)
        if found.data is not None and ticket in _tickets(found.data):
            _sweep(folder, name, found.read)
            return found.data


class _Found(NamedTuple):
    """highest: the highest number in use, 0 if none is. read: the number of the highest readable revision."""

    highest: int
    read: int
    data: Data | None


def _newest_finished(folder: Path, name: str) -> _Found:
    """The newest revision, once nobody is writing it any more."""
    while True:
        found = _newest(folder, name)
        if found.highest == found.read:
            return found
        try:
            began_s = _file(folder, name, found.highest).stat().st_ctime
        except FileNotFoundError:
            continue
        if not 0 <= time.time() - began_s < _UNFINISHED_S:
            return found
        time.sleep(_RETRY_S)


def _newest(folder: Path, name: str) -> _Found:
    while True:
        numbers = _numbers(folder, name)
        try:
            for number in numbers:
                data = _parsed(_file(folder, name, number))
                if data is not None:
                    return _Found(numbers[0], number, data)
        except FileNotFoundError:
            continue  # a newer one has come meanwhile, and this one was swept
        return _Found(numbers[0] if numbers else 0, 0, None)


def _parsed(file: Path) -> Data | None:
    """None if the file was cut off, or is no object. Raises OSError."""
    try:
        data = json.loads(file.read_bytes())
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _numbers(folder: Path, name: str) -> list[int]:
    """Highest first."""
    matches = map(_REVISION.fullmatch, _listing(folder))
    return sorted((int(match[2]) for match in matches if match and match[1] == name), reverse=True)


def _listing(folder: Path) -> list[str]:
    while True:
        began_s = time.monotonic()
        try:
            listed = os.listdir(folder)
        except (FileNotFoundError, NotADirectoryError):
            return []
        if time.monotonic() - began_s < _LISTING_S:
            return listed


def _tickets(data: Data | None) -> dict[str, Any]:
    tickets = (data or {}).get(_TICKETS)
    return tickets if isinstance(tickets, dict) else {}


def _recent_tickets(data: Data | None) -> dict[str, float]:
    oldest = time.time() - _KEEP_TICKET_S
    return {
        ticket: at for ticket, at in _tickets(data).items() if isinstance(at, int | float) and at > oldest
    }


def _sweep(folder: Path, name: str, newest: int) -> None:
    """Removes revisions whose successor has been there for long, and drafts that nobody will finish."""
    long_ago = time.time() - _KEEP_S
    superseded = False
    successor = _file(folder, name, newest)
    try:
        for number in _numbers(folder, name):
            if number >= newest:
                continue
            # Publishing sets ctime; mtime would be that of writing the draft.
            superseded = superseded or successor.stat().st_ctime < long_ago
            successor = _file(folder, name, number)
            if superseded:
                successor.unlink()
        sweep(folder)
    except OSError:
        return  # another process is sweeping too, or may and we may not: what is left does no harm


def _file(folder: Path, name: str, number: int) -> Path:
    return folder / f"{name}.{number}.json"
