"""Locks of ``threading`` that record who holds and who queues; the standard library gets real ones."""

from __future__ import annotations

import _thread
import copy
import copyreg
import sys
import threading
from collections.abc import Callable
from typing import Any

from asyncdemo.capture import libraries
from asyncdemo.capture.limits import Limits
from asyncdemo.capture.recorder import QUEUED, Recorder
from asyncdemo.capture.waits import Waits


def _plain(made: Any) -> tuple[Any, ...]:
    """What a type stands for, as pickle wants to be told: to be copied, which gives the very same one."""
    return copy.copy, (_thread.RLock if made.__name__ == "RLock" else _thread.allocate_lock,)


def lock_types(recorder: Recorder, limits: Limits, waits: Waits) -> tuple[type, type]:
    """Locks that record who holds them and who queues; the standard library still gets real ones."""

    class Type(type):
        """Of the types made here: another process gets the plain one."""

    copyreg.pickle(Type, _plain)

    class Lock(metaclass=Type):
        _make_real: Callable[[], Any] = staticmethod(threading.Lock)
        _real: Any
        _depth: int
        _resource: int | None

        def __new__(cls) -> Any:
            frame = sys._getframe(1)
            while frame.f_code.co_filename == "<string>" and frame.f_back is not None:
                frame = frame.f_back  # what dataclasses generate
            filename = frame.f_code.co_filename
            if recorder.origins.is_stdlib(filename) or libraries.stands_for_threading(filename):
                return cls._make_real()
            lock = object.__new__(cls)
            lock._real = cls._make_real()
            lock._depth = 0
            inner = libraries.has_pools(filename)
            lock._resource = None if inner else limits.add(lock, "lock", 1, frame)
            return lock

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            if timeout != -1 and (timeout < 0 or not blocking):
                return bool(self._real.acquire(blocking, timeout))  # raises
            taken = self._real.acquire(False)
            if not taken and blocking:
                with waits.waiting("lock", QUEUED, recorder.wait("lock", QUEUED, self._resource)):
                    taken = self._real.acquire(True, timeout)
            if taken:
                self._depth += 1
                if self._depth == 1 and self._resource is not None:
                    limits.take(self._resource)
            return bool(taken)

        def release(self) -> None:
            depth = self._depth
            if depth == 1:
                self._depth = 0
                if self._resource is not None:
                    limits.give_back(self._resource)
            self._real.release()
            if depth != 1:
                self._depth = depth - 1

        def __enter__(self) -> bool:
            return self.acquire()

        def __exit__(self, *exc_info: object) -> None:
            self.release()

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

        def __repr__(self) -> str:
            return repr(self._real)

        def __dir__(self) -> list[str]:
            return dir(self._real)

        def __reduce_ex__(self, protocol: Any) -> Any:
            return self._real.__reduce_ex__(protocol)  # raises: a lock cannot be copied

        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return type(self._real)

    class RLock(Lock):
        _make_real = staticmethod(threading.RLock)

        # what Condition uses to let go of a lock however often it is held
        def _release_save(self) -> tuple[Any, int]:
            depth, self._depth = self._depth, 0
            if self._resource is not None:
                limits.give_back(self._resource)
            return self._real._release_save(), depth

        def _acquire_restore(self, state: tuple[Any, int]) -> None:
            self._real._acquire_restore(state[0])
            self._depth = state[1]
            if self._resource is not None:
                limits.take(self._resource)

    for made in (Lock, RLock):
        real = type(made._make_real())
        made.__name__ = made.__qualname__ = real.__name__
        made.__module__ = real.__module__
    return Lock, RLock
