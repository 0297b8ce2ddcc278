"""Replaces locks of ``threading`` by ones that record who holds them and who waits.

To the script they look like the real ones: the same type by ``__class__``, attributes, results and errors.
The standard library gets real ones.
"""

from __future__ import annotations

import _thread
import copy
import copyreg
import threading
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from asyncdemo.capture.blocking.limits import Limits
from asyncdemo.capture.blocking.waits import Waits
from asyncdemo.capture.guard import caller_of_hooked, hooked_frame
from asyncdemo.capture.instrument import Patches, on_return, pass_for
from asyncdemo.capture.libraries import wait_reasons
from asyncdemo.capture.recorder import QUEUED, Recorder
from asyncdemo.capture.stand_in import StandIn


def install(recorder: Recorder, limits: Limits, waits: Waits, patches: Patches) -> None:
    plain: Any = threading.Lock  # a function before Python 3.13, a type since then
    guard = patches.guard
    traced_lock, traced_rlock, set_state = _traced_types(
        guard.context("Lock.acquire", lambda on: waits.waiting("lock", QUEUED, on)),
        guard.call("Lock.acquire", limits.take),
        guard.call("Lock.release", limits.give_back),
    )

    def make_lock(*arguments: Any, **options: Any) -> Any:
        return guarded(lock_type, plain(*arguments, **options), _maker(hooked_frame()))

    def make_rlock(*arguments: Any, **options: Any) -> Any:
        return guarded(rlock_type, _RLock(*arguments, **options), _maker(hooked_frame()))

    def rlock_made(real: Any) -> Any:
        return traced(rlock_type, real, _maker(caller_of_hooked())) if type(real) is _RLock else real

    def traced(kind: type, real: Any, frame: FrameType | None) -> Any:
        filename = "" if frame is None else frame.f_code.co_filename
        if recorder.origins.is_stdlib(filename) or wait_reasons.stands_for_threading(filename):
            return real
        lock: Any = object.__new__(kind)
        inner = wait_reasons.has_pools(filename)
        set_state(lock, real, None if inner else limits.add(lock, "lock", 1, frame))
        return lock

    guarded = guard.value("threading.Lock", traced, lambda _, real, __: real)
    lock_type = _type_in_place_of(_thread.LockType, traced_lock, make_lock)
    rlock_type = _type_in_place_of(_RLock, traced_rlock, make_rlock)
    patches.set(threading, "Lock", lock_type if isinstance(plain, type) else StandIn(plain, make_lock))
    patches.rewrite(threading, "RLock", rlock_made, on_return)


def _maker(frame: FrameType | None) -> FrameType | None:
    """The nearest frame, this one included, whose code is not generated, as by dataclasses."""
    while frame is not None and frame.f_code.co_filename == "<string>":
        frame = frame.f_back
    return frame


def _asked(blocking: Any = True, timeout: Any = -1) -> tuple[Any, Any]:
    return blocking, timeout


def timeout_of(arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The timeout of a valid call of ``acquire``; -1 if it has none."""
    return _asked(*arguments, **options)[1]


def _may_wait(arguments: tuple[Any, ...], options: dict[str, Any]) -> bool | None:
    """Whether ``acquire`` called like this may wait. None if only the real one can tell: it may raise."""
    try:
        blocking, timeout = _asked(*arguments, **options)
    except TypeError:
        return None
    if type(blocking) not in (bool, int) or type(timeout) not in (int, float):
        return None
    if timeout != -1 and not (blocking and 0 <= timeout <= threading.TIMEOUT_MAX):
        return None
    return bool(blocking)


def _traced_types(
    waiting: Callable[[int | None], Any], take: Callable[[int], None], give_back: Callable[[int], None]
) -> tuple[type, type, Callable[[Any, Any, int | None], None]]:
    """Return the base types of locks and RLocks, and what gives one its real lock and its resource."""

    class Traced:
        __slots__ = ("__weakref__", "_depth", "_real", "_resource")
        if TYPE_CHECKING:  # else they would show up as annotations of a lock
            _depth: int  # how often it is held, as far as we saw it being taken
            _real: Any
            _resource: int | None

        def acquire(self, /, *arguments: Any, **options: Any) -> Any:
            if not arguments and not options and self._real.acquire(False):
                return count(self)
            may_wait = _may_wait(arguments, options) if arguments or options else True
            return acquired(self, self._real.acquire, may_wait, arguments, options)

        def release(self, /, *arguments: Any, **options: Any) -> Any:
            real, depth = self._real, self._depth
            if arguments or options or not depth or not _can_be_released(real):
                return real.release(*arguments, **options)  # raises, unless it was taken unseen
            set_depth(self, depth - 1)
            if depth == 1 and self._resource is not None:
                give_back(self._resource)  # first: once it is free, another thread may take it
            return real.release()

        def __enter__(self, /, *arguments: Any, **options: Any) -> Any:
            if not arguments and not options and self._real.acquire(False):
                return count(self)
            may_wait = None if arguments or options else True
            return acquired(self, self._real.__enter__, may_wait, arguments, options)

        def __exit__(self, /, *arguments: Any, **options: Any) -> Any:
            if not options and len(arguments) == len(("type", "value", "traceback")):
                return self.release()
            result = self._real.__exit__(*arguments, **options)  # raises, or accepts any number
            if not _can_be_released(self._real):
                let_go(self)
            return result

        def _at_fork_reinit(self, /, *arguments: Any, **options: Any) -> Any:
            result = self._real._at_fork_reinit(*arguments, **options)
            let_go(self)
            return result

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

        def __setattr__(self, name: str, value: Any) -> None:
            setattr(self._real, name, value)  # raises

        def __delattr__(self, name: str) -> None:
            delattr(self._real, name)  # raises

        def __repr__(self) -> str:
            return repr(self._real)

        def __dir__(self) -> list[str]:
            return dir(self._real)

        def __reduce_ex__(self, protocol: Any) -> Any:
            return self._real.__reduce_ex__(protocol)  # raises: a lock cannot be copied

        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return type(self._real)

    class TracedLock(Traced):
        """Adds the old method names of a lock."""

        __slots__ = ()

        def acquire_lock(self, /, *arguments: Any, **options: Any) -> Any:
            may_wait = None if arguments or options else True
            return acquired(self, self._real.acquire_lock, may_wait, arguments, options)

        def release_lock(self, /, *arguments: Any, **options: Any) -> Any:
            return self._real.release_lock(*arguments, **options) if arguments or options else self.release()

    class TracedRLock(Traced):
        """Adds what Condition uses to release it completely, however often it is held."""

        __slots__ = ()

        def _release_save(self, /, *arguments: Any, **options: Any) -> Any:
            if not (arguments or options) and _can_be_released(self._real):
                let_go(self)
            return self._real._release_save(*arguments, **options)

        def _acquire_restore(self, /, *arguments: Any, **options: Any) -> Any:
            result = self._real._acquire_restore(*arguments, **options)
            ((count, _),) = arguments  # valid, as the real one accepted it
            set_depth(self, count)
            if self._resource is not None:
                take(self._resource)
            return result

    slots: Any = vars(Traced)
    set_real, set_depth, set_resource = (slots[name].__set__ for name in ("_real", "_depth", "_resource"))

    def acquired(
        lock: Any,
        really: Callable[..., Any],
        may_wait: bool | None,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:
        """``may_wait`` is None if only the real one can tell."""
        real = lock._real
        taken = False if may_wait is None else real.acquire(False)
        if not taken and may_wait is not False:
            with waiting(lock._resource):
                taken = really(*arguments, **options)
        return count(lock) if taken else taken

    def count(lock: Any) -> bool:
        depth = lock._depth + 1 if type(lock._real) is _RLock else 1
        set_depth(lock, depth)
        if depth == 1 and lock._resource is not None:
            take(lock._resource)
        return True

    def let_go(lock: Any) -> None:
        if lock._depth and lock._resource is not None:
            give_back(lock._resource)
        set_depth(lock, 0)

    def set_state(lock: Any, real: Any, resource: int | None) -> None:
        set_real(lock, real)
        set_depth(lock, 0)
        set_resource(lock, resource)

    return TracedLock, TracedRLock, set_state


def _can_be_released(real: Any) -> bool:
    held: bool = real._is_owned() if type(real) is _RLock else real.locked()
    return held


_RLock: Any = _thread.RLock


def _type_in_place_of(plain: Any, traced_type: type, make: Callable[..., Any]) -> Any:
    """Return ``traced_type`` as a type that looks like ``plain`` and makes what ``make`` makes."""

    class Type(type):
        def __new__(cls, name: str, bases: tuple[Any, ...], namespace: dict[str, Any]) -> Any:
            if any(type(base) is Type for base in bases):
                bases = tuple(plain if type(base) is Type else base for base in bases)
                return type(name, bases, namespace)  # raises: nothing may derive from it
            return super().__new__(cls, name, bases, namespace)

        def __call__(cls, *arguments: Any, **options: Any) -> Any:
            return make(*arguments, **options)

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, plain)

        def __subclasscheck__(cls, subclass: Any) -> bool:
            return type(subclass) is Type or issubclass(subclass, plain)

        def __setattr__(cls, name: str, value: Any) -> None:
            setattr(plain, name, value)  # raises

        def __delattr__(cls, name: str) -> None:
            delattr(plain, name)  # raises

        def __dir__(cls) -> list[str]:
            return dir(plain)

        __name__ = property(lambda _: plain.__name__)
        __text_signature__ = property(lambda _: plain.__text_signature__)
        __base__ = property(lambda _: plain.__base__)
        __bases__ = property(lambda _: plain.__bases__)
        __mro__ = property(lambda _: plain.__mro__)

        @property
        def __signature__(cls) -> Any:
            import inspect

            return inspect.signature(plain)

    def reduced(_: Any) -> tuple[Any, ...]:
        """For pickle: another process gets the plain type, of which a copy is the same object."""
        return copy.copy, (plain,)

    copyreg.pickle(Type, reduced)
    named = {"__module__": plain.__module__, "__doc__": plain.__doc__, "__slots__": ()}
    made = Type(f"{plain.__module__}.{plain.__name__}", (traced_type,), named)  # as errors name it
    type.__setattr__(made, "__qualname__", plain.__qualname__)
    _set_name(Type, "type")
    _pass_for_type(made, plain)
    return made


_set_name: Any = vars(type)["__name__"].__set__


def _pass_for_type(traced: Any, real: Any) -> None:
    """Let a type of traced locks have the names and methods that the real one has, and no others."""
    own: dict[str, Any] = {}
    for base in reversed(type.mro(traced)[:-1]):
        own |= vars(base)
    # functions only: reading __annotations__ would make the real type create some
    functions = {name: found for name, found in own.items() if isinstance(found, FunctionType)}
    for name, method in functions.items():
        original = getattr(real, name, None)
        if original is not None:
            copied = FunctionType(method.__code__, method.__globals__, name, None, method.__closure__)
            pass_for(copied, original)
            type.__setattr__(traced, name, copied)
