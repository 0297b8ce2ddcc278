"""The tracer's only thread: it sees which line blocks a loop, and sends the recorded events.

The script should not notice it, so it

- is started with ``_thread``: ``threading.enumerate`` does not show it;
- blocks all signals: one that the script blocks too stays pending until the script takes it;
- runs where the interpreter reports nothing to debuggers, profilers and ``sys.monitoring``: see
  ``_run``;
- runs no code of the script: it holds no reference that could be the last one while it lets others run, and
  Python collects no garbage in it: see ``garbage``;
- stops before the interpreter ends: see ``_wait_forever``.
"""

from __future__ import annotations

import _thread
import select
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from operator import call
from types import CodeType, FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.blocking.garbage import Headroom
from asyncdemo.capture.loops.state import Loops, LoopState
from asyncdemo.capture.recorder import Recorder, line_of

_clock = time.perf_counter_ns  # the real one, also where the script's is virtual
POLL_S = 0.01
SAMPLE_AFTER_NS = 20_000_000
REPORT_AFTER_NS = 50_000_000
FLUSH_NS = 40_000_000
_DEEPEST = 200
_SOMETHING = 4096
_Epoll: Any = getattr(select, "epoll", ())  # nothing is an instance of ()
_TAKES_S = 1.0
"""If the thread takes longer to start or to stop, it is not waited for."""
_NAME = "the tracer's thread"
# the script may replace them
_current_frames, _setprofile, _sigmask = sys._current_frames, sys.setprofile, signal.pthread_sigmask
_call: Any = call
_allocate_lock, _start_new_thread = _thread.allocate_lock, _thread.start_new_thread
_ALL_SIGNALS = signal.valid_signals()


Stack = tuple[tuple[CodeType, int], ...]
"""(code, line) of each frame up to the user's own code, innermost first."""


class Sample:
    """The stacks seen while one step was running."""

    __slots__ = ("counts", "reported_ns", "started_ns")

    def __init__(self, started_ns: int) -> None:
        self.started_ns = started_ns
        self.counts: dict[Stack, int] = {}
        self.reported_ns = 0

    @property
    def stack(self) -> Stack:
        return max(self.counts, key=self.counts.__getitem__, default=())


class Watchdog:
    def __init__(
        self,
        recorder: Recorder,
        on_lost: Callable[[OSError], None],
        failed: Callable[[str, BaseException], bool],
        look_at_threads: Callable[[], None] = lambda: None,
    ) -> None:
        """``on_lost`` is called if the parent is gone, ``failed`` as for any hook.

        ``look_at_threads`` is called every few milliseconds.
        """
        self._look_at_threads = look_at_threads
        self._recorder = recorder
        self._loop_states: list[LoopState] = []
        self._offset_ns = 0
        self._on_lost = on_lost
        self._failed = failed
        self._report_stuck: Callable[[], object] = lambda: None
        self._parent: _Parent | None = None
        self._may_work = _allocate_lock()
        self._up = _allocate_lock()
        self._stop = _allocate_lock()
        """Held while the thread is to work."""
        self._over = _allocate_lock()
        """Held until it has done all its work."""
        self._ident = 0
        """The thread's; 0 if there is none."""
        self._calls: list[Callable[[], object]] = []
        self._headroom = Headroom()

    def prepare(self) -> None:
        """Start the thread, which waits: from here on it takes no more memory.

        If there may be no more threads, the run does without: what is recorded is sent at the end.
        """
        self._may_work.acquire()
        self._up.acquire()
        self._stop.acquire()
        self._over.acquire()
        # a thread inherits the mask of the one that starts it
        before = _sigmask(signal.SIG_BLOCK, _ALL_SIGNALS)
        steps: list[Callable[[], object]] = [partial(_setprofile, self._run), _nothing]
        try:
            # in C, as a frame would be seen before the profile function is set
            self._ident = _start_new_thread(deque, (map(_call, steps), 0))
        except RuntimeError as error:
            self._failed(_NAME, error)
            return
        finally:
            _sigmask(signal.SIG_SETMASK, before)
        self._up.acquire(timeout=_TAKES_S)  # the script's next line may block
        self._up.release()

    @property
    def runs(self) -> bool:
        return self._ident != 0

    def end(self) -> None:
        """Let the thread do nothing more. May be called by any other thread."""
        ident, self._ident = self._ident, 0
        if ident:
            self._stop.release()
            self._over.acquire(timeout=_TAKES_S)

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call a function in the thread, within a few milliseconds."""
        self._calls.append(function)

    def start(
        self,
        loops: Loops,
        connection: socket.socket | None = None,
        report_stuck: Callable[[], object] = lambda: None,
    ) -> None:
        """Let the prepared thread work. ``report_stuck`` is called if the parent, on ``connection``, asks."""
        self._report_stuck = report_stuck
        self._parent = None if connection is None else _Parent(connection)
        self.attend(loops)
        self._may_work.release()

    def attend(self, loops: Loops) -> None:
        """Watch these loops from now on. Without the thread, that is only when ``look`` is called."""
        self._loop_states = loops.loop_states
        self._offset_ns = loops.offset_ns

    def _run(self, *_: object) -> None:
        """Do the thread's work, called as its profile function.

        Meanwhile the interpreter reports no events of this thread: not to ``settrace_all_threads``,
        ``setprofile_all_threads`` or the callbacks of ``sys.monitoring``, which would run here, and might
        raise or wait for the script.
        """
        while True:
            with suppress(BaseException):  # another may come while one is handled
                try:
                    _setprofile(None)
                    self._work()
                    self._wait_forever()
                except BaseException as error:  # noqa: BLE001 - else nothing more would be sent
                    self._failed(_NAME, error)

    def _wait_forever(self) -> None:
        """Never take the GIL again.

        A thread that did so while the interpreter ends would be ended by the C library, which aborts the
        process if it can't load what it needs for that. If this one returned, tools would be called in it.
        """
        never = _allocate_lock()
        never.acquire()
        if self._over.locked():
            self._over.release()
        never.acquire()

    def _work(self) -> None:
        """Return when the thread is to end. If this raises anything, it is called again."""
        bytes(_SOMETHING)  # a thread gets its own part of the memory with its first allocation
        if self._up.locked():
            self._up.release()
        self._may_work.acquire()
        self._may_work.release()
        recorder, stop, headroom = self._recorder, self._stop, self._headroom
        self._flushed_ns, all_sent = _clock(), True
        while recorder.active:
            if stop.acquire(timeout=POLL_S if all_sent else 0):
                stop.release()
                return
            headroom.make()
            try:
                all_sent = self._look_and_send(all_sent)
            except OSError as error:
                self._on_lost(error)
                return
            finally:
                headroom.give_back()

    def _look_and_send(self, all_sent: bool) -> bool:
        """Do what is due. Return whether everything that was recorded is sent."""
        recorder = self._recorder
        calls = self._calls[:]
        del self._calls[: len(calls)]
        for function in calls:
            function()
        self.look()
        self._measure()
        self._look_at_threads()
        recorder.pack()
        words = b"" if self._parent is None else self._parent.words()
        if wire.BEHIND in words or wire.CAUGHT_UP in words:
            recorder.behind = words.rfind(wire.BEHIND) > words.rfind(wire.CAUGHT_UP)
        asked = wire.ASK in words
        if asked:
            self._report_stuck()
        if asked or not all_sent or _clock() - self._flushed_ns > FLUSH_NS:
            self._flushed_ns = _clock()
            return recorder.offer(self._go_on)
        return all_sent

    def _go_on(self) -> bool:
        """Look at what happened while something was sent. Return whether to send more now."""
        self._headroom.make()
        self.look()
        return self._stop.locked()

    def _measure(self) -> None:
        for loop_state in self._loop_states[:]:
            if loop_state.loop() is None:
                self._loop_states.remove(loop_state)
                loop_state.usage.close()
            elif loop_state.running:
                started_ns = loop_state.started_ns
                if started_ns <= 0 or loop_state.usage.step_ns != started_ns:  # no step, or one not seen yet
                    loop_state.usage.read(started_ns)
                    self.look()

    def look(self) -> None:
        """Sample the steps that have taken long.

        Call it right after anything that releases the GIL: after a C call that held it, the moment in which
        this thread gets it is the only one at which the line can still be seen.
        """
        for loop_state in self._loop_states[:]:
            started = loop_state.started_ns
            if started > 0 and self._recorder.now() - started > SAMPLE_AFTER_NS:
                try:
                    self._sample(loop_state, started)
                except Exception as error:  # noqa: BLE001 - else nothing more would be sent
                    self._failed("the look at a blocked loop", error)

    def _sample(self, loop_state: LoopState, started: int) -> None:
        # Hold a frame as briefly as possible: else what dies with it would die in this thread.
        # The lines are looked up later: that may read files, and release the GIL.
        stack = self._stack(_current_frames().get(loop_state.ident))
        if loop_state.started_ns != started:
            return  # the step ended meanwhile
        sample: Sample | None = loop_state.sample
        if sample is None or sample.started_ns != started:
            sample = loop_state.sample = Sample(started)
        sample.counts[stack] = sample.counts.get(stack, 0) + 1
        now = self._recorder.now()
        _look_for_events(loop_state, now)
        if now - started > REPORT_AFTER_NS and now - sample.reported_ns > REPORT_AFTER_NS:
            sample.reported_ns = now
            reason = "" if loop_state.call is None else loop_state.call[0]
            starved = loop_state.starved(self._recorder.tasks, self._offset_ns, now)
            self._recorder.define(
                wire.Blocked(loop_state.track, started, now, *self._places(stack), reason, starved)
            )

    def _stack(self, frame: FrameType | None) -> Stack:
        """Return no more than needed: each frame that is looked at becomes an object, which Python counts."""
        is_user = self._recorder.origins.is_user
        found: list[tuple[CodeType, int]] = []
        while frame is not None and len(found) < _DEEPEST:
            code = frame.f_code
            found.append((code, line_of(frame)))
            if is_user(code.co_filename) and code.co_name != "<module>":  # that of a module may be imported
                break
            frame = frame.f_back
        return tuple(found)

    def _places(self, stack: Stack) -> tuple[int | None, int | None]:
        """The innermost line that is not the standard library's, and the nearest of the user's code."""
        recorder, origins = self._recorder, self._recorder.origins
        site = called_from = None
        for code, line in stack:
            if site is None and not origins.is_stdlib(code.co_filename):
                site = recorder.site(code.co_filename, line, code.co_qualname)
            if origins.is_user(code.co_filename):
                called_from = recorder.site(code.co_filename, line, code.co_qualname)
                break
        return site, called_from

    def slow_step(self, loop_state: LoopState, track: int, start_ns: int, end_ns: int) -> None:
        """Report a step that took long. Called by the loop's own thread."""
        if loop_state.woke_ns > start_ns:  # it ran the loop itself (nest_asyncio), which was not held
            loop_state.sample = None
            return
        sample: Sample | None = loop_state.sample
        loop_state.sample = None
        seen = sample is not None and sample.started_ns == start_ns
        site, called_from = self._places(sample.stack) if sample is not None and seen else (None, None)
        cpu_ns, stolen_ns = loop_state.usage.since(start_ns, end_ns)
        loop_state.usage.read(0)  # what held this one up may keep the watchdog from measuring the next
        reason = "import" if sample is not None and seen and _imports(sample.stack) else ""
        self._recorder.define(
            wire.SlowStep(track, start_ns, end_ns, cpu_ns, stolen_ns, site, called_from, reason)
        )


def _imports(stack: Stack) -> bool:
    return any(code.co_filename.startswith("<frozen importlib.") for code, _ in stack)


def _nothing() -> None:
    """Be called, which is an event."""


class _Parent:
    """Reads what the parent sends while the script runs: frames without a payload."""

    def __init__(self, connection: socket.socket) -> None:
        # Not the methods of `socket.socket`: they are observed.
        self._receive = super(socket.socket, connection).recv
        self._readable = select.poll()
        self._readable.register(connection.fileno(), select.POLLIN)
        self._frames = wire.FrameReader()

    def words(self) -> bytes:
        """Return the kinds of the frames that have arrived."""
        try:
            arrived = self._receive(64) if self._readable.poll(0) else b""
            return b"".join([kind for kind, _ in self._frames.feed(arrived)])
        except (OSError, ValueError):
            return b""  # the script has closed it: the next flush will notice


def _look_for_events(loop_state: LoopState, now_ns: int) -> None:
    """Note what the blocked loop would find if it looked. Any thread may poll epoll: it keeps its events."""
    selector = loop_state.selector()
    if isinstance(selector, _Epoll):
        try:
            ready = selector.poll(0)
        except (OSError, ValueError):
            return  # closed meanwhile
        for descriptor, _ in ready:
            loop_state.io_seen.setdefault(descriptor, now_ns)
