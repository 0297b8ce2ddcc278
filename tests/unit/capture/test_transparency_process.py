"""Tracing changes nothing that a script sees of its process: plain and traced, byte for byte.

``__main__``, stdin, threads, locks, built-in functions, signals, children, and how it all ends.
"""

# ruff: noqa: E501 - the scripts print much in few lines

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.plain_and_traced import plain, traced

SCRIPTS = {
    "main attributes": r'''
"""Docstring of main."""
import os, sys, threading
print(sorted(globals()))
print({k: v for k, v in sorted(globals().items()) if k not in ("__builtins__", "__loader__", "os", "sys", "threading")})
print(type(__loader__).__name__, type(__builtins__).__name__, __name__, __doc__, __file__, __spec__)
print(sys.argv, sys.path[0], sys.flags, sys.orig_argv[1:0], os.getcwd())
print(sys.modules["__main__"].__dict__ is globals(), __import__("__main__").__file__)
print([t.name for t in threading.enumerate()], threading.active_count())
print(sys.excepthook is sys.__excepthook__, sys.gettrace(), sys.getprofile())
x: int = 1
print(__annotations__)
print(sys.getrecursionlimit(), sys.getswitchinterval(), sys.stdin.isatty(), sys.stdout.isatty(), sys.stdout.line_buffering)
''',
    "tracebacks": r"""
import socket, subprocess, sys, threading, time, traceback, warnings
from concurrent.futures import ThreadPoolExecutor
def shown(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except BaseException:
        traceback.print_exc()
shown(time.sleep, -1)
shown(time.sleep, "long")
shown(time.sleep)
shown(time.sleep, 1, 2)
shown(time.sleep, seconds=1)
try:
    time.sleep(-1)
except ValueError as error:
    frames = traceback.extract_tb(error.__traceback__)
    print([(f.name, f.lineno) for f in frames])
shown(input, "prompt> ")
sock = socket.socket()
shown(sock.connect, ("127.0.0.1", 1))
shown(sock.recv, 10)
shown(sock.sendall, b"x")
shown(sock.send, "text")
sock.settimeout(0.01)
shown(sock.accept)
shown(socket.getaddrinfo, "no.such.host.invalid", 80)
shown(subprocess.run, [sys.executable, "-c", "raise SystemExit(3)"], check=True)
shown(subprocess.run, ["/no/such"])
def late():
    subprocess.run([sys.executable, "-c", "import time; time.sleep(9)"], timeout=0.05)
try:
    late()
except subprocess.TimeoutExpired as error:
    print(error.cmd)
lock = threading.Lock()
shown(lock.release)
shown(lock.acquire, False, 5)
shown(lock.acquire, True, -5)
shown(threading.RLock().release)
shown(threading.Semaphore, -1)
shown(threading.Condition().notify)
shown(threading.Thread.start, threading.current_thread())
shown(threading.Thread().join)
with ThreadPoolExecutor(1) as pool:
    future = pool.submit(divmod, 1, 0)
    shown(future.result)
    shown(pool.submit(time.sleep, -1).result)
    shown(pool.submit(future.result, 0).result)
    slow = pool.submit(time.sleep, 0.1)
    shown(slow.result, 0.01)
def fails():
    raise ValueError("in a thread") from KeyError("cause")
def exits():
    raise SystemExit(3)
for target in (fails, exits):
    thread = threading.Thread(target=target, name="failing")
    thread.start()
    thread.join()
timer = threading.Timer(0.01, fails)
timer.name = "timer"
timer.start()
timer.join()
sys.stdout.flush()
def noted():
    try:
        1 / 0
    except ZeroDivisionError as error:
        error.add_note("a note")
        raise ExceptionGroup("group", [error, ValueError("other")])
noted()
""",
    "keyboard": r"""
import os, signal, time
print(signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGPIPE))
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except KeyboardInterrupt:
    print("interrupted")
signal.signal(signal.SIGALRM, lambda number, frame: print("alarm", number, type(frame).__name__))
signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.05)
os.kill(os.getpid(), signal.SIGINT)
time.sleep(5)
""",
    "sigterm": r"""
import os, signal, atexit
atexit.register(print, "not reached")
print("before", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
""",
    "ending": r"""
import atexit, sys, threading, time, os, weakref
atexit.register(print, "atexit 1")
@atexit.register
def fails():
    print("atexit 2")
    raise ValueError("at exit")
atexit.register(lambda: print("atexit 3", threading.current_thread().name, [t.name for t in threading.enumerate()]))
def work(name, seconds):
    time.sleep(seconds)
    print(name, "done", flush=True)
class Told:
    def __del__(self):
        print("deleted")
told = Told()
threading.Thread(target=work, args=("worker", 0.05)).start()
threading.Thread(target=work, args=("daemon", 60), daemon=True).start()
sys.stderr.write("to stderr\n")
sys.exit("message as exit code")
""",
    "osexit": r"""
import os, sys
print("lost unless flushed")
sys.stdout.flush()
os._exit(9)
""",
    "locks": r"""
import _thread, copy, inspect, pickle, queue, threading, time, weakref, dataclasses
lock, rlock = threading.Lock(), threading.RLock()
print(lock, rlock)
print(isinstance(lock, type(threading.Lock())), isinstance(rlock, type(threading.RLock())))
print(isinstance(lock, _thread.LockType), isinstance(lock, _thread.RLock), isinstance(rlock, _thread.RLock))
print(type(lock).__name__, type(rlock).__name__, type(lock).__module__)
print(lock.acquire(), lock.locked(), lock.acquire(False), lock.acquire(timeout=0.01), lock.release(), lock.locked())
print(rlock.acquire(), rlock.acquire(), rlock.release(), rlock.release(), rlock)
with lock:
    print(lock)
for each in (lock, rlock):
    for way in (pickle.dumps, copy.copy, copy.deepcopy):
        try:
            way(each)
        except TypeError as error:
            print(error)
    print(weakref.ref(each)() is each, hash(each) == hash(each), each == each)
    print(sorted(n for n in dir(each) if not n.startswith("__")))
print(sorted(set(dir(threading.Lock())) ^ set(dir(lock))))
condition = threading.Condition(threading.RLock())
with condition, condition:
    print(condition.wait(0.01))
condition = threading.Condition(threading.Lock())
with condition:
    print(condition.wait_for(lambda: False, 0.01), condition)
@dataclasses.dataclass
class Counter:
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock, repr=False)
    count: int = 0
print(Counter(), type(Counter().lock) is type(threading.Lock()))
class Holder:
    make = threading.Lock
print(Holder().make().locked())
items = queue.Queue(2)
items.put(1), items.put(2)
for call, args in ((items.put, (3, False)), (items.put_nowait, (3,)), (items.put, (3, True, 0.01)), (items.put, (3, True, -1))):
    try:
        call(*args)
    except (queue.Full, ValueError) as error:
        print(type(error).__name__, error)
print(items.get(), items.get(), items.qsize(), items.maxsize)
try:
    items.get(timeout=0.01)
except queue.Empty as error:
    print(repr(error))
class Loud(queue.Queue):
    def _put(self, item):
        print("putting", item)
        super()._put(item)
loud = Loud()
loud.put("x")
ordered = queue.PriorityQueue()
[ordered.put(n) for n in (3, 1, 2)]
print([ordered.get() for _ in range(3)], ordered.task_done())
semaphore = threading.BoundedSemaphore(1)
print(semaphore.acquire(), semaphore.acquire(False), semaphore.acquire(timeout=0.01), semaphore.release())
try:
    semaphore.release()
except ValueError as error:
    print(error)
barrier = threading.Barrier(2, action=lambda: print("together"), timeout=60)
thread = threading.Thread(target=barrier.wait)
thread.start()
print(barrier.wait() in (0, 1), thread.join(), thread.is_alive())
event = threading.Event()
print(event.wait(0.01), event.set(), event.wait())
local = threading.local()
print(threading.main_thread() is threading.current_thread(), threading.stack_size())
""",
    "builtins stay": r"""
import asyncio, builtins, inspect, os, pickle, socket, threading, time, queue, subprocess, types
def signature(function):
    try:
        return str(inspect.signature(function))
    except ValueError as error:
        return str(error)
class Clock:
    sleep = time.sleep
    read = input
Clock().sleep(0)
print(time.sleep, input, os._exit, signature(os._exit), Clock().sleep)
print(time.sleep.__name__, time.sleep.__qualname__, time.sleep.__module__, time.sleep.__doc__[:20], callable(time.sleep))
print(pickle.loads(pickle.dumps(time.sleep)) is time.sleep, pickle.loads(pickle.dumps(input)) is input, pickle.loads(pickle.dumps(os._exit)) is os._exit)
print(isinstance(time.sleep, types.FunctionType), inspect.isfunction(time.sleep), inspect.iscoroutinefunction(time.sleep))
for function in (time.sleep, input, socket.socket.accept, threading.Thread.start, threading.Thread.join,
                 queue.Queue.get, queue.Queue.put, subprocess.Popen.wait, asyncio.Semaphore.acquire, asyncio.Queue.put_nowait,
                 asyncio.BaseEventLoop.call_soon, asyncio.BaseEventLoop.create_task, asyncio.BaseEventLoop._call_soon):
    print(signature(function), function.__name__, function.__qualname__, getattr(function, "__module__", None), (function.__doc__ or "")[:30])
print({time.sleep: 1}[time.sleep], time.sleep == time.sleep)
print(inspect.getsource(asyncio.Semaphore.acquire)[:60])
print(asyncio.Handle, asyncio.TimerHandle, asyncio.events.Handle.__mro__[-1], issubclass(asyncio.TimerHandle, asyncio.Handle))
from functools import partial
partial(time.sleep, 0)()
threading.Thread(target=time.sleep, args=(0,), name="sleeper").start()
""",
    "executors": r"""
import asyncio, concurrent.futures as cf, warnings, threading, time, traceback, multiprocessing, os, sys
def square(n):
    if n < 0:
        raise ValueError(n)
    return n * n
def main():
    with cf.ThreadPoolExecutor(2) as pool:
        print(list(pool.map(square, range(5))))
        futures = [pool.submit(square, n) for n in (1, -1)]
        done, pending = cf.wait(futures)
        print([f.exception() or f.result() for f in futures], len(done), pending)
        print(sorted(f.result() for f in cf.as_completed([pool.submit(square, n) for n in range(3)])))
        called = []
        f = pool.submit(square, 9)
        f.add_done_callback(lambda f: called.append(f.result()))
        f.result()
        f = pool.submit(square, -2)
        cf.wait([f])  # result() raises from another line if it has to wait
        try:
            f.result()
        except ValueError:
            traceback.print_exc()
    print(called, pool._max_workers)
    pool = cf.ThreadPoolExecutor(1, initializer=print, initargs=("initialised",))
    futures = [pool.submit(time.sleep, 0.05) for _ in range(3)]; time.sleep(0.02)
    pool.shutdown(cancel_futures=True)
    print([f.cancelled() for f in futures])
    for context in ("fork", "spawn"):
        with cf.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(context)) as pool:
            print(list(pool.map(square, range(4))), pool.submit(time.sleep, 0).result())
            try:
                pool.submit(square, -1).result()
            except ValueError as error:
                print(repr(error), type(error.__cause__).__name__)
    for context in ("fork", "spawn"):
        with multiprocessing.get_context(context).Pool(2) as pool:
            print(pool.map(square, range(4)))
    process = multiprocessing.get_context("fork").Process(target=os._exit, args=(5,))
    process.start(), process.join()
    print(process.exitcode)
    process = multiprocessing.get_context("spawn").Process(target=square, args=(-1,))
    process.start(), process.join()
    print(process.exitcode)
    sys.stdout.flush()
    if not (pid := os.fork()):
        time.sleep(0.01)
        print("child of a fork", threading.Lock().acquire(), asyncio.run(asyncio.sleep(0, "slept")), flush=True)
        os._exit(4)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
warnings.simplefilter('ignore', DeprecationWarning)  # fork in a process with threads
if __name__ == "__main__":
    main()
""",
    "stdin": r"""
import sys
print(input("name? "))
print(sys.stdin.readline())
print(sys.stdin.read())
print(sys.stdin.buffer.read())
input()
""",
    "future": r'''
#!/usr/bin/env python
# -*- coding: latin-1 -*-
"""doc é"""
from __future__ import annotations
def f(x: Undefined) -> None: ...
print(f.__annotations__, __doc__, __annotations__)
y: Nothing = 2
print(__annotations__)
assert x if False else True
''',
    "closed": r"""
import sys, os
print("one")
sys.stdout.close()
sys.stderr.write("still\n")
os.close(2)
""",
    "excepthook": r"""
import sys, traceback
def mine(kind, error, tb):
    print("mine", kind.__name__, error, [f.name for f in traceback.extract_tb(tb)], tb.tb_frame.f_code.co_name)
sys.excepthook = mine
def f():
    raise ValueError("x")
f()
""",
    "excepthook raises": r"""
import sys
def mine(*arguments):
    raise KeyError("in the hook") from ValueError("cause")
sys.excepthook = mine
def f():
    raise ValueError("x")
f()
""",
    "excepthook exits": r"""
import sys
sys.excepthook = lambda *arguments: sys.exit(7)
raise ValueError("x")
""",
    "excepthook is None": r"""
import sys
sys.excepthook = None
raise ValueError("x")
""",
    "excepthook is gone": r"""
import sys
del sys.excepthook
raise ValueError("x")
""",
    "unraisable": r"""
class Bad:
    def __del__(self):
        raise ValueError("in del")
Bad()
def gen():
    try:
        yield
    finally:
        raise KeyError("in close")
g = gen(); next(g); del g
b = Bad()
async def never(): pass
never()
""",
}
STDIN = b"Ann\nline\nrest\n"


@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_changes(name: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPTS[name].lstrip("\n"), encoding="utf-8")
    seen, _ = traced("script.py", "an", "--argument", folder=tmp_path, stdin=STDIN)
    assert seen == plain("script.py", "an", "--argument", folder=tmp_path, stdin=STDIN)


@pytest.mark.parametrize("path", ["folder/script.py", "./folder/script.py", "folder/../folder/script.py"])
def test_a_script_elsewhere_is_named_as_python_names_it(path: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    source = "import sys, beside\nprint(sys.argv, sys.path[0], __file__)\n1 / 0\n"
    (tmp_path / "folder" / "script.py").write_text(source, encoding="utf-8")
    (tmp_path / "folder" / "beside.py").touch()
    assert traced(path, folder=tmp_path)[0] == plain(path, folder=tmp_path)


MODULE = """\
import sys
from . import beside
from .beside import where
print(__name__, __package__, __spec__.name, sys.argv, sys.path[0], beside.__name__, where())
raise SystemExit(len(sys.argv))
"""
BESIDE = """\
import sys
def where():
    return sys._getframe(1).f_globals["__name__"], __package__
"""


@pytest.mark.parametrize("module", ["package", "package.module", "package.sub.module"])
def test_modules_run_as_with_m(module: str, tmp_path: Path) -> None:
    for folder in ("package", "package/sub"):
        (tmp_path / folder).mkdir()
        for name, text in (
            ("__init__", ""),
            ("__main__", MODULE),
            ("module", MODULE),
            ("beside", BESIDE),
        ):
            (tmp_path / folder / f"{name}.py").write_text(text, encoding="utf-8")
    expected = plain("-m", module, "x", folder=tmp_path)
    assert traced("-m", module, "x", folder=tmp_path)[0] == expected
    assert expected.exit_code == 2


def test_warnings_as_errors_find_nothing_of_ours(tmp_path: Path) -> None:
    source = """\
import asyncio, threading, queue, concurrent.futures, subprocess, socket, ssl, sys
async def main():
    await asyncio.gather(asyncio.sleep(0.01), asyncio.to_thread(sum, [1]))
    async with asyncio.Semaphore(1), asyncio.Lock(), asyncio.timeout(1):
        await asyncio.sleep(0)
    reader, writer = await asyncio.open_connection(*server.getsockname())
    writer.close()
    await writer.wait_closed()
with socket.create_server(("127.0.0.1", 0)) as server:
    asyncio.run(main())
print(subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True).stdout)
async def never(): pass
never()
"""
    (tmp_path / "script.py").write_text(source, encoding="utf-8")
    strict = {"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"}
    expected = plain("script.py", folder=tmp_path, environment=strict)
    assert traced("script.py", folder=tmp_path, environment=strict)[0] == expected
    assert "never awaited" in expected.stderr
