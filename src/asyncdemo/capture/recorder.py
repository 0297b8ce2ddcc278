"""Collects the events of the traced process and sends them to the parent in batches.

It refers to tracks, sites, waits and resources by index. The other modules of this package observe them, and
the parent interprets them.

Everything here may be called from any thread at any time: appending to a list is atomic, and so are the two
operations that drain it.
"""

from __future__ import annotations

import dis
import functools
import itertools
import os
import re
import sys
import sysconfig
import time
from _thread import get_native_id  # gevent replaces that of the module
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.gaps import Event, Gap
from asyncdemo.capture.guard import CAPTURE_DIR
from asyncdemo.capture.outbox import Outbox, Send

RUNNING = 0
READY = 1
WAITING = 2
QUEUED = 3
"""The values of ``model.State``, in the parent."""

_CHUNK = wire.STEP_SIZE * 5000
"""Numbers in a frame: converting them holds the GIL for less than a millisecond."""
_MANY = 5 * _CHUNK
_MESSAGES = 200
"""Messages in a frame: each becomes a list, and few are made at a time, see ``garbage``."""
MOST_UNSENT = 8 << 20
"""Bytes. Beyond this, a gap begins: see ``gaps``."""
_FEW_UNSENT = MOST_UNSENT // 8
"""Bytes. Below this, it ends."""
_PART = 1 << 20
"""Bytes packed while others are sent, before they are queued behind those."""
_A_TURN_S = 50e-6
"""Long enough for a woken thread to get the GIL."""
_MOST_CODES = 10_000
"""Code objects whose sites are cached by instruction: a program that compiles code has ever more."""
_PACKAGE_DIRS = ("site-packages", "dist-packages")


Cause = tuple[str, int, int | None, int | None, int | None]
"""What is waited for: the arguments of ``Recorder.wait`` except the line."""


def cause_of(
    reason: str,
    state: int = WAITING,
    resource: int | None = None,
    on: int | None = None,
    item: int | None = None,
) -> Cause:
    return reason, state, resource, on, item


class Origins:
    """Tells from a file name whose code it is: the standard library's, a package's or the user's.

    It is used in the middle of the script's own calls, so it only looks at strings: links, and the folder
    that relative names start from, are resolved when the script starts.
    """

    def __init__(self, roots: tuple[str, ...] = ()) -> None:
        """``roots`` are folders with the user's own code."""
        try:
            self._folder = os.getcwd()
        except OSError:  # the folder is gone
            self._folder = ""
        self._links = _links([*sys.path, *roots])
        self._roots = _prefixes(roots)
        self._stdlib: dict[str, bool] = {}
        self._user: dict[str, bool] = {}

    def absolute(self, filename: str) -> str:
        """Return ``os.path.abspath`` in the folder where the script started; ``<string>`` is unchanged."""
        if filename.startswith("<"):
            return filename
        path = filename if filename.startswith("/") else f"{self._folder}/{filename}"
        return _normpath(path) if _ODD.search(path) else path

    def is_stdlib(self, filename: str) -> bool:
        known = self._stdlib.get(filename)
        if known is None:
            path = self._real(filename)
            known = self._stdlib[filename] = (
                filename.startswith(("<frozen", "<string"))
                or path.startswith(_CAPTURE_DIRS)
                or (not _is_packaged(path) and path.startswith(_STDLIB_DIRS))
            )
        return known

    def is_user(self, filename: str) -> bool:
        known = self._user.get(filename)
        if known is None:
            path = self._real(filename)
            known = self._user[filename] = (
                not self.is_stdlib(filename)
                and not filename.startswith("<")
                and path.startswith(self._roots)
                and not _is_packaged(path)
            )
        return known

    def _real(self, filename: str) -> str:
        path = self.absolute(filename)
        for link, folder in self._links:
            if path.startswith(link):
                return folder + path[len(link) :]
        return path


def _prefixes(folders: Iterable[str]) -> tuple[str, ...]:
    """The prefixes of file names in these folders, with and without links resolved."""
    ways = [way(folder) for folder in folders for way in (os.path.abspath, os.path.realpath)]
    return tuple(dict.fromkeys(os.path.join(way, "") for way in ways))


def _links(folders: Iterable[str]) -> list[tuple[str, str]]:
    """(link, the folder that it leads to) for folders reached through links, longest first."""
    found = {}
    for folder in folders:
        link, real = _prefixes([folder])[0], _prefixes([folder])[-1]
        if link != real:
            found[link] = real
    return sorted(found.items(), key=lambda item: -len(item[0]))


def _is_packaged(path: str) -> bool:
    return any(part in _PACKAGE_DIRS for part in path.split("/"))


_ODD = re.compile(r"//|/\.\.?(/|$)")
_CAPTURE_DIRS = _prefixes([CAPTURE_DIR])
_STDLIB_DIRS = _prefixes(
    {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(os.__file__)}
)
# the script may replace them
_normpath, _thread_time_ns, _clock, _sleep = (
    os.path.normpath,
    time.thread_time_ns,
    time.perf_counter_ns,
    time.sleep,
)


def nothing() -> None:
    """Stands in for a weak reference to nothing."""


class ThreadState:
    """The state of one thread: its track, and what it is in the middle of."""

    __slots__ = ("cpu_at_open", "depth", "label", "native", "outermost", "service", "track")

    def __init__(self, track: int) -> None:
        self.track = track
        self.depth = 0
        """How many traced waits it is in; only the outermost one is recorded."""
        self.outermost: Callable[[], Any] = nothing
        """A weak reference to that one: if it is gone without having been exited, it is over too."""
        self.label: Cause | None = None
        """What the wait inside a primitive is recorded as."""
        self.service = ""
        """What it talks to during a library's call: "redis", "s3"; "" if that is not known."""
        self.cpu_at_open = 0
        self.native = 0
        """Its native id; 0 once it is over."""


def line_of(frame: FrameType) -> int:
    """Return the line that a frame runs.

    Some jumps to the start of a loop belong to no line: then it is the loop's.
    """
    return frame.f_lineno or _line_of_jump(frame.f_code, frame.f_lasti)


@functools.lru_cache(maxsize=200)
def _line_of_jump(code: CodeType, offset: int) -> int:
    lines = {at: line for start, end, line in code.co_lines() if line for at in range(start, end, 2)}
    jump = next((one for one in dis.get_instructions(code) if one.offset == offset), None)
    target = jump.argval if jump is not None and "JUMP" in jump.opname else offset
    before = [at for at in lines if at <= target]
    return lines[max(before)] if before else code.co_firstlineno


class _NearestSite:
    """Finds the site of the nearest frame, the given one included, from a wanted file.

    As this happens often, it is cached by code object, and then by instruction.
    """

    def __init__(
        self,
        wanted: Callable[[str], bool],
        frame_site: Callable[[FrameType | None], int | None],
        is_end: Callable[[CodeType], bool] = lambda _: False,
    ) -> None:
        """``is_end`` is whether to stop at a function: what called it is no answer."""
        self._wanted = wanted
        self._frame_site = frame_site
        self._is_end = is_end
        self._codes: dict[int, tuple[CodeType, dict[int, int | None] | None, bool]] = {}
        """id(code) -> the code, kept because ids are reused, the sites of its instructions (None if it is not
        from a wanted file), and whether to stop there."""

    def __call__(self, frame: FrameType | None) -> int | None:
        while frame is not None:
            code = frame.f_code
            known = self._codes.get(id(code))
            if known is None:
                if len(self._codes) > _MOST_CODES:
                    self._codes.clear()
                wanted, is_end = self._wanted(code.co_filename), self._is_end(code)
                known = self._codes[id(code)] = code, {} if wanted else None, is_end
            sites = known[1]
            if sites is not None:
                site = sites.get(frame.f_lasti)
                if site is None:
                    site = sites[frame.f_lasti] = self._frame_site(frame)
                return site
            frame = None if known[2] else frame.f_back
        return None


class Recorder:
    def __init__(
        self,
        origins: Origins,
        now: Callable[[], int] = time.perf_counter_ns,
        process: int = 0,
    ) -> None:
        """``process`` is 0 for the script's own, else the number that the parent gave to this one."""
        self.process = process
        self._base = base = process << wire.PROCESS_SHIFT
        self.now = now
        self.origins = origins
        self.active = True
        self.numbers: list[int] = []
        self.record: Callable[[Event], None] = self.numbers.extend
        self.times: Callable[[], Iterator[int]] = lambda: itertools.starmap(now, itertools.repeat(()))
        """Returns an iterator that reads the clock each time it is advanced, in C."""
        self.record_step: Callable[[Event], None] = self.numbers.extend
        """Used instead of ``record`` for the steps of tasks. It changes: see ``follow``."""
        self._followers: list[Callable[[Callable[[Event], None]], None]] = []
        self.behind = False
        """Whether the parent says that it does not keep up."""
        self._packed: list[bytes] = []
        """Frames of numbers, to be sent after the definitions that they refer to."""
        self._packed_bytes = 0
        self._definitions: list[Any] = []
        """Messages; a plain tuple has the fields of a ``Task`` that was held in a gap."""
        self.define: Callable[[wire.Message], None] = self._definitions.append
        self.tasks: dict[int, int] = {}
        """id(task) -> track. By id, because a strong reference would hide "Task was destroyed"."""
        self.threads: dict[int, ThreadState] = {}
        """Thread ident -> its state."""
        self.on_thread_end: Callable[[int, ThreadState], None] = lambda ident, thread_state: None
        self.next_track = itertools.count(base).__next__
        self.next_lane = itertools.count(base).__next__
        self.next_serial = itertools.count(base).__next__
        self.next_item = itertools.count(base).__next__
        self.next_connection = itertools.count(base).__next__
        self._next_resource = itertools.count(base).__next__
        self._next_call = itertools.count(base).__next__
        self._next_site = itertools.count(base).__next__
        self._sites: dict[tuple[str, int, str], int] = {}
        self.user_site = _NearestSite(origins.is_user, self.frame_site)
        """The site of what ``user_caller`` returns."""
        self._user_maker = _NearestSite(origins.is_user, self.frame_site, self._is_callback)
        self._maker = _NearestSite(
            lambda file: not origins.is_stdlib(file), self.frame_site, self._is_callback
        )
        self._waits: dict[object, int] = {}
        self.gap = Gap(self._definitions, self.numbers)
        self._calls: dict[tuple[str, int, int], int] = {}
        self._new_wait = itertools.count(base + wire.FIRST_WAIT).__next__
        self._outbox = Outbox()
        self._cut = False
        """Whether recording has stopped because the parent did not keep up."""

    # -- tables ---------------------------------------------------------------------------------

    def site(self, filename: str, line: int, function: str) -> int:
        key = (filename, line, function)
        index = self._sites.get(key)
        if index is None:
            index = self._next_site()
            self.define(wire.Site(index, self.origins.absolute(filename), line, function))
            self._sites[key] = index  # last, here and below: a signal handler may raise before
        return index

    def words_of(self, site: int | None) -> str:
        """Return `` at file:line`` for a site, "" for None."""
        found = next((key for key, index in self._sites.items() if index == site), None)
        return "" if found is None else f" at {found[0]}:{found[1]}"

    def frame_site(self, frame: FrameType | None) -> int | None:
        if frame is None:
            return None
        return self.site(frame.f_code.co_filename, line_of(frame), frame.f_code.co_qualname)

    def code_site(self, code: CodeType) -> int:
        return self.site(code.co_filename, code.co_firstlineno, code.co_qualname)

    def caller(self, frame: FrameType | None) -> FrameType | None:
        """Return the nearest frame, this one included, that is not the standard library's."""
        while frame is not None and self.origins.is_stdlib(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def user_caller(self, frame: FrameType | None) -> FrameType | None:
        """Return the nearest frame, this one included, of the user's own code."""
        while frame is not None and not self.origins.is_user(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def maker_site(self, frame: FrameType | None) -> int | None:
        """Return the site that made something: the nearest of the user's own code, else of a library.

        None for what a callback of an event loop made: beyond it is only the line that runs the loop.
        """
        site = self._user_maker(frame)
        return self._maker(frame) if site is None else site

    def _is_callback(self, code: CodeType) -> bool:
        return code.co_qualname == "Handle._run" and self.origins.is_stdlib(code.co_filename)

    def wait(
        self,
        reason: str,
        state: int = WAITING,
        resource: int | None = None,
        on: int | None = None,
        item: int | None = None,
        site: int | None = None,
    ) -> int:
        """Return the index of a wait, by its cause and the line of the user's own code that waits."""
        key = (reason, state, resource, on, item, site)
        index = self._waits.get(key)
        if index is None:
            index = self._new_wait()
            self.define(wire.Wait(index, reason, state, resource, on, item, site))
            if on is None and item is None:  # there may be a million of the others
                self._waits[key] = index
        return index

    def resource(self, kind: str, limit: int | None, frame: FrameType | None) -> int:
        index = self._next_resource()
        self.define(wire.Resource(index, kind, limit, self.frame_site(self.caller(frame))))
        return index

    def call(self, reason: str, frame: FrameType | None) -> int:
        """Return the index of a blocking call made from ``frame``, by reason and place."""
        site = self.frame_site(self.caller(frame))
        called_from = self.frame_site(self.user_caller(frame))
        key = (reason, -1 if site is None else site, -1 if called_from is None else called_from)
        index = self._calls.get(key)
        if index is None:
            index = self._next_call()
            self.define(wire.Call(index, reason, site, called_from))
            self._calls[key] = index
        return index

    # -- sending --------------------------------------------------------------------------------

    def connect(self, send: Send) -> None:
        self._outbox.connect(send)

    def pack(self) -> None:
        """Pack the numbers recorded so far into frames, to be sent with the next flush.

        Called often: a step then takes 48 bytes instead of 180, and the memory that its integers free is
        still in the processor's cache when the next ones are made.
        """
        if self._outbox.acquire(wait=False):
            try:
                self._pack()
            finally:
                self._outbox.release()

    def _pack(self) -> None:
        left = len(self.numbers)  # a script that never waits adds to them as fast as they are packed
        while left > 0 and self.numbers:
            # in large parts: each removal from the head of a long list moves all the rest
            part = self.numbers[: max(len(self.numbers) // 8 // wire.STEP_SIZE * wire.STEP_SIZE, _CHUNK)]
            del self.numbers[: len(part)]
            left -= len(part)
            for start in range(0, 0 if self._cut else len(part), _CHUNK):
                frame = wire.numbers_frame(part[start : start + _CHUNK])
                self._packed.append(frame)
                self._packed_bytes += len(frame)
            self._begin_gap_if_too_much()  # in the loop, as they may come faster than they are packed

    def keep_up(self) -> None:
        """Pack the numbers recorded so far, if there are many.

        For a thread that releases the GIL often but briefly, such as a loop that never waits: the thread that
        sends hardly gets it then.
        """
        outbox = self._outbox
        many = len(self.numbers) > _MANY
        if outbox.in_use and (many or outbox.waiting > _PART):
            # The sending thread waits for the GIL, and is woken each time this thread releases it, but too
            # late to get it. Python forces a switch only for a thread that has waited 5 ms at a stretch.
            _sleep(_A_TURN_S)
        if many:
            self.pack()
            self._begin_gap_if_too_much()  # even while another thread is sending

    def _begin_gap_if_too_much(self) -> None:
        """Begin a gap if more is recorded than is sent, or than the parent processes."""
        gap = self.gap
        if not gap.is_open and self.active and (self.behind or self._unsent > MOST_UNSENT):
            self._record_steps(gap.count_step)  # first: a task that is held has no recorded steps
            gap.begin(self.now())
            self.define, self.record = gap.define, gap.record

    def _end_gap(self) -> None:
        gap = self.gap
        gap.end(self.now())
        if self.active:
            self.define, self.record = self._definitions.append, self.numbers.extend
            self._record_steps(self.numbers.extend)

    @property
    def _unsent(self) -> int:
        """Bytes not yet sent, packed or not."""
        return self._outbox.waiting + self._packed_bytes + 8 * len(self.numbers)

    def recording(self, *event: int | None) -> Iterator[None]:
        """Return an iterator that records the event each time it is advanced, in C: see ``locks``.

        None stands for the time. A task that the event names must not be held: see ``announce``.
        """
        fields = [self.times() if field is None else itertools.repeat(field) for field in event]
        return map(self.numbers.extend, zip(*fields, strict=True))

    def announce(self, track: int) -> None:
        """Announce the task if it is held in a gap, since an event will name it."""
        if self.gap.holds:
            self.gap.announce((track,))

    def follow(self, follower: Callable[[Callable[[Event], None]], None]) -> None:
        """Call ``follower`` with ``record_step``, now and when it changes, so that it can keep it."""
        self._followers.append(follower)
        follower(self.record_step)

    def _record_steps(self, record: Callable[[Event], None]) -> None:
        if record is not self.record_step:
            self.record_step = record
            for follower in self._followers:
                follower(record)

    def offer(self, go_on: Callable[[], bool]) -> bool:
        """Send as much as the parent takes without delay. Return whether that was everything.

        ``go_on`` is called each time the GIL was released for that, and returns whether to send more now.
        Raises OSError if the parent is gone or the script closed the socket.
        """
        outbox = self._outbox
        if not outbox.acquire(wait=False):
            return True  # another thread sends everything
        try:
            self._gather()
            while outbox.send_next() and go_on() and self._packed_bytes < _PART:
                self._pack()
            return not outbox and self._packed_bytes < _PART
        finally:
            outbox.release()

    def flush(self) -> bool:
        """Send everything, however long the parent takes, unless it is gone.

        Return False if called by a signal handler that interrupted the sending itself. Raises OSError if the
        parent is gone or the script closed the socket.
        """
        outbox = self._outbox
        if not outbox.acquire(wait=True):
            return False
        try:
            self._gather(at_end=True)
            while outbox:
                outbox.send_next()
        finally:
            outbox.release()
        return True

    def _gather(self, at_end: bool = False) -> None:
        if not self._outbox.connected:
            return
        gap, now_ns = self.gap, self.now()
        if gap.is_open:
            if at_end or (not self.behind and self._unsent < _FEW_UNSENT):
                self._end_gap()
            else:
                gap.report(now_ns)
        self.numbers.extend((wire.NOW, now_ns, 0, 0, 0, 0))
        # Numbers first: what they refer to was defined before they were recorded.
        self._pack()
        if not gap.is_open:
            gap.announce_all()  # if one was just being held when the gap ended
        frames, self._packed_bytes = self._packed[:], 0
        self._packed.clear()
        count = len(self._definitions)
        definitions = [
            wire.Task._make(definition) if type(definition) is tuple else definition
            for definition in self._definitions[:count]
        ]
        del self._definitions[:count]
        if self._cut:
            return
        outbox = self._outbox
        for start in range(0, len(definitions), _MESSAGES):
            outbox.put(wire.messages_frame(definitions[start : start + _MESSAGES]))
        for frame in frames:
            outbox.put(frame)
        if outbox.full and not at_end:  # at the end we wait for the parent
            self._cut = True
            outbox.put(wire.messages_frame([wire.Cut(self.now())]))

    def stop(self) -> None:
        """Stop recording: in the child of a fork, or if the parent is gone."""
        self.active = False
        self._outbox.disconnect()
        self.record = lambda event: None
        self._record_steps(self.record)
        self.define = lambda definition: None
        self.gap.clear()
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
    ) -> ThreadState:
        if track is None:
            track = self.next_track()
        site = None if code is None else self.code_site(code)
        function = "" if code is None else code.co_qualname
        self.define(wire.Thread(track, name, function, site, created, parent, at_ns))
        thread_state = self.threads[ident] = ThreadState(track)
        thread_state.cpu_at_open = _thread_time_ns()
        thread_state.native = get_native_id()
        return thread_state

    def close_thread(self, ident: int, outcome: str, error: str | None = None) -> None:
        thread_state = self.threads.get(ident)
        if thread_state is not None:
            self.on_thread_end(ident, thread_state)
            thread_state.native = 0
            cpu_ns = _thread_time_ns() - thread_state.cpu_at_open
            self.define(wire.End(thread_state.track, self.now(), outcome, error, cpu_ns, None))


def running_version() -> str:
    return ".".join(map(str, sys.version_info[:3]))
