"""Detects which files of a workspace were saved.

File system reports only say when to look. The contents of the files decide, so it doesn't matter how an
editor saves (in place, by renaming, or by deleting and creating), how many reports that causes, or whether
there are any. The reports come from watchfiles, but not the polling: its polling compares whole seconds, and
so misses the second of two saves.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from asyncdemo.bounded import read_bytes
from asyncdemo.course.workspace.workspace import MOST_BYTES

_QUIET_S: Final = 0.02
"""A file that has not changed for this long is completely written ..."""
_EMPTY_S: Final = 0.3
"""... but an empty or missing one may be in the middle of a save."""
_STEP_MS: Final = 10
"""How long watchfiles gathers reports, and how often it wakes up."""
_POLLING_S: Final = 0.05
_SELDOM_S: Final = 1.0
"""How often to look without any report."""


class Change(Enum):
    SAVED = "saved"
    GONE = "gone"


class Content(NamedTuple):
    """A save changes at least one of these, unless it writes the same text within one tick of the clock."""

    changed_ns: int
    inode: int
    text: bytes


def read_content(file: Path) -> Content | None:
    """Return the content, None if there is no such file."""
    try:
        found = file.stat()
        return Content(found.st_mtime_ns, found.st_ino, read_bytes(file, MOST_BYTES))
    except FileNotFoundError:
        return None
    except OSError as error:  # its run reports that it can't be read
        return Content(0, 0, str(error).encode())


@dataclass(slots=True)
class _Watched:
    """``reported``: the content last reported. ``seen``, ``since_s``: the current content, and since when."""

    reported: Content | None
    seen: Content | None
    since_s: float


class Watcher:
    """A context manager that reports each save once: it looks after reports, and from time to time anyway.

    If watchfiles is not installed, or cannot watch the folder, it looks often.
    """

    def __init__(
        self,
        files: Mapping[str, Path],
        read: Callable[[Path], Content | None] = read_content,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``read`` is like ``read_content``; ``clock`` returns seconds, like ``time.monotonic``."""
        self._read, self._clock = read, clock
        self._files: dict[str, Path] = {}
        self._watched: dict[str, _Watched] = {}
        self.watch(files)
        self._folders = {file.parent for file in files.values()}
        self._watch = _watch_function()
        self.polls = self._watch is None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="file reports", daemon=True)
        self._woken, self._wakes = socket.socketpair()
        self._woken.setblocking(False)
        self._wakes.setblocking(False)
        self._next_s = 0.0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._woken.close()
        self._wakes.close()

    def fileno(self) -> int:
        """Return a file descriptor that is readable when it's time to look."""
        return self._woken.fileno()

    def pause_s(self) -> float:
        """Return how long to wait for a report before looking."""
        return _STEP_MS / 1000 if self._unrest() else max(self._next_s - self._clock(), 0.0)

    def watch(self, files: Mapping[str, Path]) -> None:
        """Watch these files from now on. The content of new ones counts as reported."""
        before, self._files = self._files, dict(files)
        self._watched = {name: self._watched[name] for name in files if before.get(name) == files[name]}
        for name in files.keys() - self._watched.keys():
            self.forget(name)

    def forget(self, name: str) -> bool:
        """Count the current content as reported, because we changed it. Returns whether it had changed."""
        before = self._watched.get(name)
        content = self._read(self._files[name])
        self._watched[name] = _Watched(content, content, self._clock())
        return before is not None and content != before.reported

    def look(self) -> dict[str, Change]:
        """Return the changes since the last look that have settled, in the order of the files.

        Cheap if there is no reason to look.
        """
        now_s = self._clock()
        if not self._drain() and now_s < self._next_s and not self._unrest():
            return {}
        self._next_s = now_s + (_POLLING_S if self.polls else _SELDOM_S)
        changes: dict[str, Change] = {}
        for name, file in self._files.items():
            watched = self._watched[name]
            content = self._read(file)
            if content != watched.seen:
                watched.seen, watched.since_s = content, now_s
            rest_s = _QUIET_S if content is not None and content.text else _EMPTY_S
            if content != watched.reported and now_s >= watched.since_s + rest_s:
                watched.reported = content
                changes[name] = Change.GONE if content is None else Change.SAVED
        return changes

    def _unrest(self) -> bool:
        """Return whether there are unreported changes: then look again soon."""
        return any(watched.seen != watched.reported for watched in self._watched.values())

    def _drain(self) -> bool:
        drained = False
        with contextlib.suppress(BlockingIOError):
            while self._woken.recv(4096):
                drained = True
        return drained

    def _listen(self) -> None:
        """Run in a thread: send a byte for each event in the folders."""
        if self._watch is None:
            return
        try:
            for _ in self._watch(
                *self._folders,
                watch_filter=None,
                debounce=2 * _STEP_MS,
                step=_STEP_MS,
                stop_event=self._stop,
                rust_timeout=0,
                recursive=False,
            ):
                with contextlib.suppress(BlockingIOError):  # nobody has looked yet
                    self._wakes.send(b"!")
        except (OSError, RuntimeError):  # no such folder, too many watches, or not supported
            self.polls = True


def _watch_function() -> Callable[..., Any] | None:
    """Return None if watchfiles is not installed."""
    try:
        from watchfiles import watch
    except ImportError:
        return None
    return watch
