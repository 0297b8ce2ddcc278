"""Finds threads that wait in calls which cannot be hooked: meanwhile they use no CPU time at all.

``poll``, ``SimpleQueue.get``, a read from a pipe, a C library: a built-in type has nothing to hook, and the
script would notice a stand-in for everything that may wait. So the watchdog reads the CPU clock of each
thread. A thread that waits for the GIL wakes every few milliseconds to ask for it, which takes CPU time. A
thread whose clock stands still, and which the system says is asleep, waits for something outside Python; its
start and end are known to within a few milliseconds. The reason is read from its frame: the function of the
standard library that it is in, or the built-in function that its line calls. If neither tells, the wait is
"outside Python".

Linux only: elsewhere no thread can read another's CPU clock.
"""

from __future__ import annotations

import dis
import io
import os
import select
import sys
import time
from _queue import SimpleQueue
from types import BuiltinFunctionType, CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from asyncdemo.capture import wire
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import Recorder, ThreadState

UNKNOWN = "outside Python"
_LEAST_NS = 15_000_000
"""Shorter waits are ignored: on a busy machine, a thread may be waiting for its turn."""
_PIECE_NS = 100_000_000
"""A long wait is reported in pieces, so that a run that is cut short has most of it."""
_MOST = 64
"""Threads that are looked at in one go."""

# The script may replace these.
_read_clock, _current_frames, _instructions = time.clock_gettime_ns, sys._current_frames, dis.get_instructions
_open, _read, _close = os.open, os.read, os.close

_FUNCTIONS: dict[Any, str] = {
    getattr(module, name): reason
    for module, reason, names in (
        (select, "i/o", ("select",)),
        (os, "i/o", ("read", "readv", "pread", "preadv", "write", "writev", "sendfile", "fsync", "open")),
        (os, "subprocess", ("waitpid", "wait", "wait3", "wait4", "waitid")),
        (sys.modules.get("_signal"), "signal", ("pause", "sigwait", "sigwaitinfo", "sigtimedwait")),
        (
            sys.modules.get("_socket"),
            "dns",
            ("gethostbyname", "gethostbyname_ex", "gethostbyaddr", "getaddrinfo"),
        ),
    )
    for name in names
    if hasattr(module, name)
}
_METHODS: dict[tuple[type, str], str] = {
    (kind, name): reason
    for kind, reason, names in (
        (type(select.poll()), "i/o", ("poll",)),
        (getattr(select, "epoll", None), "i/o", ("poll",)),
        (SimpleQueue, "empty queue", ("get",)),
        *(
            (kind, "i/o", ("read", "readline", "readlines", "read1", "readinto", "write", "flush"))
            for kind in (io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.TextIOWrapper)
        ),
    )
    for name in names
    if kind is not None
}
_LIBRARY = {
    ("selectors.py", "select"): "i/o",
    ("signal.py", "sigwait"): "signal",
    ("process.py", "join"): "subprocess",
    ("popen_fork.py", "wait"): "subprocess",
    ("popen_forkserver.py", "wait"): "subprocess",
    ("connection.py", "recv"): "i/o",
    ("connection.py", "recv_bytes"): "i/o",
    ("connection.py", "poll"): "i/o",
    ("connection.py", "wait"): "i/o",
    ("connection.py", "accept"): "net.accept",
    ("queues.py", "get"): "empty queue",
    ("socket.py", "create_connection"): "net.connect",
    ("socket.py", "accept"): "net.accept",
}
"""(file of the standard library, function) -> reason; the outermost one found decides."""


class OffCpu:
    """The threads that wait unobserved, and since when."""

    def __init__(self, recorder: Recorder, loops: Loops) -> None:
        self._recorder = recorder
        self._loops = loops
        self._seen: dict[int, _Seen] = {}
        """Thread ident -> what was seen of it."""
        self._next = 0
        self._expressions: dict[tuple[CodeType, int], _Expression | None] = {}
        """(code, instruction) -> what is called there."""

    def look(self) -> None:
        """Look at the threads; to be called every few milliseconds."""
        threads = list(self._recorder.threads.copy().items())
        hosts = {thread_state.ident for thread_state in self._loops.loop_states[:] if thread_state.running}
        if len(threads) > _MOST:
            self._next = (self._next + _MOST) % len(threads)
            threads = (threads[self._next :] + threads[: self._next])[:_MOST]
        for ident, thread_state in threads:
            seen = self._seen.get(ident)
            if seen is not None and (seen.thread_state is not thread_state or not thread_state.native):
                self._report_wait(seen, seen.last_ns)
                del self._seen[ident]
                seen = None
            if thread_state.native:
                self._look_at(ident, thread_state, seen, thread_state.depth > 0 or ident in hosts)

    def wait_of(self, ident: int) -> int | None:
        """Return the index of what the thread waited for when it was last looked at; None if it did not."""
        seen = self._seen.get(ident)
        return None if seen is None or seen.wait < 0 or seen.thread_state.depth else seen.wait

    def thread_ends(self, ident: int, thread_state: ThreadState) -> None:
        """Note that a thread ends; called by the thread itself."""
        seen = self._seen.get(ident)
        if seen is not None and seen.thread_state is thread_state:
            self._look_at(ident, thread_state, seen, is_observed=True)

    def _look_at(self, ident: int, thread_state: ThreadState, seen: _Seen | None, is_observed: bool) -> None:
        try:
            # the kernel's name for that thread's CPU clock (CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED)
            cpu_ns = _read_clock(~thread_state.native << 3 | 6)
        except OSError:
            return  # the thread is over
        now = self._recorder.now()
        if seen is None:
            self._seen[ident] = _Seen(thread_state, now, cpu_ns)
        elif is_observed or cpu_ns != seen.cpu_ns:
            used_ns = cpu_ns - seen.cpu_ns
            self._report_wait(seen, now - used_ns)
            seen.could_start_ns = now if is_observed else min(now, seen.last_ns + used_ns)
            seen.wait, seen.cpu_ns, seen.last_ns = -1, cpu_ns, now
        else:
            seen.last_ns = now
            if seen.wait < 0:
                if now - seen.could_start_ns < _LEAST_NS or not _is_asleep(thread_state.native):
                    return
                seen.wait = self._recorder.wait(self._reason(ident))
                seen.reported_until_ns = seen.could_start_ns
            if now - seen.reported_until_ns > _PIECE_NS:
                self._report_wait(seen, now)

    def _report_wait(self, seen: _Seen, end_ns: int) -> None:
        if seen.wait >= 0 and end_ns > seen.reported_until_ns:
            track = seen.thread_state.track
            self._recorder.record((wire.OFF_CPU, track, seen.reported_until_ns, end_ns, seen.wait, 0))
            seen.reported_until_ns = end_ns

    def _reason(self, ident: int) -> str:
        # Hold a frame as briefly as possible: else what dies with it would die in this thread.
        frame = _current_frames().get(ident)
        if frame is None:
            return UNKNOWN
        code, at = frame.f_code, frame.f_lasti
        library = ""
        outward: FrameType | None = frame
        while outward is not None and self._recorder.origins.is_stdlib(outward.f_code.co_filename):
            place = outward.f_code.co_filename.rpartition(os.sep)[2], outward.f_code.co_name
            library = _LIBRARY.get(place, library)
            outward = outward.f_back
        del frame, outward
        if library:
            return library
        key = code, at
        if key not in self._expressions:
            self._expressions[key] = _called(code, at)
        expression = self._expressions[key]
        frame = _current_frames().get(ident)
        if expression is None or frame is None or frame.f_code is not code or frame.f_lasti != at:
            return UNKNOWN
        return _reason_of(expression, frame)


class _Seen:
    """What was seen of one thread. Times are those of looking, except the estimated ``could_start_ns``."""

    __slots__ = ("could_start_ns", "cpu_ns", "last_ns", "reported_until_ns", "thread_state", "wait")

    def __init__(self, thread_state: ThreadState, now: int, cpu_ns: int) -> None:
        self.thread_state = thread_state
        self.cpu_ns = cpu_ns
        self.last_ns = now
        self.could_start_ns = now
        """When it stopped, if it waits: after the previous look it ran for as long as its clock says."""
        self.wait = -1
        """What it waits for now; negative if it does not."""
        self.reported_until_ns = 0
        """Until when that has been reported."""


def _is_asleep(native: int) -> bool:
    """Whether the thread waits for something other than a processor."""
    try:
        file = _open(f"/proc/self/task/{native}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        state = _read(file, 1000).rpartition(b") ")[2][:1]
    except OSError:
        return False  # it has ended since its file was opened
    finally:
        _close(file)
    return state in (b"S", b"D")


class _Expression(NamedTuple):
    """``name.attribute...``, called or, if ``iterated``, looped over. ``load`` is how the name is loaded."""

    load: str
    names: tuple[str, ...]
    iterated: bool


_NO_PARTS = (
    "PUSH_NULL",
    "PRECALL",
    "CACHE",
    "GET_ITER",
    "RESUME",
    "COPY",
    "EXTENDED_ARG",
    "KW_NAMES",
    "LOAD_CONST",
)


def _called(code: CodeType, at: int) -> _Expression | None:
    """What the instruction there calls or iterates over, if that consists of names only."""
    instructions = list(_instructions(code))
    here = next((instruction for instruction in instructions if instruction.offset == at), None)
    iterated = here is not None and here.opname.startswith("FOR_ITER")
    if iterated:  # its position may be the whole loop: what it iterates over was loaded last
        before = [
            instruction
            for instruction in instructions
            if instruction.offset < at and instruction.opname not in _NO_PARTS
        ]
        here = before[-1] if before else None
        at = at if here is None else here.offset + 1
    if here is None or here.positions is None or here.positions.col_offset is None:
        return None
    start = here.positions.lineno, here.positions.col_offset  # the callee starts there, too
    parts = [
        instruction
        for instruction in instructions
        if instruction.offset < at
        and instruction.positions is not None
        and (instruction.positions.lineno, instruction.positions.col_offset) == start
        and instruction.opname not in _NO_PARTS
    ]
    if not parts or not all(part.opname.startswith("LOAD_") and type(part.argval) is str for part in parts):
        return None
    names = tuple(part.argval for part in parts)
    return _Expression(parts[0].opname, names, iterated)


def _reason_of(expression: _Expression, frame: FrameType) -> str:
    """The reason, found without calling anything of the script's."""
    owner: Any = None
    found = _variable(frame, expression.load, expression.names[0])
    for name in expression.names[1:]:
        owner, found = found, _attribute(found, name)
    if expression.iterated:
        return _of_file(found, _METHODS.get((type(found), "readline"), UNKNOWN))
    if type(found) is BuiltinFunctionType:
        return _FUNCTIONS.get(found, UNKNOWN)
    return _of_file(owner, _METHODS.get((type(owner), expression.names[-1]), UNKNOWN))


def _of_file(owner: Any, reason: str) -> str:
    return "stdin" if owner is not None and (owner is sys.stdin or owner is sys.__stdin__) else reason


def _variable(frame: FrameType, load: str, name: str) -> Any:
    if load in ("LOAD_GLOBAL", "LOAD_NAME"):
        return frame.f_globals.get(name, frame.f_builtins.get(name))
    if sys.version_info >= (3, 13) and load != "LOAD_ATTR":
        return frame.f_locals.get(name)  # before, reading another thread's locals keeps them alive
    return None


def _attribute(owner: Any, name: str) -> Any:
    if type(owner) is ModuleType:
        return vars(owner).get(name)
    try:
        attributes = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return None
    return attributes.get(name) if type(attributes) is dict else None
