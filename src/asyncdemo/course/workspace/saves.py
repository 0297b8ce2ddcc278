"""Which files of a workspace were saved.

What a file system reports is only a reason to look: what counts is what stands in the files, so it does
not matter how an editor saves (in place, renamed over it, deleted and made anew), how many reports that
gives, or whether any comes at all. ``Saves`` decides when a file has been saved, and never sleeps;
``Watcher`` looks when there is reason to.
Not for: what to do about a save (``cli.watch``).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

__all__ = ["Change", "Content", "Saves", "Watcher", "read_content"]

_QUIET_S: Final = 0.02
"""A file in which nothing has changed for so long is written to its end ..."""
_EMPTY_S: Final = 0.3
"""... but an empty one, or none, may only be a moment of a save."""
_DOUBT_S: Final = 2.5
"""File systems tell the time of a change to 2 s at worst: for so long the content is compared as well."""
_STEP_MS: Final = 10
"""How long watchfiles gathers reports; it also wakes up so often."""
_POLLING_S: Final = 0.05
_SELDOM_S: Final = 1.0
"""How often to look although nothing was reported."""
_REPORT_S: Final = 0.5
"""A report that has not come so long after a change will not come."""

Stat = tuple[int, int, int]
"""(time of the last change, size, inode)"""


class Change(Enum):
    SAVED = "saved"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Content:
    """stat: differs after a save, if the clock of the file system ticked. digest: of what stands in it."""

    stat: Stat
    digest: str

    @property
    def empty(self) -> bool:
        return self.stat[1] == 0


def read_content(file: Path, before: Content | None, doubt: bool) -> Content | None:
    """None if there is no such file. It is read only if its stat differs from ``before``, or in doubt."""
    try:
        found = os.stat(file)
        stat = found.st_mtime_ns, found.st_size, found.st_ino
        if before is not None and stat == before.stat and not doubt:
            return before
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
    except OSError as error:  # that it cannot be read is for whoever runs it to say
        return Content((0, -1, 0), str(error))
    return Content(stat, digest)


@dataclass(slots=True)
class _Watched:
    """told: what was there when a change was last told. seen, since_s: what is there, and since when."""

    told: Content | None
    seen: Content | None
    since_s: float


class Saves:
    """Tells each save once, however it was made.

    read: as ``read_content``. clock: seconds, as ``time.monotonic``.
    """

    def __init__(
        self,
        files: Mapping[str, Path],
        read: Callable[[Path, Content | None, bool], Content | None] = read_content,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._clock = clock
        self._files: dict[str, Path] = {}
        self._watched: dict[str, _Watched] = {}
        self.watch(files)

    def watch(self, files: Mapping[str, Path]) -> None:
        """These files from now on; what is in those that are new is taken as told."""
        now_s = self._clock()
        for name in [name for name, file in self._files.items() if files.get(name) != file]:
            del self._watched[name]
        self._files = dict(files)
        for name, file in self._files.items():
            if name not in self._watched:
                content = self._read(file, None, True)
                self._watched[name] = _Watched(content, content, now_s)

    def forget(self, name: str) -> bool:
        """Take what is in the file now as told: we changed it ourselves. Whether there was a change."""
        before = self._watched[name].told
        content = self._read(self._files[name], None, True)
        self._watched[name] = _Watched(content, content, self._clock())
        return content != before

    def look(self) -> dict[str, Change]:
        """What has come to rest since the last look, in the order of the files."""
        now_s = self._clock()
        changes: dict[str, Change] = {}
        for name, file in self._files.items():
            watched = self._watched[name]
            content = self._read(file, watched.seen, now_s - watched.since_s < _DOUBT_S)
            if content != watched.seen:
                watched.seen, watched.since_s = content, now_s
            if content != watched.told and now_s >= watched.since_s + _rest_s(watched):
                watched.told = content
                changes[name] = Change.GONE if content is None else Change.SAVED
        return changes

    def unrest(self) -> bool:
        """Whether something has changed that is not told yet: then look again soon."""
        return any(watched.seen != watched.told for watched in self._watched.values())


def _rest_s(watched: _Watched) -> float:
    return _EMPTY_S if watched.seen is None or watched.seen.empty else _QUIET_S


class Watcher:
    """A context manager: looks at the files when something is reported, and now and then anyway.

    Reports come from watchfiles. If they do not (it is not installed, ``poll``, a network file system),
    the files are looked at often.
    """

    def __init__(
        self, files: Mapping[str, Path], poll: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._saves = Saves(files, clock=clock)
        self._folders = {file.parent for file in files.values()}
        self._stop = threading.Event()
        self._reports = None if poll else _report_function()
        self._thread: threading.Thread | None = None
        self._woken, self._wakes = socket.socketpair()
        self._woken.setblocking(False)
        self._wakes.setblocking(False)
        self._next_s = 0.0
        self._reported_s = 0.0
        self._unreported_s: float | None = None

    def __enter__(self) -> Self:
        if self._reports is not None:
            self._thread = threading.Thread(target=self._listen, name="file reports", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._woken.close()
        self._wakes.close()

    @property
    def polls(self) -> bool:
        """Whether nothing is reported, so that one has to look."""
        return self._reports is None

    def fileno(self) -> int:
        """Readable when there is reason to look."""
        return self._woken.fileno()

    def pause_s(self) -> float:
        """How long one may wait for a report before looking."""
        if self._saves.unrest():
            return _STEP_MS / 1000
        return max(self._next_s - self._clock(), 0.0)

    def watch(self, files: Mapping[str, Path]) -> None:
        """These files from now on."""
        self._saves.watch(files)

    def forget(self, name: str) -> bool:
        """What is in the file now is no save: we changed it ourselves. Whether there was a change."""
        return self._saves.forget(name)

    def look(self) -> dict[str, Change]:
        """What was saved or removed since the last look. Cheap if there is no reason to look."""
        now_s = self._clock()
        reported = self._drain()
        if not reported and now_s < self._next_s and not self._saves.unrest():
            return {}
        if reported:
            self._reported_s = now_s
        rested = not self._saves.unrest()
        changes = self._saves.look()
        if rested and self._saves.unrest() and now_s - self._reported_s > _REPORT_S:
            self._unreported_s = now_s
        self._trust(now_s)
        self._next_s = now_s + (_POLLING_S if self.polls else _SELDOM_S)
        return changes

    def _trust(self, now_s: float) -> None:
        """Go over to polling if a change was found of which nothing was reported."""
        if self._unreported_s is None:
            return
        if self._reported_s >= self._unreported_s:
            self._unreported_s = None
        elif now_s - self._unreported_s > _REPORT_S:
            self._reports = None

    def _drain(self) -> bool:
        drained = False
        with contextlib.suppress(BlockingIOError):
            while self._woken.recv(4096):
                drained = True
        return drained

    def _listen(self) -> None:
        """In a thread of its own: a byte for whatever happens in the folders."""
        assert self._reports is not None
        try:
            for _ in self._reports(
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
        except (OSError, RuntimeError):  # no such folder, too many watches, what the system cannot do
            self._reports = None


def _report_function() -> Callable[..., Any] | None:
    """None if watchfiles is not installed."""
    try:
        from watchfiles import watch
    except ImportError:
        return None
    return watch
