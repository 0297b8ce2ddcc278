"""Assembles the parts of the tracer, and removes them again."""

from __future__ import annotations

import asyncio
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from types import FrameType, ModuleType
from typing import Any

from asyncdemo.capture import frames, wire
from asyncdemo.capture.blocking import calls
from asyncdemo.capture.blocking.executors import Executors
from asyncdemo.capture.blocking.limits import Limits
from asyncdemo.capture.blocking.off_cpu import UNKNOWN, OffCpu
from asyncdemo.capture.blocking.stuck import Census
from asyncdemo.capture.blocking.threads import Threads
from asyncdemo.capture.blocking.waits import Waits
from asyncdemo.capture.blocking.watchdog import Watchdog
from asyncdemo.capture.guard import Guard
from asyncdemo.capture.instrument import Patches, on_entry
from asyncdemo.capture.libraries import known
from asyncdemo.capture.libraries.lookup import Libraries
from asyncdemo.capture.libraries.pool_registry import PoolRegistry
from asyncdemo.capture.libraries.server_requests import Requests
from asyncdemo.capture.loops import uvloop_loops
from asyncdemo.capture.loops.asyncio_loops import EventLoops
from asyncdemo.capture.loops.greenlets import Greenlets
from asyncdemo.capture.loops.state import Loops, LoopState
from asyncdemo.capture.loops.tasks import Tasks
from asyncdemo.capture.loops.virtual_clock import Deadlock, Delays, VirtualClock
from asyncdemo.capture.loops.wait_reasons import Reasons
from asyncdemo.capture.recorder import Origins, Recorder
from asyncdemo.capture.script import processes, source


class Tracer:
    def __init__(
        self,
        origins: Origins,
        virtual: bool,
        slow_ns: int,
        on_lost: Callable[[OSError], None],
        process: int = 0,
    ) -> None:
        """``on_lost`` is called in the watchdog's thread if the parent is gone. ``process`` is our number."""
        self.guard = Guard(self._hook_failed)
        self.patches = Patches(self.guard)
        self._real_sleep = time.sleep
        self.main_ident = threading.main_thread().ident or 0  # taken now: gevent does not know it
        self.clock = VirtualClock(self._went_real, self._deadlocked) if virtual else None
        now = time.perf_counter_ns if self.clock is None else self.clock.now_ns
        self.recorder = recorder = Recorder(origins, now, process)
        self.loops = Loops(recorder)
        if self.clock is not None:
            self.loops.offset_ns = 0
            recorder.times = self.clock.times
        self._libraries = Libraries(known().values())
        self._limits = Limits(recorder, self.loops, self._libraries.has_pools)
        self._reasons = Reasons(recorder, self._limits.resource_of, self._libraries)
        self.census = Census(recorder, self.loops, self._limits.resource_of)
        self._on_lost = on_lost
        self.watchdog = Watchdog(recorder, self._lost, self.guard.missed, self._look_at_threads())
        self.loops.slow_ns, self.loops.on_slow = slow_ns, self.watchdog.slow_step
        self.loops.failed = self.guard.missed
        self._tasks = Tasks(self._reasons, self.loops, self.guard)
        self._waits = Waits(recorder, self.loops)
        self._requests = Requests(recorder, self.loops)
        self._pools = PoolRegistry(recorder, self.loops, self._limits, self._waits)
        self._reasons.service_of, self._reasons.connections = self._pools.service_of, self._pools.connections
        self._executors = Executors(recorder, self._reasons, self.loops, self._limits, self._waits)

    def install(self, serves: bool = False, follow: bool = False) -> None:
        """Start observing.

        Args:
            serves: The script is a server, whose requests are observed.
            follow: The processes that it starts are observed, too.
        """
        patches, recorder = self.patches, self.recorder
        sleep: Callable[[float], None] = self._real_sleep
        EventLoops(self._tasks).install(patches)
        self._limits.install(patches)
        threads = Threads(recorder, self.loops, self._limits, self._waits)
        threads.install(patches)
        self._executors.install(patches)
        if self.clock is not None:
            clock = self.clock
            clock.on_spin = self.watchdog.look
            clock.install(patches)
            sleep = clock.sleep
            threads.on_start = lambda: clock.go_real("a thread was started")
        calls.install(recorder, self._waits, patches, sleep)
        guard = self.guard
        # for good, as the script's code calls them
        setattr(builtins, source.LANE, guard.context("lane", self._lane))
        setattr(builtins, source.AT_WORK, guard.call("main thread", self.open_main_thread))
        patches.rewrite(warnings, "_warn_unawaited_coroutine", self._unawaited, on_entry)
        frames.install(patches)
        restarts = processes.Restarts(recorder, patches)
        restarts.install()
        if serves:
            self._requests.install(patches)
        patches.forget_sources()
        finder = _Finder(
            {
                "uvloop": self._install_uvloop,
                "gevent.hub": self._install_greenlets,
                "concurrent.interpreters": self._install_interpreters,
                "concurrent.futures.process": lambda m: self._executors.install_process_pool(patches, m),
                **self._libraries.hooks(self._pools, patches, self._reasons.forget),
                **(self._requests.in_modules(patches) if serves else {}),
                **(
                    {"multiprocessing.spawn": lambda m: processes.follow(patches, m)}
                    if follow
                    else {"multiprocessing.process": restarts.install_multiprocessing}
                ),
            },
            guard,
        )
        sys.meta_path.insert(0, finder)

    def _look_at_threads(self) -> Callable[[], None]:
        if self.clock is not None or sys.platform != "linux":
            return lambda: None
        off_cpu = OffCpu(self.recorder, self.loops)
        self.recorder.on_thread_end = self.guard.call("end of a thread", off_cpu.thread_ends)
        self.census.wait_of = off_cpu.wait_of
        look: Callable[[], None] = self.guard.call("waits outside Python", off_cpu.look)
        return look

    def delay(self, plan: int | Sequence[tuple[int, int]]) -> None:
        """Let time pass before callbacks. ``plan`` is a seed, or (number of the callback, ns) for each."""
        if self.clock is not None:
            recorder = self.recorder
            delays = Delays(
                plan if isinstance(plan, int) else dict(plan),
                self.clock,
                lambda *delay: recorder.define(wire.Delay(*delay)),
            )
            self.loops.on_run = self.guard.call("delays", delays.watch)

    def start(self, connection: socket.socket) -> None:
        """Start the watchdog, after its ``prepare``."""
        self.watchdog.start(self.loops, connection, self.guard.call("who is stuck", self.census.report))

    def stop(self) -> None:
        """Stop observing. The script continues as if it had never been observed."""
        self.recorder.stop()
        self.patches.undo()

    def _hook_failed(self, name: str, why: str, switched_off: bool) -> None:
        self.recorder.define(wire.HookFailed(name, why, self.recorder.now(), switched_off))

    def _lost(self, error: OSError) -> None:
        self.stop()
        self._on_lost(error)

    def open_main_thread(self) -> None:
        ident, recorder = self.main_ident, self.recorder
        if ident not in recorder.threads:
            thread_state = recorder.open_thread(ident, "MainThread", None, None, None, recorder.now())
            recorder.define(wire.Runs(thread_state.track, recorder.now()))

    # -- hooks ----------------------------------------------------------------------------------

    def _lane(self, function: str, arguments: tuple[Any, ...]) -> _Lane:
        loop = self.loops.running_loop_state()
        if type(loop) is LoopState and loop.track < 0:
            return _CallbackLane(self.recorder, loop, source.lane_name(function, arguments), function)
        return _Lane(self.recorder, self._track, source.lane_name(function, arguments), function)

    def _track(self) -> int:
        """The track that runs here. A thread not started by ``threading`` gets one at its first lane."""
        track = self.loops.current_track()
        if track < 0 and self.loops.running_loop_state() is None:
            track = self._waits.thread_state().track
            self.recorder.record((wire.THREAD_RUNS, track, self.recorder.now(), 0, 0, 0))
        return track

    def _unawaited(self, coroutine: Any) -> None:
        recorder = self.recorder
        dropping: FrameType | None = sys._getframe(1)
        while dropping is not None and dropping.f_code.co_name != "_warn_unawaited_coroutine":
            dropping = dropping.f_back
        dropping = None if dropping is None else dropping.f_back
        frame = recorder.user_caller(dropping) or recorder.caller(dropping)
        site, is_there = recorder.frame_site(frame), frame is dropping
        recorder.define(wire.Unawaited(coroutine.__qualname__, recorder.now(), site, is_there))

    def _go_real(self, why: str) -> None:
        if self.clock is not None:
            self.clock.go_real(why)

    def _install_uvloop(self, module: ModuleType) -> None:
        self._go_real("uvloop keeps time itself")
        uvloop_loops.install(module, self._tasks, self.patches)

    def _install_interpreters(self, module: ModuleType) -> None:
        processes.install_interpreters(
            self._waits, self.patches, module, lambda: self._go_real("another interpreter was used")
        )

    def _install_greenlets(self, module: ModuleType) -> None:
        self._go_real("gevent keeps time itself")
        Greenlets(self.loops, self._waits).install(self.patches, module)

    def _went_real(self, why: str) -> None:
        self.recorder.define(wire.Clock("real", why))

    def _deadlocked(self) -> None:
        waits = [
            f"{one.name} ({one.function}) waits{self.recorder.words_of(one.site)}"
            for one in self.census.report()
        ]
        text = (
            "Deadlock: no timer is set and nothing is pending, so no task can continue. "
            + "; ".join(waits)
            + "."
        )
        self.recorder.define(wire.Note(text))
        raise Deadlock(text)


_CANCELLED = (asyncio.CancelledError, GeneratorExit)


class _Lane:
    """One call of a named function, from entry to exit."""

    __slots__ = ("_current_track", "_function", "_lane", "_name", "_recorder", "_result", "_track")

    def __init__(
        self, recorder: Recorder, current_track: Callable[[], int], name: str, function: str
    ) -> None:
        self._recorder = recorder
        self._current_track = current_track
        self._name = name
        self._function = function
        self._result: str | None = None

    def __enter__(self) -> _Lane:
        recorder = self._recorder
        self._lane = recorder.next_lane()
        track = self._track = self._current_track()
        recorder.define(wire.Lane(self._lane, track, self._name, self._function, recorder.now()))
        return self

    def __call__(self, value: Any) -> Any:
        """Record the call's result and return it; used only if results are recorded."""
        self._result = source.literal(value)
        return value

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            outcome = "returned"
        elif issubclass(kind, _CANCELLED):
            outcome = "cancelled"
        else:
            outcome = "raised"
        recorder = self._recorder
        result = self._result if kind is None else None
        error = None if kind is None else kind.__name__
        recorder.define(wire.LaneEnd(self._lane, recorder.now(), outcome, result, error))


class _CallbackLane(_Lane):
    """A lane in a callback of an event loop: that is no task's step, so the call gets its own track."""

    __slots__ = ("_before", "_loop", "_start_ns")

    def __init__(self, recorder: Recorder, loop: LoopState, name: str, function: str) -> None:
        super().__init__(recorder, recorder.next_track, name, function)
        self._loop = loop

    def __enter__(self) -> _CallbackLane:
        recorder, loop = self._recorder, self._loop
        self._track, self._start_ns = track, start_ns = recorder.next_track(), recorder.now()
        self._current_track = lambda: track
        recorder.define(wire.Task(track, "", self._function, None, None, None, start_ns, loop.thread, True))
        self._before = loop.current, loop.due_ns
        loop.current, loop.due_ns = track, 0
        super().__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        super().__exit__(kind, *rest)
        recorder, loop, end_ns, wait = self._recorder, self._loop, self._recorder.now(), wire.WAIT_DONE
        started_ns = self._start_ns
        if loop.current == self._track:
            loop.current, loop.due_ns = self._before
        else:  # a generator that yielded meanwhile: what it did since is not known
            end_ns, wait = started_ns, recorder.wait(UNKNOWN)
        recorder.record((self._track, started_ns, started_ns, end_ns, wait, wire.BY_LOOP))
        outcome = "returned" if kind is None else "raised"
        recorder.define(wire.End(self._track, recorder.now(), outcome, None, None, None))


class _Finder(importlib.abc.MetaPathFinder):
    """Calls back after a module that the script imports has been loaded."""

    def __init__(self, wanted: dict[str, Callable[[ModuleType], None]], guard: Guard) -> None:
        self._wanted = {name: guard.call(f"import {name}", loaded) for name, loaded in wanted.items()}
        self._guarded = guard.value("import", self._find, lambda *_: None)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec: importlib.machinery.ModuleSpec | None = self._guarded(name)
        return spec

    def _find(self, name: str) -> importlib.machinery.ModuleSpec | None:
        loaded = self._wanted.pop(name, None)
        if loaded is None:
            return None
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            _after_loading(spec.loader, loaded)
        return spec


def _after_loading(loader: Any, loaded: Callable[[ModuleType], None]) -> None:
    original = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module
        original(module)
        loaded(module)

    loader.exec_module = exec_module
