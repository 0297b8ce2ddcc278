"""Replaces locks of ``threading`` by ones that record who holds them and who waits.

To the script they look like the real ones: the same type by ``__class__``, attributes, results and errors.
The standard library gets real ones.

Taking a real lock, and releasing it, is one call in C: no signal handler, profiler or finalizer runs between
its effect and the caller's next instruction. A Python function in its place would start with such a point,
where a handler that raises leaves the lock held for ever, and so would each call in it. So our Python code
runs before a lock is taken, and prepares iterators of ``itertools`` that do the rest, which are then run by a
single call: take it, record that, and note how to record its release. ``with`` finds ``__enter__``,
``__exit__`` and ``release`` in slots, and calls what is there without a frame.
"""

from __future__ import annotations

import _thread
import copy
import copyreg
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, compress, repeat, starmap, takewhile
from operator import attrgetter, itemgetter, not_
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from asyncdemo.capture.blocking.limits import Limits
from asyncdemo.capture.blocking.waits import Waits
from asyncdemo.capture.guard import caller_of_hooked, hooked_frame
from asyncdemo.capture.instrument import Patches, on_return, pass_for
from asyncdemo.capture.libraries import wait_reasons
from asyncdemo.capture.recorder import QUEUED, Recorder
from asyncdemo.capture.stand_in import StandIn, method_of, stand_in_type


def install(recorder: Recorder, limits: Limits, waits: Waits, patches: Patches) -> None:
    plain: Any = threading.Lock  # a function before Python 3.13, a type since then
    guard = patches.guard
    traced_lock, traced_rlock, set_up = _traced_types(_Taking(recorder, limits, waits, patches))

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
        set_up(lock, _State(real, None if inner else limits.add(lock, "lock", 1, frame)))
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


# -- taking and releasing, in C ---------------------------------------------------------------------

_ONCE = ((),)
"""The arguments of one call without any."""
_first = itemgetter(0)


class _Methods:
    """The real lock, and those of its methods that stand-ins call."""

    __slots__ = ("enter", "exit", "real", "release")

    def __init__(self, real: Any) -> None:
        self.real = real
        self.enter, self.exit, self.release = real.__enter__, real.__exit__, real.release


class _Releases(chain[_Methods]):
    """Yields the real lock's methods, for each time that one of them is to release it.

    The first time, it also records the release: just before that, as nothing can run in between. It is an
    iterator because C calls one thing after another only to get what an iterator yields.
    """

    __slots__ = ("records",)
    records: Iterator[object]
    """Records the release, once."""
    next = property(next)


class _State:
    """What is known of a lock. It does not refer to the lock, which would then wait for a collection."""

    __slots__ = ("methods", "releases", "resource")

    def __init__(self, real: Any, resource: int | None) -> None:
        self.methods = _Methods(real)
        self.resource = resource
        self.releases = _releases((), repeat(self.methods))

    def let_go(self) -> None:
        """Record that it is released, however often it was taken."""
        next(self.releases.records, None)
        self.releases = _releases((), repeat(self.methods))


def _releases(records: Iterable[object], *parts: Iterable[_Methods]) -> _Releases:
    releases = _Releases(*parts)
    releases.records = iter(records)
    return releases


class _Taking:
    """Prepares to take a lock."""

    def __init__(self, recorder: Recorder, limits: Limits, waits: Waits, patches: Patches) -> None:
        self._recorder = recorder
        self._limits = limits
        self._waits = waits
        self._wait = patches.guard.value("Lock.acquire", self._waiting, lambda _, arguments, __: arguments)
        self.recorded = patches.guard.value("Lock.acquire", self._recorded, lambda _, attempts, *__: attempts)

    def enter(self, stand_in: Any) -> Callable[[], Any]:
        """Return what does the work of ``__enter__``."""
        state = stand_in._state
        acquire: Any = state.methods.real.acquire
        attempts = chain(starmap(acquire, ((False,),)), starmap(acquire, self._after_telling(state, ())))
        return self.recorded(state, filter(None, attempts)).__next__  # type: ignore[no-any-return]

    def attempts(
        self, state: _State, acquire: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Iterator[Any]:
        """Return an iterator that calls ``acquire``, and yields what that returns."""
        may_wait = _may_wait(arguments, options)
        attempts: Iterator[Any] = iter(())
        if may_wait is not None:
            attempts = starmap(state.methods.real.acquire, ((False,),))
        if may_wait is not False:
            if options:
                acquire = partial(acquire, **options)
            attempts = chain(attempts, starmap(acquire, self._after_telling(state, arguments)))
        return self.recorded(state, filter(None, attempts))  # type: ignore[no-any-return]

    def _after_telling(self, state: _State, arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield the arguments, after recording that this thread waits; the wait ends with the iterator."""
        return map(self._wait, (state,), (arguments,), ([],))

    def _waiting(self, state: _State, arguments: tuple[Any, ...], kept: list[Any]) -> tuple[Any, ...]:
        if self._recorder.active:
            kept.append(self._waits.until_gone("lock", QUEUED, state.resource))
        return arguments

    def _recorded(self, state: _State, attempts: Iterator[Any], times: int = 1) -> Iterator[Any]:
        """Return an iterator like the given one, that also records that the lock was taken.

        ``times`` is how often it then has to be released.
        """
        resource, recorder, methods = state.resource, self._recorder, state.methods
        if resource is None or not recorder.active:
            return attempts
        not_owned: Iterator[_Methods] = iter(())
        is_rlock = type(methods.real) is _RLock
        if is_rlock:  # a thread that does not own it cannot release it, and so records nothing
            is_owned = starmap(methods.real._is_owned, repeat(()))
            not_owned = map({False: methods}.__getitem__, takewhile(not_, is_owned))
        before = state.releases
        if is_rlock and methods.real._is_owned():
            records: Iterator[object] = repeat(None)
            releases = _releases(before.records, not_owned, _after(_sets(state, before), methods))
        else:
            records, gives_back = self._limits.will_take(resource)
            inner = repeat(methods, times - 1)
            releases = _releases(gives_back, not_owned, inner, _after(gives_back, methods), repeat(methods))
        # not strict: it ends if the lock could not be taken
        return map(_first, zip(attempts, records, _sets(state, releases), strict=False))


def _sets(state: _State, releases: _Releases) -> Iterator[None]:
    """Return an iterator that sets what the lock is released by, when it is advanced."""
    return map(setattr, (state,), ("releases",), (releases,))


def _after(effect: Iterator[None], methods: _Methods) -> Iterator[_Methods]:
    """Return an iterator that advances the other, and then yields the methods, once."""
    return compress((methods,), map(not_, effect))


def _traced_types(taking: _Taking) -> tuple[type, type, Callable[[Any, _State], None]]:
    """Return the base types of locks and RLocks, and what gives one its state."""
    attempts = taking.attempts
    enter = stand_in_type("enter", property(taking.enter))
    leave = stand_in_type("exit", property(attrgetter("_state.releases.next.exit")))
    release = stand_in_type("release", property(attrgetter("_state.releases.next.release")))

    class Traced:
        __slots__ = ("__enter__", "__exit__", "__weakref__", "_state", "release")
        if TYPE_CHECKING:  # else it would show up as an annotation of a lock
            _state: _State

        def acquire(self, /, *arguments: Any, **options: Any) -> Any:
            state = self._state
            return True in [*attempts(state, state.methods.real.acquire, arguments, options)]

        def _at_fork_reinit(self, /, *arguments: Any, **options: Any) -> Any:
            result = self._state.methods.real._at_fork_reinit(*arguments, **options)
            self._state.let_go()
            return result

        def __getattr__(self, name: str) -> Any:
            return getattr(self._state.methods.real, name)

        def __setattr__(self, name: str, value: Any) -> None:
            setattr(self._state.methods.real, name, value)  # raises

        def __delattr__(self, name: str) -> None:
            delattr(self._state.methods.real, name)  # raises

        def __repr__(self) -> str:
            return repr(self._state.methods.real)

        def __dir__(self) -> list[str]:
            return dir(self._state.methods.real)

        def __reduce_ex__(self, protocol: Any) -> Any:
            return self._state.methods.real.__reduce_ex__(protocol)  # raises: a lock cannot be copied

        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return type(self._state.methods.real)

    class TracedLock(Traced):
        """Adds the old method names of a lock."""

        __slots__ = ()

        def acquire_lock(self, /, *arguments: Any, **options: Any) -> Any:
            state = self._state
            return True in [*attempts(state, state.methods.real.acquire_lock, arguments, options)]

        def release_lock(self, /, *arguments: Any, **options: Any) -> Any:
            real = self._state.methods.real
            if arguments or options or not real.locked():
                return real.release_lock(*arguments, **options)  # raises
            return self.release()

    class TracedRLock(Traced):
        """Adds what Condition uses to release it completely, however often it is held."""

        __slots__ = ()

        def _release_save(self, /, *arguments: Any, **options: Any) -> Any:
            state = self._state
            if not (arguments or options) and state.methods.real._is_owned():
                state.let_go()
            return state.methods.real._release_save(*arguments, **options)

        def _acquire_restore(self, /, *arguments: Any, **options: Any) -> Any:
            state = self._state
            restore: Any = state.methods.real._acquire_restore
            if options or len(arguments) != 1 or type(arguments[0]) is not tuple:
                return restore(*arguments, **options)  # raises
            times = arguments[0][0] if type(arguments[0][0]) is int else 1
            [*taking.recorded(state, map(not_, starmap(restore, (arguments,))), times)]
            return None

    slots: Any = vars(Traced)
    set_state, set_enter, set_exit, set_release = (
        slots[name].__set__ for name in ("_state", "__enter__", "__exit__", "release")
    )

    def set_up(lock: Any, state: _State) -> None:
        set_state(lock, state)
        set_enter(lock, method_of(enter, state))
        set_exit(lock, method_of(leave, state))
        set_release(lock, method_of(release, state))

    return TracedLock, TracedRLock, set_up


_RLock: Any = _thread.RLock


def _type_in_place_of(plain: Any, traced_type: type, make: Callable[..., Any]) -> Any:
    """Return ``traced_type`` as a type that looks like ``plain`` and makes what ``make`` makes."""

    names = "__enter__", "__exit__", "release"
    in_slots = {name: _unbound(name, getattr(plain, name)) for name in names}

    class Type(type):
        def __getattribute__(cls, name: str) -> Any:
            return in_slots.get(name) or type.__getattribute__(cls, name)

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


def _unbound(name: str, original: Any) -> Callable[..., Any]:
    """Return a method as the type has it, which ``ExitStack`` calls, of locks that have it in a slot."""

    def method(lock: Any, /, *arguments: Any, **options: Any) -> Any:
        if isinstance(lock, original.__objclass__):
            return getattr(lock, name)(*arguments, **options)
        return original(lock, *arguments, **options)  # raises

    pass_for(method, original)
    return method


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
