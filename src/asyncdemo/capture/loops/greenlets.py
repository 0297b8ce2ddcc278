"""Observes greenlets under gevent's hub, which is their event loop: every switch from one to another.

A greenlet is a task here, and what it does between two switches is its step. So a call that does not
switch (an unpatched driver, in C) is a step that holds the hub, and whoever was spawned, slept enough or
was sent data meanwhile is *ready*. Nothing is installed before the script imports gevent; a program that
uses greenlets without it (SQLAlchemy's asyncio, say) is not touched.

Not known: since when greenlets are ready that wait for another greenlet which has ended or set an event: they
are told as waiting until they run. The same where the hub does not use epoll, of those whose data arrived.
"""

from __future__ import annotations

import sys
import weakref
from _thread import get_ident, get_native_id  # gevent replaces those of the module
from collections.abc import Callable
from threading import Thread as _Thread
from types import FrameType, ModuleType
from typing import Any

from asyncdemo.capture import callables, wire
from asyncdemo.capture.blocking.waits import Waits
from asyncdemo.capture.instrument import Patches, at_end
from asyncdemo.capture.loops import greenlet_waits
from asyncdemo.capture.loops.hubs import GreenletLens, HubLens
from asyncdemo.capture.loops.state import LoopLens, Loops
from asyncdemo.capture.recorder import READY, Recorder, ThreadLens

_getframe, _ref = sys._getframe, weakref.ref  # the script may replace them
_AT_ONCE_NS = 1_000
"""After ``sleep(0)`` a greenlet is ready again."""
_IDLE_NS = 2_000_000
"""A hub that runs nothing for so long has nothing to run."""


class Greenlets:
    """Puts every hub that is made under observation, in the thread that makes it."""

    def __init__(
        self,
        recorder: Recorder,
        loops: Loops,
        waits: Waits,
        slow_ns: int,
        on_slow: Callable[[LoopLens, int, int, int], None],
        failed: Callable[[str, BaseException], bool],
    ) -> None:
        """on_slow, failed: as of ``EventLoops``."""
        self._recorder = recorder
        self._loops = loops
        self._waits = waits
        self._slow_ns = slow_ns
        self._on_slow = on_slow
        self._failed = failed
        self._off = False
        """After a fault: what is known of who runs may be wrong then."""
        self._told_of_spawns = False

    def install(self, patches: Patches, module: ModuleType) -> None:
        """module: ``gevent.hub``, which has just been loaded."""
        if not patches.rewrite(module, "Hub.__init__", self._made, at_end):
            self._recorder.define(
                wire.Note("The lens does not know this gevent, so its greenlets are no lanes.")
            )

    def _made(self, hub: Any) -> None:
        if not self._recorder.active:
            return
        if not self._told_of_spawns:
            self._told_of_spawns = True
            sys.modules["gevent.greenlet"].Greenlet.add_spawn_callback(self._spawning)
        greenlet: Any = sys.modules["greenlet"]
        ident = get_ident()
        lens = HubLens(hub, ident)
        lens.usage.follow(get_native_id())
        lens.usage.read(0)
        lens.running = True
        self._loops.hubs[ident] = lens
        self._loops.lenses.append(lens)
        main = greenlet.getcurrent()
        while main.parent is not None:
            main = main.parent
        previous = greenlet.gettrace()

        def switched(event: str, args: Any) -> None:
            if self._recorder.active and not self._off:
                try:
                    self._switched(lens, main, *args)
                except Exception as error:
                    if not self._went_wrong("greenlet.settrace", error):
                        raise
            if previous is not None:
                previous(event, args)

        greenlet.settrace(switched)

    # -- from birth to death --------------------------------------------------------------------

    def _spawning(self, greenlet: Any) -> None:
        lens = self._loops.hubs.get(get_ident())
        if lens is None or self._off or not self._recorder.active:
            return
        try:
            self._adopt(lens, greenlet, _getframe(1))
            if not lens.busy:  # from here on the thread keeps somebody waiting
                self._host(lens)
                lens.busy = True
                lens.started_ns = self._recorder.now()
                lens.current = self._host(lens).track
        except Exception as error:
            if not self._went_wrong("Greenlet.add_spawn_callback", error):
                raise

    def _went_wrong(self, hook: str, error: BaseException) -> bool:
        self._off = self._failed(hook, error)
        if self._off:
            for lens in self._loops.hubs.values():
                lens.rest()
                if lens.host is not None:
                    self._recorder.threads[lens.ident] = lens.host
            self._loops.hubs.clear()
        return self._off

    def _adopt(self, lens: HubLens, greenlet: Any, creator: FrameType | None) -> GreenletLens:
        recorder = self._recorder
        host = self._host(lens)
        at_ns, track, key = recorder.now(), recorder.next_track(), id(greenlet)
        name, function, code = _identity(greenlet)
        made = lens.live[key] = lens.unstarted[key] = GreenletLens(track, name, at_ns)
        made.ref = _ref(greenlet, lambda _: self._killed(lens, key, made))
        parent = recorder.threads.get(lens.ident)
        recorder.define(
            wire.Task(
                track,
                name,
                function,
                None if code is None else recorder.code_site(code),
                recorder.frame_site(recorder.caller(creator)),
                host.track if parent is None or parent.track < 0 else parent.track,
                at_ns,
                host.track,
                False,
            )
        )
        return made

    def _killed(self, lens: HubLens, key: int, killed: GreenletLens) -> None:
        """Before it began; or nothing can switch to it any more."""
        if lens.live.get(key) is killed:
            del lens.live[key]
            lens.unstarted.pop(key, None)
            self._end(killed, self._recorder.now(), "cancelled", None)

    def _look_for_killed(self, lens: HubLens) -> None:
        """Nothing switches to or from one that is killed before it begins."""
        for key, one in list(lens.unstarted.items()):
            if one.ref is not None and getattr(one.ref(), "dead", True):
                self._killed(lens, key, one)

    def _end(self, ended: GreenletLens, at_ns: int, outcome: str, error: str | None) -> None:
        self._recorder.define(wire.End(ended.track, at_ns, outcome, error, None, ended.name))

    def _host(self, lens: HubLens) -> ThreadLens:
        if lens.host is None:
            recorder = self._recorder
            lens.host = host = self._waits.lens()
            lens.thread = host.track
            recorder.record((wire.THREAD_RUNS, host.track, recorder.now(), 0, 0, 0))
            lens.main = GreenletLens(host.track, "", recorder.now())
        return lens.host

    # -- switches -------------------------------------------------------------------------------

    def _switched(self, lens: HubLens, main: Any, origin: Any, target: Any) -> None:
        hub = lens.loop()
        now = self._recorder.now()
        self._host(lens)
        if origin is main:
            self._look_for_killed(lens)
            self._leave_main(lens, origin, now)
        elif origin is not hub:
            self._leave(lens, origin, now)
        lens.call = None
        if target is hub:
            lens.busy, lens.current, lens.started_ns = True, wire.BY_LOOP, -now
            self._recorder.threads[lens.ident] = lens.itself
        elif target is main:
            self._enter_main(lens, now)
        else:
            entered = lens.live.get(id(target)) or self._adopt(lens, target, None)
            if lens.unstarted.pop(id(target), None) and origin is hub:
                self._begin(lens, entered, now)
            elif lens.io_seen:
                seen_ns = lens.io_seen.pop(greenlet_waits.descriptor(_getframe(2)), 0)
                entered.due_ns = entered.due_ns or (seen_ns if seen_ns > entered.ended_ns else 0)
            lens.busy, lens.current, lens.started_ns = True, entered.track, now
            self._recorder.threads[lens.ident] = entered

    def _begin(self, lens: HubLens, begun: GreenletLens, now: int) -> None:
        """One that the hub let lie, though it had nothing else to run, was spawned for later."""
        if begun.ended_ns < -lens.started_ns < now - _IDLE_NS:
            at_ns = begun.ended_ns
            self._recorder.record_step(
                (begun.track, at_ns, at_ns, at_ns, self._recorder.wait("sleep"), wire.BY_LOOP)
            )
            begun.due_ns = 0

    def _leave(self, lens: HubLens, greenlet: Any, now: int) -> None:
        left = lens.live.get(id(greenlet))
        if left is None:
            return  # it began before it could be observed
        start = max(lens.started_ns, left.ended_ns)
        ready = left.due_ns if 0 < left.due_ns < start else start
        if greenlet.dead:
            wait = wire.WAIT_DONE
            del lens.live[id(greenlet)]
        else:
            wait = self._wait(lens, left, greenlet, now)
        self._recorder.record_step((left.track, ready, start, now, wait, wire.BY_LOOP))
        left.ended_ns = now
        if wait == wire.WAIT_DONE:
            self._end(left, now, *_outcome(greenlet))
        if now - start > self._slow_ns:
            self._on_slow(lens, left.track, start, now)

    def _wait(self, lens: HubLens, left: GreenletLens, greenlet: Any, now: int) -> int:
        """Why it left, and when it will be ready again, if that is known."""
        left.due_ns = 0
        if lens.call is not None:
            left.call = lens.call[0]
        elif not left.depth:
            left.call = ""
        if left.call:
            return self._recorder.wait(left.call)
        (reason, state), frame = greenlet_waits.reason(greenlet.gr_frame)
        if reason == "sleep" and frame is not None:
            seconds = frame.f_locals.get("seconds", 0)
            left.due_ns = now + max(int(seconds * 1e9), _AT_ONCE_NS)
            if seconds <= 0:
                return wire.WAIT_YIELD
        return self._recorder.wait(reason, state)

    def _leave_main(self, lens: HubLens, greenlet: Any, now: int) -> None:
        assert lens.host is not None and lens.main is not None
        left, recorder = lens.main, self._recorder
        left.depth = lens.host.depth
        if lens.busy and now - lens.started_ns > self._slow_ns:
            self._on_slow(lens, left.track, lens.started_ns, now)
        wait = self._wait(lens, left, greenlet, now)
        if wait == recorder.wait(*greenlet_waits.OTHERS):
            wait = recorder.wait("hub")
        elif wait == wire.WAIT_YIELD:
            wait = recorder.wait("", READY)
        recorder.record((wire.THREAD_WAITS, left.track, now, wait, 0, 0))

    def _enter_main(self, lens: HubLens, now: int) -> None:
        assert lens.host is not None and lens.main is not None
        recorder, due = self._recorder, lens.main.due_ns
        if 0 < due < now:
            recorder.record((wire.THREAD_WAITS, lens.host.track, due, recorder.wait("", READY), 0, 0))
        recorder.record((wire.THREAD_RUNS, lens.host.track, now, 0, 0, 0))
        lens.main.due_ns = 0
        recorder.threads[lens.ident] = lens.host
        lens.busy = bool(lens.live)
        lens.current, lens.started_ns = lens.host.track, now if lens.busy else -now


def _identity(greenlet: Any) -> tuple[str, str, Any]:
    """(name, function, its code): of a thread that gevent has made a greenlet, those of the thread."""
    name = str(getattr(greenlet, "name", "") or "greenlet")
    function = getattr(greenlet, "_run", None) or getattr(greenlet, "run", None)
    owner: Any = callables.owner(function)
    if isinstance(owner, _Thread) and callables.innermost(function).__name__ == "_bootstrap":
        name, function = str(owner.name), owner._target or type(owner).run  # type: ignore[attr-defined]
    function = callables.innermost(function)
    qualname = function.__qualname__ if type(function) in callables.NAMED else type(function).__name__
    return name, "" if function is None else qualname, callables.code(function)


def _outcome(greenlet: Any) -> tuple[str, str | None]:
    """Of one that has ended. A greenlet that is not gevent's does not tell."""
    error = getattr(greenlet, "exception", None)
    if error is not None:
        return "raised", type(error).__name__
    value = getattr(greenlet, "value", None)
    if type(value).__name__ == "GreenletExit":
        return "cancelled", None
    return "returned", None
