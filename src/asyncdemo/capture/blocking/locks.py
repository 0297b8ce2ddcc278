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
import sys
import threading
from _thread import get_ident  # gevent replaces that of the module
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, compress, islice, repeat, starmap
from operator import attrgetter, is_, itemgetter, not_
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any
from weakref import proxy, ref

from asyncdemo.capture import wire
from asyncdemo.capture.blocking.limits import Limits
from asyncdemo.capture.blocking.waits import Waits
from asyncdemo.capture.guard import caller_of_hooked, hooked_frame
from asyncdemo.capture.instrument import Patches, on_return, pass_for
from asyncdemo.capture.libraries.library import package_of
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import QUEUED, Recorder
from asyncdemo.capture.stand_in import StandIn, forget_annotations, method_of, stand_in_type

_getframe = sys._getframe  # the script may replace it

_IN_PLACE_OF_THREADING = "gevent"
"""The package whose locks, like those of the standard library, are not its user's."""


def install(recorder: Recorder, loops: Loops, limits: Limits, waits: Waits, patches: Patches) -> None:
    plain: Any = threading.Lock  # a function before Python 3.13, a type since then
    guard = patches.guard
    traced_lock, traced_rlock, set_up = _traced_types(_Taking(recorder, loops, waits, patches))

    def make_lock(*arguments: Any, **options: Any) -> Any:
        return guarded(lock_type, plain(*arguments, **options), hooked_frame)

    def make_rlock(*arguments: Any, **options: Any) -> Any:
        return guarded(rlock_type, _RLock(*arguments, **options), hooked_frame)

    def rlock_made(real: Any) -> Any:
        return traced(rlock_type, real, caller_of_hooked) if type(real) is _RLock else real

    def traced(kind: type, real: Any, find_caller: Callable[[], FrameType | None]) -> Any:
        frame = _maker(find_caller())
        filename = "" if frame is None else frame.f_code.co_filename
        if recorder.origins.is_stdlib(filename) or package_of(filename) == _IN_PLACE_OF_THREADING:
            return real
        lock: Any = object.__new__(kind)
        inner = limits.has_pools(filename)
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
    if type(timeout) not in (int, float):
        return None
    if type(blocking) is not bool and (type(blocking) is not int or blocking not in (0, 1)):  # else too large
        return None
    if timeout != -1 and not (blocking and 0 <= timeout <= threading.TIMEOUT_MAX):
        return None
    return bool(blocking)


# -- taking and releasing, in C ---------------------------------------------------------------------


class _Methods:
    """The real lock, and those of its methods that stand-ins call."""

    __slots__ = ("acquire", "enter", "exit", "real", "release")

    restore = property(attrgetter("real._acquire_restore"))

    def __init__(self, real: Any) -> None:
        self.real = real
        self.acquire, self.release, self.enter, self.exit = (
            real.acquire,
            real.release,
            real.__enter__,
            real.__exit__,
        )


class _Releases(compress):  # type: ignore[type-arg]  # it has no parameter while running
    """Yields the real lock's methods, for each time that one of them is to release it.

    It is an iterator because C does something before a call only to find out what to call.
    """

    __slots__ = ()
    next = property(next)


class _Restores(map):  # type: ignore[type-arg]  # it has no parameter while running
    """Yields what takes the lock again, in the thread that asks, after it was released completely."""

    __slots__ = ()
    next = property(next)


class _State:
    """What is known of a lock. It does not refer to the lock, which would then wait for a collection."""

    __slots__ = (
        "__weakref__",
        "methods",
        "prepared",
        "releases",
        "resource",
        "restores",
        "restoring",
        "unrecorded",
    )
    restores: dict[int, Callable[[Any], object]]
    """Thread -> what takes the lock again. It and ``restoring`` are only there if the lock needs them."""
    restoring: _Restores

    def __init__(self, real: Any, resource: int | None) -> None:
        self.methods = methods = _Methods(real)
        self.resource = resource
        self.releases = self.unrecorded = _Releases(repeat(methods), repeat(True))
        """What releases it now, and what releases it without a record."""
        self.prepared: tuple[object, Iterator[bool] | None] = None, None
        """Who took it last and where, and what records that, if they took it there twice in a row."""


class _Taking:
    """Prepares to take a lock."""

    def __init__(self, recorder: Recorder, loops: Loops, waits: Waits, patches: Patches) -> None:
        self._recorder = recorder
        self._loops = loops
        self._waits = waits
        guard = patches.guard
        self.enter = guard.value(
            "Lock.__enter__", self._enter, lambda stand_in: stand_in._state.methods.enter
        )
        self.records = guard.value("Lock.acquire", self._records, lambda *_: repeat(True))
        self.wait = guard.value("waiting for a lock", self._wait, lambda *_: None)
        self.prepare_restore = guard.call("RLock._release_save", self._prepare_restore)

    def _enter(self, stand_in: Any) -> Callable[[], Any]:
        """Return what does the work of ``__enter__``."""
        state = stand_in._state
        attempts = starmap(state.methods.acquire, chain(_WITHOUT_WAITING, _Attempt(self, state)))
        return compress(filter(None, attempts), self._records(state)).__next__

    def attempts(
        self, state: _State, acquire: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Iterator[Any]:
        """Return an iterator that calls ``acquire``, and yields True if that has taken the lock."""
        may_wait = _may_wait(arguments, options)
        attempts: Iterator[Any] = iter(())
        if may_wait is not None:
            attempts = starmap(state.methods.acquire, _WITHOUT_WAITING)
        if may_wait is not False:
            if options:
                acquire = partial(acquire, **options)
            attempts = chain(attempts, starmap(acquire, chain(_Attempt(self, state, arguments))))
        return islice(compress(filter(None, attempts), self.records(state)), 1)

    def _wait(self, state: _State) -> object:
        return self._waits.until_gone("lock", QUEUED, state.resource) if self._recorder.active else None

    def _prepare_restore(self, state: _State, saved: list[Any]) -> None:
        """Record that this thread releases the lock completely, and prepare to take it again, in C.

        ``saved`` is empty yet. What the real lock returns for taking it again is put there.
        """
        records = self._records(state, _let_go(state), restored=True)
        taking = compress(map(not_, starmap(state.methods.restore, zip(saved, strict=False))), records)
        if hasattr(state, "restoring"):
            # it is called with what was saved, which is here already
            state.restores[get_ident()] = partial(next, map(_RESULT.get, taking))

    def restore(self, find_state: Callable[[], Any], /, *arguments: Any, **options: Any) -> None:
        """Take the lock again if that was not prepared in this thread."""
        state = find_state()
        restore: Any = state.methods.restore
        if options or len(arguments) != 1 or type(arguments[0]) is not tuple:
            return restore(*arguments, **options)  # type: ignore[no-any-return]  # raises
        times = arguments[0][0] if type(arguments[0][0]) is int else 1
        [*compress(map(not_, starmap(restore, (arguments,))), self.records(state, times))]
        return None

    def _records(self, state: _State, times: int = 1, restored: bool = False) -> Iterator[bool]:
        """Return an iterator that records that the lock was taken, each time it is advanced.

        ``times`` is how often the lock then has to be released. ``restored``: it is released before it is
        taken, though this thread may own it now.
        """
        resource, recorder = state.resource, self._recorder
        if resource is None or not recorder.active:
            return repeat(True)
        if not restored and type(state.methods.real) is _RLock and state.methods.real._is_owned():
            return map(not_, _sets(state, _releases(state, state.releases)))
        site = recorder.user_site(_getframe(2))
        who = track, place = self._loops.current_track(), 0 if site is None else site + 1
        recorder.announce(track)
        before, records = state.prepared
        if before == who and records is not None and times == 1:
            return records
        gives_back = recorder.recording(wire.GIVEN_BACK, track, None, resource, 0, 0)
        releases = _releases(state, state.unrecorded, gives_back)
        for _ in range(times - 1):
            releases = _releases(state, releases)
        takes = recorder.recording(wire.TAKEN, track, None, resource, 0, place)
        records = map(is_, takes, _sets(state, releases))
        state.prepared = who, records if before == who and times == 1 else None
        return records


class _Attempt:
    """The arguments of one call that may wait, as an iterable.

    The wait is recorded when the call is about to be made, and ends when the iterator is gone.
    """

    __slots__ = ("_arguments", "_state", "_taking")

    def __init__(self, taking: _Taking, state: _State, arguments: tuple[Any, ...] = ()) -> None:
        self._taking, self._state, self._arguments = taking, state, arguments

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        wait = self._taking.wait(self._state)
        return map(_first, ((self._arguments, wait),))


_first = itemgetter(0)
_WITHOUT_WAITING = ((False,),)
"""The arguments of ``acquire``, for one call."""
_NOTHING = repeat(None)
_RESULT = {True: None}


def _releases(state: _State, then: _Releases, gives_back: Iterator[None] = _NOTHING) -> _Releases:
    """Return what releases the lock, and records that; ``then`` releases it the next time.

    A thread that does not own an RLock cannot release it: then nothing is recorded, and the real one raises.
    """
    real = state.methods.real
    records: Iterator[bool] = map(is_, gives_back, _sets(state, then))
    if type(real) is _RLock:
        either = {True: records, False: repeat(True)}
        records = map(next, map(either.__getitem__, starmap(real._is_owned, repeat(()))))
    return _Releases(repeat(state.methods), records)


def _sets(state: _State, releases: _Releases) -> Iterator[None]:
    """Return an iterator that sets what releases the lock, each time it is advanced."""
    return map(setattr, repeat(proxy(state)), repeat("releases"), repeat(releases))


def _let_go(state: _State) -> int:
    """Record that the lock is released, however often it was taken. Return how often that was."""
    times = 0
    while state.releases is not state.unrecorded:
        before = state.releases
        next(before)
        if state.releases is before:
            break  # another thread owns it
        times += 1
    return times


def _traced_types(taking: _Taking) -> tuple[type, type, Callable[[Any, _State], None]]:
    """Return the base types of locks and RLocks, and what gives one its state."""
    attempts = taking.attempts
    enter = stand_in_type("enter", property(taking.enter))
    leave = stand_in_type("exit", property(attrgetter("_state.releases.next.exit")))
    release = stand_in_type("release", property(attrgetter("_state.releases.next.release")))
    restore = stand_in_type("restore", property(attrgetter("_state.restoring.next")))

    class Traced:
        __slots__ = ("__enter__", "__exit__", "__weakref__", "_state", "locked", "release")
        if TYPE_CHECKING:  # else it would show up as an annotation of a lock
            _state: _State

        def acquire(self, /, *arguments: Any, **options: Any) -> Any:
            state = self._state
            return True in [*attempts(state, state.methods.real.acquire, arguments, options)]

        def _at_fork_reinit(self, /, *arguments: Any, **options: Any) -> Any:
            _let_go(self._state)
            return self._state.methods.real._at_fork_reinit(*arguments, **options)

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

        __slots__ = ("_acquire_restore",)

        def __getattr__(self, name: str) -> Any:
            if name != "_acquire_restore":
                return getattr(self._state.methods.real, name)
            state = self._state  # asked for the first time
            restores: dict[int, Callable[[Any], object]] = {}
            state.restores = restores
            otherwise = partial(taking.restore, ref(state))
            idents = starmap(get_ident, repeat(()))
            state.restoring = _Restores(restores.pop, idents, repeat(otherwise))
            made = method_of(restore, state)
            vars(TracedRLock)[name].__set__(self, made)
            return made

        def _release_save(self, /, *arguments: Any, **options: Any) -> Any:
            state = self._state
            real = state.methods.real
            saved: list[Any] = []
            if arguments or options or not real._is_owned():
                return real._release_save(*arguments, **options)  # raises
            taking.prepare_restore(state, saved)
            saved.extend(starmap(real._release_save, ((),)))
            return saved[0]

    forget_annotations(Traced)
    slots: Any = vars(Traced)
    set_state, set_enter, set_exit, set_release, set_locked = (
        slots[name].__set__ for name in ("_state", "__enter__", "__exit__", "release", "locked")
    )

    def set_up(lock: Any, state: _State) -> None:
        set_state(lock, state)
        set_enter(lock, method_of(enter, state))
        set_exit(lock, method_of(leave, state))
        set_release(lock, method_of(release, state))
        if hasattr(state.methods.real, "locked"):  # an RLock has it since Python 3.14
            set_locked(lock, state.methods.real.locked)

    return TracedLock, TracedRLock, set_up


_RLock: Any = _thread.RLock


def _type_in_place_of(plain: Any, traced_type: type, make: Callable[..., Any]) -> Any:
    """Return ``traced_type`` as a type that looks like ``plain`` and makes what ``make`` makes."""

    names = "__enter__", "__exit__", "_acquire_restore", "locked", "release"
    in_slots = {name: _unbound(name, getattr(plain, name)) for name in names if hasattr(plain, name)}

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
        """For pickle: another process gets the plain type, whose copy is the same object."""
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

    made: Any = method
    pass_for(made, original)
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
