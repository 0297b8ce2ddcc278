"""Tells from a suspended task what it waits for.

The chain ``cr_await`` leads from the task's coroutine to the innermost one. If that is one of asyncio's own
primitives, its code object names the reason. The answer is cached by code object unless it depends on the
instance (which semaphore, which task).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from types import CodeType, CoroutineType
from typing import Any

from asyncdemo.capture.blocking.waits import TRANSFERS
from asyncdemo.capture.libraries.library import Reason
from asyncdemo.capture.libraries.lookup import Libraries
from asyncdemo.capture.loops.handles import TASK_TYPES, NoLoop
from asyncdemo.capture.loops.suspended import (
    ASYNCIO_DIR,
    beyond_asyncio,
    chain,
    code_of,
    coroutines,
    frame_of,
    is_compiled,
    local_of,
)
from asyncdemo.capture.recorder import QUEUED, WAITING, Cause, Recorder, cause_of

_BY_CODE = {
    "sleep": "sleep",
    "Condition.wait": "condition",
    "Event.wait": "event",
    "Barrier._wait": "barrier",
    "Barrier._block": "barrier",
    "Queue.get": "empty queue",
    "Queue.join": "queue.join",
    "TaskGroup.__aexit__": "taskgroup",
    "TaskGroup._aexit": "taskgroup",
    "_wait": "tasks",
    "as_completed.<locals>._wait_for_one": "tasks",
    "_AsCompletedIterator._wait_for_one": "tasks",
    "_cancel_and_wait": "task",
    "BaseEventLoop.getaddrinfo": "dns",
    "BaseEventLoop.getnameinfo": "dns",
    "BaseEventLoop._ensure_resolved": "dns",
    "StreamReader._wait_for_data": "net.read",
    "StreamWriter.wait_closed": "net.close",
    "FlowControlMixin._drain_helper": "net.write",
    "BaseSelectorEventLoop.sock_recv": "net.read",
    "BaseSelectorEventLoop.sock_recv_into": "net.read",
    "BaseSelectorEventLoop.sock_recvfrom": "net.read",
    "BaseSelectorEventLoop.sock_sendall": "net.write",
    "BaseSelectorEventLoop.sock_sendto": "net.write",
    "BaseSelectorEventLoop.sock_connect": "net.connect",
    "BaseSelectorEventLoop.sock_accept": "net.accept",
    "BaseEventLoop._create_connection_transport": "net.connect",
    "BaseEventLoop.start_tls": "net.connect",
    "Server.serve_forever": "net.accept",
    "Server.wait_closed": "net.close",
    "Process.wait": "subprocess",
    "BaseSubprocessTransport._wait": "subprocess",
    "BaseSubprocessTransport._connect_pipes": "subprocess",
}
_BUILT_UPON = ("event", "condition", "empty queue")
"""What asyncio's queues and barriers, and the primitives of libraries, are made of."""
_LIMITED = {
    "Semaphore.acquire": "semaphore",
    "Lock.acquire": "lock",
    "Queue.put": "full queue",
}
_MOST_CHAINS = 1000
"""Chains of coroutines whose reason is cached: a program has few, unless it compiles code."""
_NO_REASON: tuple[Reason, None] = ("", WAITING), None
_modules = sys.modules
_no_loop: Any = NoLoop()
_LEAVES: set[type] = {type(asyncio.Future.__await__(asyncio.Future(loop=_no_loop)))}
"""The type of what a coroutine awaits when it awaits a future directly."""
_Future = asyncio.Future


Place = tuple[int, ...]
"""Ids of asyncio's code that waits and of the user's code, the instruction there, and any code between them.

Ids, because the hash of a code object is computed from everything in it, each time.
"""
_NO_INSTANCE = (None, None, None)
_FUTURE, _GATHER = cause_of("future"), cause_of("gather")
_MOST_CODES = 10_000


class _Chain:
    """Coroutines that await one another, by their codes.

    ``own`` is the index of the innermost that is the user's own, or -1. ``cause`` is what is waited for with
    a bare future at the end, if the codes tell it; ``connects``, whether a pool's connection may tell more.
    ``library_reason`` is the reason that a library's code tells, and the index of that code, or -1.
    """

    __slots__ = ("cause", "codes", "connects", "library_reason", "own")

    def __init__(self, codes: list[CodeType], own: int) -> None:
        self.codes = codes  # kept, because ids are reused
        self.own = own
        self.cause: Cause | None = None
        self.connects = False
        self.library_reason: tuple[Reason, int] | None = None


class Reasons:
    """Classifies suspensions, for all loops of the process."""

    def __init__(
        self, recorder: Recorder, resource_of: Callable[[object], int | None], libraries: Libraries
    ) -> None:
        """``resource_of`` returns the index of a semaphore, lock, queue or pool that is known."""
        self._recorder = recorder
        self._resource_of = resource_of
        self.service_of: Callable[[object], str] = lambda connection: ""
        """Returns what a pool's connection leads to: "s3"; "" if that is not known."""
        self.connections: Mapping[int, object] = {}
        """The connections of pools. While there are none, what is waited for does not depend on them."""
        self._by_place: dict[Place | None, int] = {}
        self._sites: dict[Place | None, int | None] = {}
        """Place -> the line, which is the same even if what is waited for is not."""
        self._own: dict[int, bool] = {}
        """id(code) -> whether it is the user's own."""
        self._codes: list[CodeType] = []
        """These codes, kept because ids are reused."""
        self._chains: dict[tuple[int, ...], _Chain] = {}
        """Ids of the codes that await one another -> the chain."""
        self._libraries = libraries
        self._modules = 0
        """How many were imported when libraries with their own reasons were last looked for."""
        self._any_library = False
        self.items: dict[int, int] = {}
        """id(asyncio future) -> index of the executor's work item that will complete it."""

    def forget(self) -> None:
        """Clear the caches. A library was imported, so what awaits asyncio's own primitives may say more."""
        self._by_place.clear()
        self._chains.clear()

    def _knows_libraries(self) -> bool:
        """Whether a library with its own reasons is imported. Called at every wait."""
        modules = len(_modules)
        if modules != self._modules:
            self._modules = modules
            self._any_library = self._libraries.any_imported(_modules)
        return self._any_library

    def classify(self, coroutine: Any, future: Any) -> int:
        """Return the wait, with its line, of a task whose step just ended with ``future`` to wait for."""
        innermost: Any = coroutine
        caller: Any = None
        outer: Any = None
        code: CodeType | None = None
        while (kind := type(innermost)) is CoroutineType or is_compiled(kind):
            following = innermost.cr_await
            if following is None or type(following) in _LEAVES:
                code = innermost.cr_code
                break
            innermost, caller, outer = following, innermost, caller
        else:  # something other than a coroutine is in the chain
            suspended = chain(coroutine)
            innermost = suspended[-1] if suspended else None
            cause = self._by_primitive(innermost, code_of(innermost), future, coroutine)
            return self._recorder.wait(*cause, self._site_in(suspended))
        is_plain = type(caller) is CoroutineType
        if is_plain:  # `_place`, inlined for the most frequent case
            known = self._by_place.get((id(code), id(caller.cr_code), caller.cr_frame.f_lasti))
            if known is not None and not self.items:
                return known
        key = self._place(code, innermost, caller, outer)
        known = self._by_place.get(key)
        if known is not None and not self.items:
            return known
        if key is None:
            return self._by_codes(coroutine, innermost, code, future)
        cause = self._by_primitive(innermost, code, future, coroutine)
        if key in self._sites:
            return self._recorder.wait(*cause, self._sites[key])
        site = self._sites[key] = self._site_of(coroutine)
        wait = self._recorder.wait(*cause, site)
        is_asyncios = code is not None and code.co_filename.startswith(ASYNCIO_DIR)
        if is_asyncios and code.co_qualname in _BY_CODE and cause[2:] == _NO_INSTANCE:
            self._by_place[key] = wait  # the same each time that the user's own code awaits this code there
        return wait

    def _by_codes(self, coroutine: Any, innermost: Any, code: CodeType | None, future: Any) -> int:
        """For waits inside a library: its codes often tell everything, as when it awaits a bare future."""
        awaited = coroutines(coroutine)
        chain = self._chain_of(awaited)
        if chain is None:
            cause = self._by_primitive(innermost, code, future, coroutine)
            return self._recorder.wait(*cause, self._site_of(coroutine))
        is_bare = type(future) is _Future and id(future) not in self.items
        known = chain.cause if is_bare and (not chain.connects or not self.connections) else None
        cause = known or self._by_primitive(innermost, code, future, coroutine)
        by_codes = known is None and is_bare and cause[2:] == _NO_INSTANCE
        if by_codes and code is not None and code.co_name != "wait_for":
            chain.cause, chain.connects = cause, cause[0] in TRANSFERS
        site = None if chain.own < 0 else self._recorder.user_site(frame_of(awaited[chain.own]))
        return self._recorder.wait(*cause, site)

    def _chain_of(self, awaited: list[Any]) -> _Chain | None:
        if not awaited:
            return None
        key = tuple([id(one.cr_code) for one in awaited])
        known = self._chains.get(key)
        if known is None:
            if len(self._chains) >= _MOST_CHAINS:
                self._chains.clear()
            codes = [one.cr_code for one in awaited]
            own = [place for place, code in enumerate(codes) if self._is_own(code)]
            known = self._chains[key] = _Chain(codes, own[-1] if own else -1)
        return known

    def _place(self, code: CodeType | None, innermost: Any, caller: Any, outer: Any) -> Place | None:
        """The key of the line of the user's own code; None if none of the three innermost is the user's."""
        own, between = self._own, 0
        if own.get(id(code)):
            holder = innermost
        elif type(caller) is not CoroutineType:
            return None
        elif own.get(between := id(caller.cr_code)):
            holder = caller
        elif type(outer) is CoroutineType and own.get(id(outer.cr_code)):  # Lock.__aenter__ was between
            holder = outer
        else:
            return None
        frame = holder.cr_frame
        if frame is None:
            return None
        place = id(code), id(holder.cr_code), frame.f_lasti
        return place if holder is caller else (*place, between)

    def _site_of(self, coroutine: Any) -> int | None:
        """The innermost line of the user's own code."""
        awaited = coroutines(coroutine)
        known = self._chain_of(awaited)
        if known is None:
            return self._site_in(chain(coroutine))
        return None if known.own < 0 else self._recorder.user_site(frame_of(awaited[known.own]))

    def _site_in(self, suspended: list[Any]) -> int | None:
        found = (one for one in reversed(suspended) if self._is_own(code_of(one)))
        innermost = next(found, None)
        return None if innermost is None else self._recorder.user_site(frame_of(innermost))

    def _is_own(self, code: CodeType | None) -> bool:
        if code is None:
            return False
        known = self._own.get(id(code))
        if known is None:
            if len(self._codes) >= _MOST_CODES:  # a program that compiles code
                self._own.clear()
                self._chains.clear()
                self._by_place.clear()
                self._sites.clear()
                self._codes.clear()
            known = self._own[id(code)] = self._recorder.origins.is_user(code.co_filename)
            self._codes.append(code)
        return known

    def _by_primitive(self, innermost: Any, code: CodeType | None, future: Any, coroutine: Any) -> Cause:
        if self.items:
            item = self.items.get(id(future))
            if item is not None:
                return cause_of("thread", item=item)
        if code is None or not code.co_filename.startswith(ASYNCIO_DIR):
            return self._by_future(future, coroutine)
        name = code.co_qualname
        reason = _BY_CODE.get(name)
        if reason in _BUILT_UPON:
            return self._by_builder(coroutine, reason)
        if reason in TRANSFERS and self._knows_libraries():
            return cause_of(self._service(coroutine) or reason)
        if reason is not None:
            return cause_of(reason)
        reason = _LIMITED.get(name)
        if reason is not None:
            return cause_of(reason, QUEUED, resource=self._resource_of(local_of(innermost, "self")))
        if name == "wait_for":
            if self._knows_libraries():
                known = self._by_library(coroutine)
                if known is not None:
                    return known
            return self._by_future(local_of(innermost, "fut"), coroutine)
        return self._by_future(future, coroutine)

    def _by_builder(self, coroutine: Any, reason: str) -> Cause:
        """An event or a condition is often only a part of what is really waited for."""
        for suspended in reversed(chain(coroutine)[:-1]):
            code = code_of(suspended)
            if code is None or not code.co_filename.startswith(ASYNCIO_DIR):
                break
            reason = _BY_CODE.get(code.co_qualname, reason)
        if self._knows_libraries():
            return self._by_library(coroutine) or cause_of(reason)
        return cause_of(reason)

    def _by_library(self, coroutine: Any) -> Cause | None:
        (reason, state), source = self._library_reason(coroutine)
        if source is None:
            return None
        if state == QUEUED:
            return cause_of(reason, state, resource=self._resource_of(local_of(source, "self")))
        if reason in TRANSFERS and self.connections:
            reason = self._service_behind(local_of(source, "self"), local_of(source, "conn")) or reason
        return cause_of(reason, state)

    def _library_reason(self, coroutine: Any) -> tuple[Reason, Any]:
        """(reason, the suspended coroutine that it is known from, or None)."""
        awaited = coroutines(coroutine)
        known = self._chain_of(awaited)
        if known is None or known.library_reason is None:
            suspended = beyond_asyncio(coroutine)
            found = self._libraries.reason([code_of(one) for one in suspended])
            reason, source = _NO_REASON if found is None else (found[0], suspended[found[1]])
            if known is not None:
                known.library_reason = reason, -1 if source is None else awaited.index(source)
            return reason, source
        reason, place = known.library_reason
        return reason, None if place < 0 else awaited[place]

    def _service_behind(self, *owners: object) -> str:
        """The service of a connection, or of an object that has one as its protocol."""
        candidates = (one for owner in owners for one in (owner, getattr(owner, "_protocol", None)))
        return next((service for candidate in candidates if (service := self.service_of(candidate))), "")

    def _service(self, coroutine: Any) -> str:
        awaited = coroutines(coroutine) or beyond_asyncio(coroutine)[::-1]
        for suspended in reversed(awaited):
            code = code_of(suspended)
            if code is None or not code.co_filename.startswith(ASYNCIO_DIR):
                return self._libraries.service(code)
        return ""

    def _by_future(self, future: Any, coroutine: Any) -> Cause:
        if self.items:
            item = self.items.get(id(future))
            if item is not None:
                return cause_of("thread", item=item)
        track = self._recorder.tasks.get(id(future))
        if track is not None:
            return cause_of("task", on=track)
        if type(future) in TASK_TYPES:  # an unknown one
            return cause_of("task")
        if type(future).__name__ == "_GatheringFuture":
            return _GATHER
        if self._knows_libraries():
            return self._by_library(coroutine) or _FUTURE
        return _FUTURE
