"""Whatever the tracer hooks or replaces is called as without it: each script runs plain and traced, byte for byte.

With keywords, defaults and odd objects: the same result, or the same exception with the same message.
"""

# ruff: noqa: E501 - the scripts print much in few lines

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.plain_and_traced import alike

# Each begins with this: what a call came to, in words.
_SAID = """\
def said(what, call):
    try:
        result = call()
    except BaseException as error:
        print(what, type(error).__name__, error)
    else:
        print(what, "->", repr(result))
        return result
"""

SCRIPTS = {
    "sockets": r"""
import socket, threading
def pair():
    left, right = socket.socketpair()
    left.settimeout(5), right.settimeout(5)
    return left, right
left, right = pair()
buffer = bytearray(10)
for options in ({}, {"nbytes": 5}, {"nbytes": 3, "flags": socket.MSG_PEEK}, {"nonesuch": 1}, {"nbytes": "x"}):
    left.sendall(b"0123456789")
    said(("recv_into", options), lambda: right.recv_into(buffer, **options))
    right.setblocking(False)
    said("rest", lambda: right.recv(100))
    right.settimeout(5)
    left.send(b"abc")
    said(("recvfrom_into", options), lambda: right.recvfrom_into(buffer, **options))
    right.settimeout(0.05)
    said("rest", lambda: right.recv(100, socket.MSG_DONTWAIT))
    right.settimeout(5)
print(buffer)
left.send(b"x" * 5)
said("recv", lambda: right.recv(3)), said("recvmsg", lambda: right.recvmsg(10))
class Own(socket.socket):
    calls = []
    def gettimeout(self):
        self.calls.append("gettimeout")
        raise LookupError("mine")
own, other = socket.socketpair()
own = Own(fileno=own.detach())
own.send(b"12345"), other.send(b"54321")
print(own.recv(5), other.recv(5), own.calls)
closed, _ = pair()
closed.close()
said("closed", lambda: closed.recv(1)), said("closed", lambda: closed.send(b"1"))
said("not made", lambda: socket.socket.__new__(socket.socket).recv(1))
server = socket.create_server(("127.0.0.1", 0))
server.settimeout(0.01)
said("accept", server.accept)
print(server.accept.__self__ is server, socket.socket.recv.__name__, left.recv.__name__, left.recv.__doc__ == socket.SocketType.recv.__doc__)
""",
    "locks": r"""
import copy, inspect, pickle, sys, threading, types, weakref
for make in (threading.Lock, threading.RLock):
    print(make, callable(make), isinstance(make, type), isinstance(make, types.BuiltinFunctionType), type(make).__name__)
    said("signature", lambda: inspect.signature(make))
    said("copied", lambda: copy.copy(make) is make and copy.deepcopy(make) is make)
    for arguments in ((1,), (1, 2, 3)):
        said(arguments, lambda: type(make(*arguments)).__name__) if sys.version_info < (3, 13) else said(arguments, lambda: threading.Lock(*arguments))
    said("keyword", lambda: threading.Lock(nonesuch=1))
    said("derived", lambda: type("Derived", (make,), {}))
    def define():
        class Derived(make):
            pass
    said("derived", define)
    said("set", lambda: setattr(threading.Lock, "mine", 1))
    lock = make()
    print(type(lock).__name__, type(lock).__qualname__, type(lock).__module__, lock.__class__, isinstance(lock, type(make())), type(lock) is type(make()))
    for other in (threading.Lock, threading.RLock):
        said("isinstance", lambda: isinstance(lock, other)), said("None", lambda: isinstance(None, other))
    print(sorted(dir(lock)), lock == lock, lock != make(), hash(lock) == hash(lock), bool(lock))
    said("attribute", lambda: setattr(lock, "mine", 1)), said("no attribute", lambda: lock.mine)
    said("delete", lambda: delattr(lock, "mine")), said("pickle", lambda: pickle.dumps(lock)), said("copy", lambda: copy.copy(lock))
    print(weakref.ref(lock)() is lock, str(lock), format(lock), lock.__doc__)
    for name in ("acquire", "release", "locked", "_at_fork_reinit", "_is_owned", "_recursion_count", "_release_save", "_acquire_restore", "acquire_lock", "release_lock", "locked_lock", "__enter__", "__exit__"):
        if not hasattr(lock, name):
            print(name, "is none")
            continue
        method = getattr(lock, name)
        print(name, method.__name__, method.__doc__)
        said("signature", lambda: inspect.signature(method)) if getattr(method, "__text_signature__", None) else None
        for arguments, options in (
            (("x",), {}), ((1, 2, 3), {}), ((False, 1), {}), ((True, -5), {}), ((), {"timeout": "x"}), ((), {"nonesuch": 1}),
            ((), {"blocking": False, "timeout": 0}), ((True, 1e30), {}), ((None,), {}), ((0.0,), {}), ((), {"timeout": None}),
        ) if name != "__enter__" else [((), {})]:  # which takes none: see docs/reference/tracer.md
            said((arguments, options), lambda: method(*arguments, **options))
            while lock.acquire(False) and "locked" in repr(lock) and make is threading.Lock:
                lock.release()
                break
            lock = make()
            method = getattr(lock, name)
    lock = make()
    said("not held", lock.release)
    print(lock.acquire(), lock.acquire(blocking=False), lock.acquire(True, 0.001), lock.acquire(timeout=0.001), str(lock).split()[:3])
    if hasattr(lock, "acquire_lock"):
        lock = make()
        print(lock.acquire_lock(), lock.locked_lock(), lock.release_lock(), lock.locked(), lock.acquire(False), lock.release())
    lock = make()
    with lock as entered:
        print(entered, repr(lock).split()[0])
    print(repr(lock).split()[0])
    condition = threading.Condition(lock)
    with condition:
        if make is threading.RLock:
            lock.acquire()
        print(condition.wait(0.001), repr(lock).split()[0], condition._is_owned())
        if make is threading.RLock:
            lock.release()
    said("not owned", condition.wait), said("not owned", condition.notify)
    def release_elsewhere():
        thread = threading.Thread(target=lambda: said("elsewhere", lock.release))
        thread.start(), thread.join()
    lock = make()
    lock.acquire()
    release_elsewhere()
    said("here", lock.release)
    class Has:
        made = make
        held = make()
    print(type(Has.made).__name__, Has.held.acquire(False), Has.held.release())
    said("bound", lambda: type(Has().made()).__name__)
""",
    "semaphores and queues": r"""
import asyncio, queue, threading
class Odd(int):
    pass
for make in (threading.Semaphore, threading.BoundedSemaphore, asyncio.Semaphore, asyncio.BoundedSemaphore):
    for value in (0, 1, 2.5, True, Odd(2), None, "x", -1, [], 10**30):
        one = said((make.__name__, value), lambda: make(value) and None) or (make(value) if value in (0, 1, 2.5) else None)
        if one is not None and make.__module__ == "threading":
            for arguments in ((), (2,), (0,), (-1,), ("x",), (1.0,), (None,), (10**5,) if make is threading.Semaphore else (3,)):
                if (arguments, value) != ((10**5,), 0):
                    said(("release", value, arguments), lambda: one.release(*arguments))
                said("acquired", lambda: one.acquire(False)), said("acquired", lambda: one.acquire(False, 1)), said("acquired", lambda: one.acquire(timeout=0))
        elif one is not None:
            said("release", one.release), said("release", one.release), said("release", lambda: one.release(2))
for make in (queue.Queue, queue.LifoQueue, queue.PriorityQueue, asyncio.Queue, asyncio.LifoQueue, asyncio.PriorityQueue):
    for size in (0, 1, 2.5, None, "x", -1, True, Odd(1), 10**30):
        one = said((make.__name__, size), lambda: make(size) and None) or make(maxsize=size)
        said("put", lambda: one.put_nowait(5)), said("put", lambda: one.put_nowait(3)), said("size", one.qsize), said("full", one.full)
        said("get", one.get_nowait), said("get", one.get_nowait), said("get", one.get_nowait)
        if make.__module__ == "queue":
            said("get", lambda: one.get(False)), said("get", lambda: one.get(timeout=0)), said("get", lambda: one.get(timeout=-1)), said("put", lambda: one.put(1, timeout=0)), said("put", lambda: one.put(item=1, block=False))
class Own(queue.Queue):
    log = []
    def _qsize(self):
        self.log.append("asked")
        return super()._qsize()
own = Own(2)
own.put(1), own.get()
print(own.log)
class Asked(asyncio.Queue):
    @property
    def maxsize(self):
        raise LookupError("mine")
said("asked", Asked)
async def main():
    lock = asyncio.Lock()
    said("not held", lock.release)
    async with lock:
        print(lock.locked())
    gate = asyncio.BoundedSemaphore(1)
    said("too often", gate.release)
    async with gate:
        print(gate.locked())
    print(gate.locked())
asyncio.run(main())
""",
    "stand-ins": r"""
import copy, functools, inspect, os, pickle, sys, threading, time, types, unittest.mock, weakref
import builtins
functions = [time.sleep, os._exit, os.fork, input]
for function in functions:
    print(function, function.__name__, function.__qualname__, function.__module__, function.__self__, function.__doc__)
    print(type(function).__name__, repr(type(function)), isinstance(function, types.BuiltinFunctionType), inspect.isbuiltin(function), inspect.isroutine(function), inspect.isfunction(function), callable(function))
    said("signature", lambda: inspect.signature(function)), said("text", lambda: function.__text_signature__)
    said("pickled", lambda: pickle.loads(pickle.dumps(function)).__name__), said("copied", lambda: copy.copy(function) is function and copy.deepcopy(function) is function)
    said("set", lambda: setattr(function, "mine", 1)), said("get", lambda: function.mine), said("wrapped", lambda: function.__wrapped__)
    said("derived", lambda: type("Derived", (function,), {})), said("another", lambda: type(function)())
    print(weakref.ref(function)() is function, function == function, hash(function) == hash(function), dir(function), str(function))
    said("partial", lambda: functools.partial(function))
    said("wraps", lambda: functools.wraps(function)(lambda: 1).__name__)
    class Has:
        call = function
    print(Has.call is function, Has().call is function)
for value in (None, "x", -1, float("nan"), 10**30, [], 0, 0.0, True, 0.001):
    said(("sleep", value), lambda: time.sleep(value))
said("sleep", time.sleep), said("secs", lambda: time.sleep(secs=1))
print(time.sleep is sys.modules["time"].sleep, pickle.loads(pickle.dumps(time.sleep)) is time.sleep)
for owner, name in ((time, "sleep"), (os, "_exit"), (builtins, "input"), (threading, "Lock"), (threading, "RLock")):
    original = getattr(owner, name)
    def patch():
        with unittest.mock.patch.object(owner, name, autospec=True) as mock:
            said("mocked", lambda: type(getattr(owner, name)(0)).__name__)
            return mock.call_args_list
    said(("patched", name), patch)
    print(getattr(owner, name) is original)
""",
    "stacks": r"""
import sys, threading, time, traceback
def names(walked):
    return [(frame.f_code.co_name, line) for frame, line in walked]
def walk():
    print(names(traceback.walk_stack(None)), names(traceback.walk_stack(sys._getframe())))
    print([frame.name for frame in traceback.StackSummary.extract(traceback.walk_stack(None))])
    print([frame.name for frame in traceback.StackSummary.extract(traceback.walk_stack(None), limit=2, lookup_lines=False)])
    print([frame.name for frame in traceback.extract_stack()], [frame.name for frame in traceback.extract_stack(limit=1)])
    walked = traceback.walk_stack(None)
    print([frame.f_code.co_name for frame, _ in walked], type(walked).__name__, walked.gi_code.co_name)
    traceback.print_stack(file=sys.stdout)
    print(traceback.format_stack())
    print([(frame.filename, frame.lineno, frame.name, frame.colno) for frame in traceback.extract_stack(sys._getframe())])
def outer():
    walk()
outer()
def here():
    print([frame.name for frame in traceback.extract_stack()], [frame.name for frame in traceback.extract_stack(sys._getframe())])
class Called:
    def __index__(self):
        here()
        return 0
    def __float__(self):
        here()
        return 0.0
def fails():
    time.sleep(Called())
    time.sleep("x")
try:
    fails()
except TypeError as error:
    print(traceback.format_exception(error), names(traceback.walk_tb(error.__traceback__)))
    print([frame.name for frame in traceback.TracebackException.from_exception(error).stack])
    print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
print(threading.excepthook is threading.__excepthook__)
class Frozen(Exception):
    def __setattr__(self, name, value):
        raise LookupError(name)
    @property
    def exceptions(self):
        raise LookupError("mine")
def dies():
    try:
        time.sleep("x")
    except TypeError:
        raise Frozen
def group():
    raise ExceptionGroup("several", [Frozen(), ValueError(1)])
for target in (fails, dies, group):
    thread = threading.Thread(target=target)
    thread.start(), thread.join()
threading.excepthook = lambda args: print(args.exc_type, args.thread.name, traceback.format_tb(args.exc_traceback)[1:])
thread = threading.Thread(target=fails)
thread.start(), thread.join()
raise Frozen
""",
    "loops of others": r"""
import asyncio, threading, time
class Slotted(asyncio.AbstractEventLoop):
    __slots__ = ()
class Touchy(asyncio.AbstractEventLoop):
    def __getattribute__(self, name):
        raise LookupError(name)
    def __setattr__(self, name, value):
        raise LookupError(name)
    def __bool__(self):
        raise LookupError("bool")
class Odd(asyncio.SelectorEventLoop):
    def __setattr__(self, name, value):
        if name == "_asyncdemo":
            raise LookupError(name)
        super().__setattr__(name, value)
for loop in (Slotted(), Touchy(), object(), Odd()):
    asyncio.events._set_running_loop(loop)
    said("slept", lambda: time.sleep(0.001))
    lock = threading.Lock()
    with lock:
        said("lock", lambda: lock.acquire(timeout=0.001))
    thread = threading.Thread(target=time.sleep, args=(0,))
    thread.start(), thread.join()
    asyncio.events._set_running_loop(None)
loop.close()
async def main():
    time.sleep(0.001)
    await asyncio.sleep(0)
with asyncio.Runner(loop_factory=Odd) as runner:
    said("run", lambda: runner.run(main()))
""",
    "introspection": r"""
import dataclasses, functools, inspect, os, subprocess, sys, threading, time, typing, warnings, weakref
warnings.simplefilter("always")
warnings.showwarning = lambda message, category, filename, lineno, *_: print(category.__name__, filename, lineno, "multi-threaded" in str(message))
@dataclasses.dataclass
class Has:
    lock: typing.Any = dataclasses.field(default_factory=threading.Lock)
    again: typing.Any = dataclasses.field(default_factory=threading.RLock)
has = Has()
print(has.lock.acquire(), has.again.acquire(), [type(one).__name__ for one in (has.lock, has.again)])
said("replaced", lambda: dataclasses.asdict(has))
@functools.singledispatch
def shown(one):
    return "something"
@shown.register(type(has.lock))
def _(one):
    return "a lock"
print(shown(has.lock), shown(has.again), shown(1))
kept = weakref.WeakKeyDictionary({has.lock: 1})
print(kept[has.lock], {has.lock: 2}[has.lock], has.lock in [has.lock], has.lock in {has.again})
del has
print(len(kept))
print(functools.reduce(lambda value, call: call, [time.sleep, os._exit]).__name__, sorted([time.sleep, os._exit], key=str)[0].__name__)
class Clock:
    sleep = staticmethod(time.sleep)
    lock = staticmethod(threading.Lock)
    again = threading.RLock
    def __init__(self, sleep=time.sleep, lock=threading.Lock):
        self.slept, self.made = sleep(0), type(lock()).__name__
print(Clock().sleep(0), Clock().slept, Clock().made, type(Clock().lock()).__name__, type(Clock.again()).__name__)
print(inspect.signature(Clock))
said("child", lambda: subprocess.run([sys.executable, "-c", "print(1)"], preexec_fn=int, capture_output=True).stdout)
import pty
pid, terminal = pty.fork()
if not pid:
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
pid = os.fork()
if not pid:
    with threading.Lock(), threading.RLock():
        time.sleep(0)
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
threading.Thread(target=time.sleep, args=(0.2,), daemon=True).start()
pid = os.fork()
if not pid:
    os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
""",
    "threads of others": r"""
import threading, queue, concurrent.futures
class Target:
    def __bool__(self):
        print("asked")
        return True
    def __getattr__(self, name):
        print("got", name)
        raise AttributeError(name)
    def __call__(self):
        print("ran")
class Own(threading.Thread):
    @property
    def name(self):
        print("named")
        return "mine"
    def __eq__(self, other):
        print("compared")
        return self is other
    def __hash__(self):
        return 1
    def run(self):
        print("own")
class Unmade(threading.Thread):
    def __init__(self):
        pass
class Slow:
    def __len__(self):
        print("len")
        return 0
    def __call__(self):
        print("called")
for thread in (threading.Thread(target=Target()), threading.Thread(target=Slow()), Own(), Own(), threading.Thread(target=None)):
    thread.start(), thread.join()
    said("again", thread.start)
said("unmade", lambda: Unmade().start()), said("unmade", lambda: Unmade().join())
said("not started", lambda: threading.Thread().join())
with concurrent.futures.ThreadPoolExecutor(1) as pool:
    future = pool.submit(pow, 2, 3)
    for arguments in ((), ("x",), (-1,), (1, 2)):
        said(("result", arguments), lambda: pool.submit(pow, 2, 3).result(*arguments)) if arguments != (-1,) else None
        said(("exception", arguments), lambda: pool.submit(pow, 2).exception(*arguments)) if arguments != (-1,) else None
    said("submit", lambda: pool.submit()), said("submit", lambda: pool.submit(5).result())
for arguments in ((0,), ("x",), (1.5,), (None, 5), (1, "a", 5)):
    said(("pool", arguments), lambda: concurrent.futures.ThreadPoolExecutor(*arguments).shutdown())
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_calls_come_to_the_same(name: str, tmp_path: Path) -> None:
    seen, run = alike(tmp_path, _SAID + SCRIPTS[name])
    assert seen.stdout and not [note for note in run.notes if "failed" in note]
