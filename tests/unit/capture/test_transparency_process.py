"""Tracing changes nothing that a script sees of its process: plain and traced, byte for byte.

``__main__``, stdin, threads, locks, built-in functions, signals, children, and how it all ends.
"""

# ruff: noqa: E501 - the scripts print much in few lines

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.plain_and_traced import alike

SCRIPTS = {
    "warnings about lines above the script": r"""
import asyncio, threading, warnings
warnings.simplefilter("always")
def warn():
    for level in range(1, 12):
        warnings.warn(f"level {level}", stacklevel=level)
async def main():
    warn()
warn()
asyncio.run(main())
thread = threading.Thread(target=warn)
thread.start()
thread.join()
""",
    "attributes of what is replaced": r"""
import os, pickle, threading, time
for thing in (time.sleep, input, os.execv, threading.Lock(), threading.RLock()):
    for name in ("__annotations__", "__annotate__", "__dict__"):
        print(hasattr(thing, name))
print(pickle.loads(pickle.dumps(os.execv)) is os.execv, pickle.dumps(os.execve))
lock = threading.RLock()
try:
    print(lock.acquire(2**70))
except OverflowError as error:
    print(error)
print(lock.acquire(5), lock._is_owned())
""",
    "an audit hook that refuses": r"""
import asyncio, sys, threading, time
lock = threading.Lock()
loop = asyncio.new_event_loop()
class Refused(Exception):
    pass
def hook(event, arguments):
    if event in REFUSED:
        raise Refused(event)
async def work():
    async with asyncio.Lock():
        await asyncio.sleep(0.001)
    time.sleep(0.05)
    return "done"
sys.addaudithook(hook)
REFUSED = "sys._getframe", "sys._current_frames", "open"
with lock:
    print("in")
print(lock.acquire(), lock.release())
print(loop.run_until_complete(work()))
thread = threading.Thread(target=print, args=("thread",))
thread.start()
thread.join()
REFUSED = "sys._getframe", "object.__getattr__"
with lock:
    print("in")
print(lock.acquire(), lock.release())
print(loop.run_until_complete(work()))
sys.exit(3)
""",
    "the last traceback": r"""
import atexit, sys
def show():
    last = sys.last_traceback
    print(last.tb_frame.f_code.co_name, last.tb_next, last is sys.last_value.__traceback__)
atexit.register(show)
1 / 0
""",
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
class Noisy:
    def __del__(self):
        print("deleted")
noisy = Noisy()
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
    "primitives": r"""
import _thread, queue, threading
lock, rlock = threading.Lock(), threading.RLock()
print(lock, rlock, isinstance(lock, _thread.LockType), isinstance(rlock, _thread.RLock))
condition = threading.Condition(lock)
with condition:
    print(condition.wait_for(lambda: False, 0.01), condition)
class Loud(queue.Queue):
    def _put(self, item):
        print("putting", item)
        super()._put(item)
Loud().put("x")
ordered = queue.PriorityQueue()
[ordered.put(n) for n in (3, 1, 2)]
print([ordered.get() for _ in range(3)], ordered.task_done())
barrier = threading.Barrier(2, action=lambda: print("together"), timeout=60)
thread = threading.Thread(target=barrier.wait)
thread.start()
print(barrier.wait() in (0, 1), thread.join(), thread.is_alive())
print(threading.main_thread() is threading.current_thread(), threading.stack_size())
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
    "excepthook is missing": r"""
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
    alike(tmp_path, SCRIPTS[name], "an", "--argument", stdin=STDIN)


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
    strict = {"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"}
    seen, _ = alike(tmp_path, source, environment=strict)
    assert "never awaited" in seen.stderr


@pytest.mark.parametrize("name", ["isinstance", "len", "type", "getattr", "id", "BaseException"])
def test_builtin_that_the_script_replaces_is_not_ours(tmp_path: Path, name: str) -> None:
    source = f"""
import builtins, threading, time
builtins.{name} = None
time.sleep(0.02)
with threading.Lock(): pass
1 / 0
"""
    alike(tmp_path, source)


def test_script_runs_where_all_imports_are_lazy(tmp_path: Path) -> None:
    script = """
import asyncio, sys, threading, colorsys
print(hasattr(sys, "get_lazy_imports") and sys.get_lazy_imports(), "colorsys" in sys.modules)
print(colorsys.rgb_to_hsv(1, 1, 1), "colorsys" in sys.modules)
with threading.Lock():
    print(asyncio.run(asyncio.sleep(0, "slept")))
"""
    alike(tmp_path, script, environment={"PYTHON_LAZY_IMPORTS": "all"})  # since Python 3.15
