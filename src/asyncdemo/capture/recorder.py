"""Collects the events of the traced process and sends them to the parent in batches.

Knows tracks, sites, waits and resources by index; knows nothing of how they are observed (the
other modules of this package do that) nor of what becomes of them (the parent does that).

Everything here may be called from any thread at any time: appending to a list is atomic, and so
is each of the two operations that drain it.
"""

from __future__ import annotations

import itertools
import os
import socket
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.guard import CAPTURE_DIR
from asyncdemo.capture.outbox import Outbox

RUNNING = 0
READY = 1
WAITING = 2
QUEUED = 3
"""The values of ``model.State``, in the parent."""

_STDLIB_DIRS = tuple(
    os.path.join(os.path.realpath(path), "")
    for path in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(os.__file__)}
)
_CHUNK = wire.STEP_SIZE * 5000
"""Numbers in a frame: converting them keeps the GIL for less than a millisecond."""
_PACKAGE_DIRS = ("site-packages", "dist-packages")


class Origins:
    """Tells by its file name whose code it is: the standard library's, a package's or the user's."""

    def __init__(self, roots: tuple[str, ...] = ()) -> None:
        """roots: folders with the user's own code."""
        self._roots = tuple(os.path.join(os.path.realpath(root), "") for root in roots)
        self._stdlib: dict[str, bool] = {}
        self._user: dict[str, bool] = {}

    def is_stdlib(self, filename: str) -> bool:
        known = self._stdlib.get(filename)
        if known is None:
            real = _real_path(filename)
            packaged = any(part in _PACKAGE_DIRS for part in real.split(os.sep))
            known = (
                filename.startswith(("<frozen", "<string", CAPTURE_DIR))
                or real.startswith(CAPTURE_DIR)
                or (not packaged and real.startswith(_STDLIB_DIRS))
            )
            self._stdlib[filename] = known
        return known

    def is_user(self, filename: str) -> bool:
        known = self._user.get(filename)
        if known is None:
            real = _real_path(filename)
            known = (
                not self.is_stdlib(filename)
                and not filename.startswith("<")
                and real.startswith(self._roots)
                and not any(part in _PACKAGE_DIRS for part in real.split(os.sep))
            )
            self._user[filename] = known
        return known


_realpath, _abspath = os.path.realpath, os.path.abspath  # the script may replace them


def _real_path(filename: str) -> str:
    try:
        return filename if filename.startswith("<") else _realpath(filename)
    except OSError:  # the folder that the script is in is gone
        return filename


def _absolute_path(filename: str) -> str:
    try:
        return filename if filename.startswith("<") else _abspath(filename)
    except OSError:
        return filename


def nothing() -> None:
    """In place of a weak reference to nothing."""


class ThreadLens:
    """What is known of one thread: its track, and what it is in the middle of."""

    __slots__ = ("cpu_at_open", "depth", "label", "outermost", "service", "track")

    def __init__(self, track: int) -> None:
        self.track = track
        self.depth = 0
        """How many traced waits it is inside of; only the outermost one is recorded."""
        self.outermost: Callable[[], Any] = nothing
        """A weak reference to that one: if it is gone without having been left, it is over all the same."""
        self.label: tuple[str, int, int] | None = None
        """(reason, state, wait) that the wait inside a primitive is recorded as."""
        self.service = ""
        """What it talks to while a library's call goes on: "redis", "s3"; "" if that is not known."""
        self.cpu_at_open = 0


class Recorder:
    def __init__(
        self, origins: Origins, now: Callable[[], int] = time.perf_counter_ns, process: int = 0
    ) -> None:
        """process: 0 for the script's own, else the number that the parent gave to this one."""
        self.process = process
        self._base = base = process << wire.PROCESS_SHIFT
        self.now = now
        self.origins = origins
        self.active = True
        self.numbers: list[int] = []
        self.record: Callable[[tuple[int, int, int, int, int, int]], None] = self.numbers.extend
        self._packed: list[bytes] = []
        """Frames of numbers, to be sent after the definitions that they refer to."""
        self._definitions: list[Any] = []
        self.define: Callable[[Sequence[Any]], None] = self._definitions.append
        self.tasks: dict[int, int] = {}
        """id(task) -> track. By id, because a strong reference would hide "Task was destroyed"."""
        self.threads: dict[int, ThreadLens] = {}
        """thread ident -> what it does."""
        self.next_track = itertools.count(base).__next__
        self.next_lane = itertools.count(base).__next__
        self.next_serial = itertools.count(base).__next__
        self.next_item = itertools.count(base).__next__
        self.next_connection = itertools.count(base).__next__
        self._next_resource = itertools.count(base).__next__
        self._next_call = itertools.count(base).__next__
        self._sites: dict[tuple[str, int, str], int] = {}
        self._waits: dict[object, int] = {}
        self._calls: dict[tuple[str, int, int], int] = {}
        self._new_wait = itertools.count(base + wire.FIRST_WAIT).__next__
        self._outbox = Outbox()
        self._cut = False
        """The parent did not keep up, so nothing more is recorded."""

    # -- tables ---------------------------------------------------------------------------------

    def site(self, filename: str, line: int, function: str) -> int:
        key = (filename, line, function)
        index = self._sites.get(key)
        if index is None:
            index = self._sites[key] = self._base + len(self._sites)
            path = _absolute_path(filename)
            self.define(["site", index, path, line, function])
        return index

    def words_of(self, site: int | None) -> str:
        """`` at file:line`` of a site, "" of none."""
        found = next((key for key, index in self._sites.items() if index == site), None)
        return "" if found is None else f" at {found[0]}:{found[1]}"

    def frame_site(self, frame: FrameType | None) -> int | None:
        if frame is None:
            return None
        return self.site(frame.f_code.co_filename, frame.f_lineno or 0, frame.f_code.co_qualname)

    def code_site(self, code: CodeType) -> int:
        return self.site(code.co_filename, code.co_firstlineno, code.co_qualname)

    def caller(self, frame: FrameType | None) -> FrameType | None:
        """The nearest frame, this one included, that is not the standard library's."""
        while frame is not None and self.origins.is_stdlib(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def user_caller(self, frame: FrameType | None) -> FrameType | None:
        """The nearest frame, this one included, of the user's own code."""
        while frame is not None and not self.origins.is_user(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def wait(
        self,
        reason: str,
        state: int = WAITING,
        resource: int | None = None,
        on: int | None = None,
        item: int | None = None,
    ) -> int:
        key = (reason, state, resource, on, item)
        index = self._waits.get(key)
        if index is None:
            index = self._waits[key] = self._new_wait()
            self.define(["wait", index, reason, state, resource, on, item])
        return index

    def resource(self, kind: str, limit: int | None, frame: FrameType | None) -> int:
        index = self._next_resource()
        self.define(["resource", index, kind, limit, self.frame_site(self.caller(frame))])
        return index

    def call(self, reason: str, frame: FrameType | None) -> int:
        """A blocking call made from ``frame``, by reason and place."""
        site = self.frame_site(self.caller(frame))
        called_from = self.frame_site(self.user_caller(frame))
        key = (reason, -1 if site is None else site, -1 if called_from is None else called_from)
        index = self._calls.get(key)
        if index is None:
            index = self._calls[key] = self._next_call()
            self.define(["call", index, reason, site, called_from])
        return index

    # -- sending --------------------------------------------------------------------------------

    def connect(self, connection: socket.socket) -> None:
        self._outbox.connect(connection)

    def pack(self) -> None:
        """Make frames of the numbers that have gathered, to be sent with the next flush.

        Called often: a step then takes 48 bytes, not 180, and what its integers leave free is still in
        the processor's cache when the next ones are made.
        """
        if self._outbox.acquire(wait=False):
            try:
                self._pack()
            finally:
                self._outbox.release()

    def _pack(self) -> None:
        while self.numbers:
            part = self.numbers[:_CHUNK]
            del self.numbers[: len(part)]
            if not self._cut:
                self._packed.append(wire.numbers_frame(part))

    def offer(self, after_sending: Callable[[], None]) -> bool:
        """Send of what has gathered as much as the parent takes without delay; whether that was all.

        ``after_sending`` is called each time the GIL was let go of for that.
        Raises OSError when the parent is gone or the script closed the socket.
        """
        outbox = self._outbox
        if not outbox.acquire(wait=False):
            return True  # another thread sends everything
        try:
            self._gather()
            while outbox.send_next():
                after_sending()
                self._pack()
            return not outbox
        finally:
            outbox.release()

    def flush(self) -> None:
        """Send all that has gathered, however long the parent takes; only the parent's end ends that.

        Raises OSError then, or when the script closed the socket.
        """
        outbox = self._outbox
        if not outbox.acquire(wait=True):
            return  # by a signal handler that interrupted the sending itself
        try:
            self._gather()
            while outbox:
                outbox.send_next()
        finally:
            outbox.release()

    def _gather(self) -> None:
        if not self._outbox.connected:
            return
        # Numbers first: whatever they refer to was defined before they were recorded.
        self.record((wire.NOW, self.now(), 0, 0, 0, 0))
        self._pack()
        frames = self._packed[:]
        self._packed.clear()
        count = len(self._definitions)
        definitions = self._definitions[:count]
        del self._definitions[:count]
        if self._cut:
            return
        outbox = self._outbox
        for start in range(0, len(definitions), 5000):
            outbox.put(wire.json_frame(wire.DEFINITIONS, definitions[start : start + 5000]))
        for frame in frames:
            outbox.put(frame)
        if outbox.full:
            self._cut = True
            outbox.put(wire.json_frame(wire.DEFINITIONS, [["cut", self.now()]]))

    def stop(self) -> None:
        """Record nothing from now on: in the child of a fork, or when nobody listens any more."""
        self.active = False
        self._outbox.disconnect()
        self.record = lambda event: None
        self.define = lambda definition: None
        self.numbers.clear()
        self._packed.clear()
        self._definitions.clear()

    # -- threads --------------------------------------------------------------------------------

    def open_thread(
        self,
        ident: int,
        name: str,
        code: CodeType | None,
        created: int | None,
        parent: int | None,
        at_ns: int,
        track: int | None = None,
    ) -> ThreadLens:
        if track is None:
            track = self.next_track()
        site = None if code is None else self.code_site(code)
        function = "" if code is None else code.co_qualname
        self.define(["thread", track, name, function, site, created, parent, at_ns])
        lens = self.threads[ident] = ThreadLens(track)
        lens.cpu_at_open = time.thread_time_ns()
        return lens

    def close_thread(self, ident: int, outcome: str, error: str | None = None) -> None:
        lens = self.threads.get(ident)
        if lens is not None:
            cpu_ns = time.thread_time_ns() - lens.cpu_at_open
            self.define(["end", lens.track, self.now(), outcome, error, cpu_ns, None])


def running_version() -> str:
    return ".".join(map(str, sys.version_info[:3]))
