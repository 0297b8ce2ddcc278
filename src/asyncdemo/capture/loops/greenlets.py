"""Observes greenlets under gevent's hub, which is their event loop: every switch from one to another.

A greenlet is a task here, and what it does between two switches is its step. So a call that does not switch
(an unpatched driver, in C) is a step that holds the hub, and a greenlet that was spawned, slept long enough
or was sent data meanwhile is *ready*. Nothing is installed before the script imports gevent; a program that
uses greenlets without it (SQLAlchemy's asyncio, say) is not touched.

If a greenlet waits for another one that has ended or set an event, it is not known since when it is ready: it
is reported as waiting until it runs. So is one whose data has arrived, if the hub does not use epoll.
"""

from __future__ import annotations

import sys
import weakref
from _thread import get_ident, get_native_id  # gevent replaces those of the module
from threading import Thread as _Thread
from types import FrameType, ModuleType
from typing import Any

from asyncdemo.capture import callables, wire
from asyncdemo.capture.blocking.waits import Waits
from asyncdemo.capture.instrument import Patches, at_end
from asyncdemo.capture.loops import greenlet_waits
from asyncdemo.capture.loops.hubs import GreenletState, HubState
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import READY, ThreadState

_getframe, _ref = sys._getframe, weakref.ref  # the script may replace them
_AT_ONCE_NS = 1_000
"""This long after ``sleep(0)``, a greenlet is ready again."""
_IDLE_NS = 2_000_000
"""A hub that runs nothing for this long has nothing to run."""


class Greenlets:
    """Observes every hub, in the thread that makes it."""

    def __init__(self, loops: Loops, waits: Waits) -> None:
        self._recorder = loops.recorder
        self._loops = loops
        self._waits = waits
        self._off = False
        """Whether there was a fault, after which the running greenlet may be unknown."""
        self._spawns_noted = False
        self._adopted = 0

    def install(self, patches: Patches, module: ModuleType) -> None:
        """``module`` is ``gevent.hub``, which has just been loaded."""
        if not patches.rewrite(module, "Hub.__init__", self._made, at_end):
            self._recorder.define(
                wire.Note("The tracer does not support this version of gevent, so greenlets have no lanes.")
            )

    def _made(self, hub: Any) -> None:
        if not self._recorder.active:
            return
        if not self._spawns_noted:
            self._spawns_noted = True
            sys.modules["gevent.greenlet"].Greenlet.add_spawn_callback(self._spawning)
        greenlet: Any = sys.modules["greenlet"]
        ident = get_ident()
        hub_state = HubState(hub, ident)
        hub_state.usage.follow(get_native_id())
        hub_state.usage.read(0)
        hub_state.running = True
        self._loops.hubs[ident] = hub_state
        self._loops.loop_states.append(hub_state)
        main = greenlet.getcurrent()
        while main.parent is not None:
            main = main.parent
        previous = greenlet.gettrace()

        def switched(event: str, args: Any) -> None:
            if self._recorder.active and not self._off:
                try:
                    self._switched(hub_state, main, *args)
                except Exception as error:
                    if not self._went_wrong("greenlet.settrace", error):
                        raise
            if previous is not None:
                previous(event, args)

        greenlet.settrace(switched)

    # -- from birth to death --------------------------------------------------------------------

    def _spawning(self, greenlet: Any) -> None:
        hub_state = self._loops.hubs.get(get_ident())
        if hub_state is None or self._off or not self._recorder.active:
            return
        try:
            self._adopt(hub_state, greenlet, _getframe(1))
            if not hub_state.busy:  # from here on the thread keeps a greenlet waiting
                self._host(hub_state)
                hub_state.busy = True
                hub_state.started_ns = self._recorder.now()
                hub_state.current = self._host(hub_state).track
        except Exception as error:
            if not self._went_wrong("Greenlet.add_spawn_callback", error):
                raise

    def _went_wrong(self, hook: str, error: BaseException) -> bool:
        self._off = self._loops.failed(hook, error)
        if self._off:
            for hub_state in self._loops.hubs.values():
                hub_state.rest()
                if hub_state.host is not None:
                    self._recorder.threads[hub_state.ident] = hub_state.host
            self._loops.hubs.clear()
        return self._off

    def _adopt(self, hub_state: HubState, greenlet: Any, creator: FrameType | None) -> GreenletState:
        recorder = self._recorder
        host = self._host(hub_state)
        at_ns, track, key = recorder.now(), recorder.next_track(), id(greenlet)
        name, function, code = self._identity(greenlet)
        made = hub_state.live[key] = hub_state.unstarted[key] = GreenletState(track, name, at_ns)
        made.ref = _ref(greenlet, lambda _: self._killed(hub_state, key, made))
        parent = recorder.threads.get(hub_state.ident)
        recorder.define(
            wire.Task(
                track,
                name,
                function,
                None if code is None else recorder.code_site(code),
                recorder.maker_site(creator),
                host.track if parent is None or parent.track < 0 else parent.track,
                at_ns,
                host.track,
                False,
            )
        )
        return made

    def _identity(self, greenlet: Any) -> tuple[str, str, Any]:
        """(name, function, its code), or those of the thread if gevent made a thread a greenlet.

        gevent stores the name that it makes up for one without, and then shows it: so we make up our own.
        """
        self._adopted += 1
        name = str(vars(greenlet).get("name") or f"greenlet-{self._adopted}")
        function = getattr(greenlet, "_run", None) or getattr(greenlet, "run", None)
        owner: Any = callables.owner(function)
        if isinstance(owner, _Thread) and callables.innermost(function).__name__ == "_bootstrap":
            name, function = str(owner.name), owner._target or type(owner).run  # type: ignore[attr-defined]
        function = callables.innermost(function)
        qualname = function.__qualname__ if type(function) in callables.NAMED else type(function).__name__
        return name, "" if function is None else qualname, callables.code(function)

    def _killed(self, hub_state: HubState, key: int, killed: GreenletState) -> None:
        """A greenlet was killed before it began, or nothing can switch to it any more."""
        if hub_state.live.get(key) is killed:
            del hub_state.live[key]
            hub_state.unstarted.pop(key, None)
            self._end(killed, self._recorder.now(), "cancelled", None)

    def _look_for_killed(self, hub_state: HubState) -> None:
        """Find greenlets that were killed before they began: nothing switches to or from them."""
        for key, one in list(hub_state.unstarted.items()):
            if one.ref is not None and getattr(one.ref(), "dead", True):
                self._killed(hub_state, key, one)

    def _end(self, ended: GreenletState, at_ns: int, outcome: str, error: str | None) -> None:
        self._recorder.define(wire.End(ended.track, at_ns, outcome, error, None, ended.name))

    def _host(self, hub_state: HubState) -> ThreadState:
        if hub_state.host is None:
            recorder = self._recorder
            hub_state.host = host = self._waits.thread_state()
            hub_state.thread = host.track
            recorder.record((wire.THREAD_RUNS, host.track, recorder.now(), 0, 0, 0))
            hub_state.main = GreenletState(host.track, "", recorder.now())
        return hub_state.host

    # -- switches -------------------------------------------------------------------------------

    def _switched(self, hub_state: HubState, main: Any, origin: Any, target: Any) -> None:
        hub = hub_state.loop()
        now = self._recorder.now()
        self._host(hub_state)
        if origin is main:
            self._look_for_killed(hub_state)
            self._leave_main(hub_state, origin, now)
        elif origin is not hub:
            self._leave(hub_state, origin, now)
        hub_state.call = None
        if target is hub:
            hub_state.busy, hub_state.current, hub_state.started_ns = True, wire.BY_LOOP, -now
            self._recorder.threads[hub_state.ident] = hub_state.itself
        elif target is main:
            self._enter_main(hub_state, now)
        else:
            entered = hub_state.live.get(id(target)) or self._adopt(hub_state, target, None)
            if hub_state.unstarted.pop(id(target), None) and origin is hub:
                self._begin(hub_state, entered, now)
            elif hub_state.io_seen:
                seen_ns = hub_state.io_seen.pop(greenlet_waits.descriptor(_getframe(2)), 0)
                entered.due_ns = entered.due_ns or (seen_ns if seen_ns > entered.ended_ns else 0)
            hub_state.busy, hub_state.current, hub_state.started_ns = True, entered.track, now
            self._recorder.threads[hub_state.ident] = entered

    def _begin(self, hub_state: HubState, begun: GreenletState, now: int) -> None:
        """If the hub left it alone while it had nothing else to run, it was spawned for later."""
        if begun.ended_ns < -hub_state.started_ns < now - _IDLE_NS:
            at_ns = begun.ended_ns
            self._recorder.record_step(
                (begun.track, at_ns, at_ns, at_ns, self._recorder.wait("sleep"), wire.BY_LOOP)
            )
            begun.due_ns = 0

    def _leave(self, hub_state: HubState, greenlet: Any, now: int) -> None:
        left = hub_state.live.get(id(greenlet))
        if left is None:
            return  # it began before it could be observed
        start = max(hub_state.started_ns, left.ended_ns)
        ready = left.due_ns if 0 < left.due_ns < start else start
        if greenlet.dead:
            wait = wire.WAIT_DONE
            del hub_state.live[id(greenlet)]
        else:
            wait = self._wait(hub_state, left, greenlet, now)
        self._recorder.record_step((left.track, ready, start, now, wait, wire.BY_LOOP))
        left.ended_ns = now
        if wait == wire.WAIT_DONE:
            self._end(left, now, *_outcome(greenlet))
        if now - start > self._loops.slow_ns:
            self._loops.on_slow(hub_state, left.track, start, now)

    def _wait(self, hub_state: HubState, left: GreenletState, greenlet: Any, now: int) -> int:
        """The index of its wait. Also notes when it will be ready again, if that is known."""
        left.due_ns = 0
        if hub_state.call is not None:
            left.call = hub_state.call[0]
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

    def _leave_main(self, hub_state: HubState, greenlet: Any, now: int) -> None:
        assert hub_state.host is not None and hub_state.main is not None
        left, recorder = hub_state.main, self._recorder
        left.depth = hub_state.host.depth
        if hub_state.busy and now - hub_state.started_ns > self._loops.slow_ns:
            self._loops.on_slow(hub_state, left.track, hub_state.started_ns, now)
        wait = self._wait(hub_state, left, greenlet, now)
        if wait == recorder.wait(*greenlet_waits.OTHERS):
            wait = recorder.wait("hub")
        elif wait == wire.WAIT_YIELD:
            wait = recorder.wait("", READY)
        recorder.record((wire.THREAD_WAITS, left.track, now, wait, 0, 0))

    def _enter_main(self, hub_state: HubState, now: int) -> None:
        assert hub_state.host is not None and hub_state.main is not None
        recorder, due = self._recorder, hub_state.main.due_ns
        if 0 < due < now:
            recorder.record((wire.THREAD_WAITS, hub_state.host.track, due, recorder.wait("", READY), 0, 0))
        recorder.record((wire.THREAD_RUNS, hub_state.host.track, now, 0, 0, 0))
        hub_state.main.due_ns = 0
        recorder.threads[hub_state.ident] = hub_state.host
        hub_state.busy = bool(hub_state.live)
        hub_state.current, hub_state.started_ns = hub_state.host.track, now if hub_state.busy else -now


def _outcome(greenlet: Any) -> tuple[str, str | None]:
    """(outcome, error) of a greenlet that has ended. One that is not gevent's does not tell."""
    error = getattr(greenlet, "exception", None)
    if error is not None:
        return "raised", type(error).__name__
    value = getattr(greenlet, "value", None)
    if type(value).__name__ == "GreenletExit":
        return "cancelled", None
    return "returned", None
