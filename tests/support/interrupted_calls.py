"""A program whose calls are cut short by a signal handler that raises, and that counts what got lost.

    python interrupted_calls.py SIGNALS [CALL...]

Something is lost if a call has had its effect, but its caller got the handler's exception and no result: a
lock stays held, an item or some bytes are gone. Prints a line of JSON for each call: its name, how often.
It runs plain and traced and on each Python, so it uses nothing but the standard library.
"""

from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import os
import queue
import random
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

_LONGEST_S = 80e-6
"""A signal comes at most this long after the calls begin."""
_AGAIN_S = 20e-6


class Alarm(Exception):
    """Is raised by the handler."""


class Calls:
    """What is called until a signal comes, and what is counted after that."""

    def call(self) -> None:
        raise NotImplementedError

    def lost(self) -> int:
        """Return how much was lost since the last time, and begin again."""
        return 0


class WithLock(Calls):
    def __init__(self, make: Callable[[], Any], times: int = 1) -> None:
        self.lock, self.times = make(), times

    def call(self) -> None:
        with self.lock:
            pass

    def lost(self) -> int:
        return int(_release(self.lock))


class WithLockTwice(WithLock):
    def call(self) -> None:
        with self.lock, self.lock:
            pass


class WithCondition(WithLock):
    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(make)
        self.condition = threading.Condition(self.lock)

    def call(self) -> None:
        with self.condition:
            self.condition.notify()


class WaitForCondition(WithCondition):
    """The lock is lost if it is not taken again after the wait, and so cannot be released."""

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(make)
        self.losses = 0

    def call(self) -> None:
        try:
            with self.condition:
                self.condition.wait(0)
        except RuntimeError:
            self.losses += 1
            raise Alarm from None

    def lost(self) -> int:
        losses, self.losses = self.losses, 0
        _release(self.lock)
        return losses


class Acquire(WithLock):
    arguments: tuple[Any, ...] = ()

    def call(self) -> None:
        if self.lock.acquire(*self.arguments):
            try:
                pass
            finally:
                self.lock.release()


class AcquireWithoutWaiting(Acquire):
    arguments = (False,)


class AcquireInTime(Acquire):
    arguments = (True, 1.0)


class AcquireOutside(WithLock):
    """Lets go of a lock that was taken before there was anything to interrupt."""

    def call(self) -> None:
        lock = self.lock
        try:
            lock.acquire()
        finally:
            if lock.locked():
                lock.release()


class WithSemaphore(Calls):
    def __init__(self) -> None:
        self.semaphore = threading.Semaphore(1)

    def call(self) -> None:
        with self.semaphore:
            pass

    def lost(self) -> int:
        known: Any = self.semaphore  # asking it would wait for ever if its own lock was lost
        lost = known._value != 1 or known._cond._lock.locked()
        self.semaphore = threading.Semaphore(1)
        return int(lost)


class WithSharedLock(WithLock):
    def lost(self) -> int:
        held = not self.lock.acquire(False)
        self.lock.release()
        return int(held)


class Transfers(Calls):
    """Takes one after the other out of a full store, and compares what was received with what is left."""

    def __init__(self) -> None:
        self.received = 0
        self.fill()

    def fill(self) -> None:
        raise NotImplementedError

    def take(self) -> int:
        raise NotImplementedError

    def left(self) -> int:
        """Empty the store, and return how much was in it."""
        raise NotImplementedError

    def call(self) -> None:
        self.received += self.take()

    def lost(self) -> int:
        lost = _AMOUNT - self.received - self.left()
        self.received = 0
        self.fill()
        return lost


_AMOUNT = 4000
"""More than can be taken out before the signal comes."""


class GetItem(Transfers):
    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        super().__init__()

    def fill(self) -> None:
        self.items = self._make()
        for _ in range(_AMOUNT):
            self.items.put(1)

    def take(self) -> int:
        return int(self.items.get())

    def left(self) -> int:
        # a queue whose own lock was lost would wait for ever
        return len(self.items.queue) if isinstance(self.items, queue.Queue) else self.items.qsize()


class Receive(Transfers):
    def __init__(self) -> None:
        self.ours, self.others = socket.socketpair()
        super().__init__()

    def fill(self) -> None:
        self.others.sendall(b"x" * _AMOUNT)

    def take(self) -> int:
        return len(self.ours.recv(1))

    def left(self) -> int:
        return len(self.ours.recv(_AMOUNT, socket.MSG_DONTWAIT))


class ReceiveInto(Receive):
    def take(self) -> int:
        return self.ours.recv_into(bytearray(1))


class Read(Transfers):
    def __init__(self) -> None:
        self.reads, self.writes = os.pipe()
        super().__init__()

    def fill(self) -> None:
        os.write(self.writes, b"x" * _AMOUNT)

    def take(self) -> int:
        return len(os.read(self.reads, 1))

    def left(self) -> int:
        return len(os.read(self.reads, _AMOUNT))


class Send(Calls):
    """Something is lost, or rather sent twice by a careful sender, if more was sent than the results say."""

    def __init__(self) -> None:
        self.ours, self.others = socket.socketpair()
        self.sent = 0

    def call(self) -> None:
        self.sent += self.ours.send(b"x")

    def lost(self) -> int:
        came, self.sent, sent = 0, 0, self.sent
        while select.select([self.others], [], [], 0)[0]:
            came += len(self.others.recv(1 << 16))
        return came - sent


class Write(Send):
    def call(self) -> None:
        self.sent += os.write(self.ours.fileno(), b"x")


class Accept(Calls):
    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.server.settimeout(0)
        self.accepted = 0
        self.client = socket.create_connection(self.server.getsockname())

    def call(self) -> None:
        try:
            connection, _ = self.server.accept()
        except BlockingIOError:
            return
        self.accepted += 1
        connection.close()

    def lost(self) -> int:
        try:
            self.server.accept()[0].close()
            self.accepted += 1
        except BlockingIOError:
            pass
        lost, self.accepted = 1 - self.accepted, 0
        self.client.close()
        self.client = socket.create_connection(self.server.getsockname())
        return lost


class WaitForChild(Calls):
    def __init__(self) -> None:
        self.status: int | None = None
        self.fork()

    def fork(self) -> None:
        self.child, self.status = os.fork(), None
        if self.child == 0:
            os._exit(0)
        time.sleep(0.002)

    def call(self) -> None:
        if self.status is None:
            child, status = os.waitpid(self.child, os.WNOHANG)
            self.status = status if child else None

    def lost(self) -> int:
        lost = 0
        if self.status is None:
            try:
                os.waitpid(self.child, 0)
            except ChildProcessError:
                lost = 1
        self.fork()
        return lost


class Keeps(Calls):
    """Calls what has no effect, or one that is still there to be asked for."""

    def __init__(self, make: Callable[[], Callable[[], object]]) -> None:
        self._make = make
        self.lost()

    def call(self) -> None:
        self._call()

    def lost(self) -> int:
        self._call = self._make()  # its own lock may be lost, in plain Python, too
        return 0


def _release(lock: Any) -> bool:
    """Release a lock that this thread holds, however often. Return whether it did."""
    is_held = lock._is_owned if hasattr(lock, "_is_owned") else lock.locked
    held = bool(is_held())
    while is_held():
        lock.release()
    return held


def _ended_thread() -> threading.Thread:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    return thread


def _done() -> concurrent.futures.Future[int]:
    future: concurrent.futures.Future[int] = concurrent.futures.Future()
    future.set_result(1)
    return future


def _set() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


CALLS: dict[str, Callable[[], Calls]] = {
    "with Lock": lambda: WithLock(threading.Lock),
    "with RLock": lambda: WithLock(threading.RLock),
    "with RLock, twice": lambda: WithLockTwice(threading.RLock),
    "Lock.acquire": lambda: Acquire(threading.Lock),
    "Lock.acquire(False)": lambda: AcquireWithoutWaiting(threading.Lock),
    "Lock.acquire(True, 1.0)": lambda: AcquireInTime(threading.Lock),
    "Lock.release": lambda: AcquireOutside(threading.Lock),
    "RLock.acquire": lambda: Acquire(threading.RLock),
    "with Condition(Lock)": lambda: WithCondition(threading.Lock),
    "with Condition(RLock)": lambda: WithCondition(threading.RLock),
    "Condition(RLock).wait": lambda: WaitForCondition(threading.RLock),
    "with Semaphore": WithSemaphore,
    "with multiprocessing.Lock": lambda: WithSharedLock(multiprocessing.Lock),
    "SimpleQueue.get": lambda: GetItem(queue.SimpleQueue),
    "Queue.get": lambda: GetItem(queue.Queue),
    "socket.recv": Receive,
    "socket.recv_into": ReceiveInto,
    "socket.send": Send,
    "socket.accept": Accept,
    "os.read": Read,
    "os.write": Write,
    "os.waitpid": WaitForChild,
    "time.sleep": lambda: Keeps(lambda: partial(time.sleep, 0)),
    "select.select": lambda: Keeps(lambda: partial(select.select, [], [], [], 0)),
    "Thread.join": lambda: Keeps(lambda: _ended_thread().join),
    "Future.result": lambda: Keeps(lambda: _done().result),
    "Event.wait": lambda: Keeps(lambda: _set().wait),
}

_armed: list[bool] = []
"""Not empty if the next signal is to raise."""


def _raise(_: int, __: FrameType | None) -> None:
    if _armed:
        _armed.clear()
        raise Alarm
    signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)


def lost_in(calls: Calls, signals: int) -> int:
    """Return how much was lost while this many signals came."""
    lost = 0
    for _ in range(signals):
        signal.setitimer(signal.ITIMER_REAL, random.uniform(_AGAIN_S, _LONGEST_S))
        try:
            _armed.append(True)
            while True:
                calls.call()
        except Alarm:
            pass
        lost += calls.lost()
    return lost


def main(signals: int, names: list[str]) -> None:
    signal.signal(signal.SIGALRM, _raise)
    for name in names or CALLS:
        print(json.dumps([name, lost_in(CALLS[name](), signals)]), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
