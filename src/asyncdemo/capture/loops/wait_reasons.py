"""Tells from a suspended task what it waits for.

The chain ``cr_await`` leads from the task's coroutine to the innermost one. Where that is one of
asyncio's own primitives, its code object names the reason; the answer is cached by code object
unless it depends on the instance (which semaphore, which task).
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable, Mapping
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, GeneratorType
from typing import Any

from asyncdemo.capture.blocking.waits import TRANSFERS
from asyncdemo.capture.libraries import wait_reasons
from asyncdemo.capture.loops.handles import TASK_TYPES
from asyncdemo.capture.recorder import QUEUED, WAITING, Cause, Recorder, cause_of


class _NoLoop:
    """Stands in for a loop, to make a future without one."""

    def get_debug(self) -> bool:
        return False


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
"""What asyncio's queues and barriers, and those of wait_reasons, are made of."""
_LIMITED = {
    "Semaphore.acquire": "semaphore",
    "Lock.acquire": "lock",
    "Queue.put": "full queue",
}
_MOST_CHAINS = 1000
"""Of coroutines awaiting one another, whose reason is kept: a program has few, unless it compiles code."""
_NO_REASON: tuple[wait_reasons.Reason, None] = ("", WAITING), None
_modules = sys.modules
_no_loop: Any = _NoLoop()
_LEAVES: set[type] = {type(asyncio.Future.__await__(asyncio.Future(loop=_no_loop)))}
"""What a coroutine awaits when it awaits a future itself."""
_Future = asyncio.Future
ASYNCIO_DIR = asyncio.__file__.rpartition("__init__")[0]


Place = tuple[int, ...]
"""Ids of codes, asyncio's own that waits and the user's, the instruction there, and what is between them.

By ids: the hash of a code is made of all that is in it, each time it is asked for.
"""
_NO_INSTANCE = (None, None, None)
_FUTURE, _GATHER = cause_of("future"), cause_of("gather")
_MOST_CODES = 10_000


class _Chain:
    """Coroutines that await one another, by their codes.

    own: the place of the innermost that is the user's own, -1 if none is. cause: what is waited for with a
    bare future at the end, if the codes tell it. connects: unless a pool's connection can tell more.
    """

    __slots__ = ("cause", "codes", "connects", "own")

    def __init__(self, codes: list[CodeType], own: int) -> None:
        self.codes = codes  # kept, as ids of what is gone come back
        self.own = own
        self.cause: Cause | None = None
        self.connects = False


class Reasons:
    """Classifies suspensions; one for all loops of the process."""

    def __init__(self, recorder: Recorder, resource_of: Callable[[object], int | None]) -> None:
        """resource_of: the index of a semaphore, lock, queue or pool that is known."""
        self._recorder = recorder
        self._resource_of = resource_of
        self.service_of: Callable[[object], str] = lambda connection: ""
        """What a connection of a pool leads to: "s3"; "" if that is not known."""
        self.connections: Mapping[int, object] = {}
        """Those of pools. As long as there are none, what is waited for does not depend on them."""
        self._by_place: dict[Place | None, int] = {}
        self._sites: dict[Place | None, int | None] = {}
        """By the same: the line. It is the same also where what is waited for is not."""
        self._own: dict[int, bool] = {}
        """By id of a code: is it the user's own?"""
        self._codes: list[CodeType] = []
        """Those themselves, as ids of what is gone come back."""
        self._chains: dict[tuple[int, ...], _Chain] = {}
        """By ids of the codes that await one another."""
        self._by_chain: dict[tuple[int, ...], tuple[wait_reasons.Reason, int, list[CodeType]]] = {}
        self._libraries = wait_reasons.Libraries()
        self._modules = 0
        """So many were imported when it was last looked whether a library with reasons is among them."""
        self._any_library = False
        self.items: dict[int, int] = {}
        """id(asyncio future) -> index of the executor's work item that will complete it."""

    def forget(self) -> None:
        """A library was imported: what awaits asyncio's own primitives from now on may say more."""
        self._by_place.clear()
        self._by_chain.clear()
        self._chains.clear()

    def _knows_libraries(self) -> bool:
        """Is any of the libraries imported that have reasons of their own? Asked at every wait."""
        modules = len(_modules)
        if modules != self._modules:
            self._modules = modules
            self._any_library = wait_reasons.is_known(_modules)
        return self._any_library

    def classify(self, coroutine: Any, future: Any) -> int:
        """The wait of a task whose step just ended with ``future`` to wait for, and the line it waits on."""
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
        else:  # something else than a coroutine is in the chain
            suspended = chain(coroutine)
            innermost = suspended[-1] if suspended else None
            cause = self._by_primitive(innermost, code_of(innermost), future, coroutine)
            return self._recorder.wait(*cause, self._site_in(suspended))
        is_plain = type(caller) is CoroutineType
        if is_plain:  # as in `_place`, written out for what is most frequent
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
        if self._is_told_by_code(code, cause):
            self._by_place[key] = wait
        return wait

    def _by_codes(self, coroutine: Any, innermost: Any, code: CodeType | None, future: Any) -> int:
        """In the midst of a library: its codes often tell all, as when it awaits a bare future."""
        awaited = _coroutines(coroutine)
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
        """What the line of the user's own code can be known by; None if the last three are not his."""
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

    def _is_told_by_code(self, code: CodeType | None, cause: Cause) -> bool:
        """Is the cause the same each time that the user's own code awaits this one there?"""
        return (
            code is not None
            and cause[2:] == _NO_INSTANCE
            and code.co_filename.startswith(ASYNCIO_DIR)
            and code.co_qualname in _BY_CODE
        )

    def _site_of(self, coroutine: Any) -> int | None:
        """The innermost line of the user's own code."""
        awaited = _coroutines(coroutine)
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
            return cause_of(reason, QUEUED, resource=self._resource_of(_local(innermost, "self")))
        if name == "wait_for":
            if self._knows_libraries():
                known = self._by_library(coroutine)
                if known is not None:
                    return known
            return self._by_future(_local(innermost, "fut"), coroutine)
        return self._by_future(future, coroutine)

    def _by_builder(self, coroutine: Any, reason: str) -> Cause:
        """An event or a condition is often only a part of what really is waited for."""
        for suspended in reversed(chain(coroutine)[:-1]):
            code = code_of(suspended)
            if code is None or not code.co_filename.startswith(ASYNCIO_DIR):
                break
            reason = _BY_CODE.get(code.co_qualname, reason)
        if self._knows_libraries():
            return self._by_library(coroutine) or cause_of(reason)
        return cause_of(reason)

    def _by_library(self, coroutine: Any) -> Cause | None:
        (reason, state), teller = self._told_by(coroutine)
        if teller is None:
            return None
        if state == QUEUED:
            return cause_of(reason, state, resource=self._resource_of(_local(teller, "self")))
        if reason in TRANSFERS and self.connections:
            reason = self._service_behind(_local(teller, "self"), _local(teller, "conn")) or reason
        return cause_of(reason, state)

    def _told_by(self, coroutine: Any) -> tuple[wait_reasons.Reason, Any]:
        """(reason, the suspended coroutine that tells it, None if none does)."""
        awaited = _coroutines(coroutine)
        key = tuple([id(one.cr_code) for one in awaited])
        known = self._by_chain.get(key)
        if known is None or not awaited:
            suspended = _beyond_asyncio(coroutine)
            found = self._libraries.reason([code_of(one) for one in suspended])
            if not awaited:
                return _NO_REASON if found is None else (found[0], suspended[found[1]])
            place = -1 if found is None else awaited.index(suspended[found[1]])
            # the codes are kept, as ids of what is gone come back
            known = _NO_REASON[0] if found is None else found[0], place, [one.cr_code for one in awaited]
            if len(self._by_chain) >= _MOST_CHAINS:
                self._by_chain.clear()
            self._by_chain[key] = known
        reason, place, _ = known
        return reason, None if place < 0 else awaited[place]

    def _service_behind(self, *owners: object) -> str:
        """Of a connection, or of what has one as its protocol."""
        candidates = (one for owner in owners for one in (owner, getattr(owner, "_protocol", None)))
        return next((service for one in candidates if (service := self.service_of(one))), "")

    def _service(self, coroutine: Any) -> str:
        awaited = _coroutines(coroutine) or _beyond_asyncio(coroutine)[::-1]
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
            self._recorder.sums.settle(track)  # who waits for it shows what it does from now on
            return cause_of("task", on=track)
        if type(future) in TASK_TYPES:  # one that is not known
            return cause_of("task")
        if type(future).__name__ == "_GatheringFuture":
            return _GATHER
        if self._knows_libraries():
            return self._by_library(coroutine) or _FUTURE
        return _FUTURE


def _suspended(awaitable: Any) -> Any:
    """The coroutine or generator behind an awaitable; None where there is none."""
    kind = type(awaitable)
    if kind in _SUSPENDABLE:
        return awaitable
    if kind.__name__.startswith("async_generator_"):  # asend and athrow do not tell their generator
        return next((r for r in gc.get_referents(awaitable) if type(r) is AsyncGeneratorType), None)
    if kind.__name__ == "coroutine_wrapper":  # what __await__ of a coroutine gives
        return next((r for r in gc.get_referents(awaitable) if type(r) is CoroutineType), None)
    return None


_SUSPENDABLE = (CoroutineType, GeneratorType, AsyncGeneratorType)


def _following(suspended: Any) -> Any:
    """What a coroutine or generator is suspended in."""
    if type(suspended) is CoroutineType:
        return suspended.cr_await
    if type(suspended) is GeneratorType:
        return suspended.gi_yieldfrom
    return suspended.ag_await


def _coroutines(coroutine: Any) -> list[Any]:
    """Those suspended in one another, outermost first; empty if something else is among them."""
    found = []
    current = coroutine
    while type(current) is CoroutineType:
        found.append(current)
        current = current.cr_await
    return found if _suspended(current) is None else []


def _beyond_asyncio(coroutine: Any) -> list[Any]:
    """The suspended coroutines, innermost first, without asyncio's own at that end."""
    suspended = list(reversed(chain(coroutine)))
    for place, one in enumerate(suspended):
        code = code_of(one)
        if code is None or not code.co_filename.startswith(ASYNCIO_DIR):
            return suspended[place:]
    return []


def is_compiled(kind: type) -> bool:
    """Is it the type of the coroutines that Cython makes, which have the attributes of Python's?"""
    # What their `__await__` gives is of the same module, a `coroutine_wrapper` without any of these.
    return type(kind) is type and kind.__name__ == "coroutine" and kind.__module__.startswith("_cython")


def code_of(suspended: Any) -> CodeType | None:
    """Of an object of the script's own nothing is asked."""
    code = _read(suspended, _CODES)
    return code if type(code) is CodeType else None


def frame_of(suspended: Any) -> FrameType | None:
    """The same."""
    frame = _read(suspended, _FRAMES)
    return frame if type(frame) is FrameType else None


_CODES: dict[type, str] = {CoroutineType: "cr_code", GeneratorType: "gi_code", AsyncGeneratorType: "ag_code"}
_FRAMES: dict[type, str] = {
    CoroutineType: "cr_frame",
    GeneratorType: "gi_frame",
    AsyncGeneratorType: "ag_frame",
}


def _read(suspended: Any, names: dict[type, str]) -> object:
    kind = type(suspended)
    if is_compiled(kind):
        kind = CoroutineType
    return getattr(suspended, names[kind], None) if kind in names else None


def _local(suspended: Any, name: str) -> object:
    frame = frame_of(suspended)
    return None if frame is None else frame.f_locals.get(name)


def chain(coroutine: Any) -> list[Any]:
    """The coroutines and generators suspended in one another, outermost first."""
    found: list[Any] = []
    current = _suspended(coroutine)
    while current is not None:
        found.append(current)
        current = _suspended(_following(current))
    return found
