"""Tracing changes nothing that a script of asyncio does or prints: each runs plain and traced, byte for byte.

On asyncio's own loop and on uvloop. What a script sees of its process is in ``test_transparency_process``.
"""

# ruff: noqa: E501 - the scripts print much in few lines

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.plain_and_traced import alike, has

SCRIPTS = {
    "results": r"""
import asyncio
async def job(n):
    await asyncio.sleep(n / 1000)
    return n
async def main():
    print(await asyncio.gather(*(job(n) for n in range(5))))
    print(await asyncio.wait_for(job(1), 5), await asyncio.shield(job(2)))
    done, pending = await asyncio.wait([asyncio.create_task(job(n)) for n in (1, 2)])
    print(sorted(t.result() for t in done), pending)
    print([await each for each in asyncio.as_completed([job(40), job(1), job(20)])])
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(job(n), name=f"job-{n}") for n in range(3)]
    print([(t.get_name(), t.result()) for t in tasks])
    print(await asyncio.gather(job(1), asyncio.sleep(0, "slept"), asyncio.to_thread(sum, [1, 2]), return_exceptions=True))
    async with asyncio.timeout(5):
        print("in time")
    return "returned"
print(asyncio.run(main()))
""",
    "tracebacks": r"""
import asyncio, sys, traceback
def deep():
    raise KeyError("deep")
async def chained():
    await asyncio.sleep(0)
    try:
        deep()
    except KeyError as error:
        raise ValueError("chained") from error
async def in_context():
    try:
        await chained()
    except ValueError:
        await asyncio.sleep(0)
        raise RuntimeError("while handling")
async def main():
    for make in (chained, in_context):
        try:
            await asyncio.create_task(make())
        except Exception:
            traceback.print_exc()
    for result in await asyncio.gather(chained(), in_context(), return_exceptions=True):
        traceback.print_exception(result)
        print(len(traceback.extract_tb(result.__traceback__)), file=sys.stderr)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(chained())
            group.create_task(in_context())
    except* ValueError as errors:
        traceback.print_exception(errors)
    except* RuntimeError as errors:
        traceback.print_exception(errors)
    try:
        await asyncio.wait_for(asyncio.sleep(5), 0.01)
    except TimeoutError:
        traceback.print_exc()
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(5)
    except TimeoutError:
        traceback.print_exc()
    try:
        await asyncio.to_thread(deep)
    except KeyError:
        traceback.print_exc()
    task = asyncio.create_task(asyncio.sleep(5))
    await asyncio.sleep(0)
    task.cancel("enough")
    try:
        await task
    except asyncio.CancelledError:
        traceback.print_exc()
asyncio.run(main())
""",
    "uncaught": r"""
import asyncio
async def inner():
    await asyncio.sleep(0)
    raise ValueError("inner")
async def main():
    try:
        await asyncio.create_task(inner())
    except ValueError as error:
        raise RuntimeError("outer") from error
asyncio.run(main())
""",
    "nobody looks": r"""
import asyncio, gc, logging, sys
logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
async def fails():
    1 / 0
async def forever():
    await asyncio.get_running_loop().create_future()
async def unawaited():
    pass
def callback(text):
    raise ValueError(text)
async def main():
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(fails(), name="failing")
    await asyncio.sleep(0.001)
    del task
    gc.collect()
    print("---", file=sys.stderr)
    asyncio.create_task(forever(), name="forgotten")
    await asyncio.sleep(0)
    gc.collect()
    print("---", file=sys.stderr)
    unawaited()
    print("---", file=sys.stderr)
    loop.call_soon(callback, "soon")
    loop.call_soon_threadsafe(callback, "threadsafe")
    await asyncio.sleep(0.001)
    loop.call_later(0.001, callback, "later")
    await asyncio.sleep(0.01)
    future = loop.create_future()
    future.add_done_callback(lambda f: 1 / 0)
    future.set_result(1)
    await asyncio.sleep(0.01)
    lost = loop.create_future()
    lost.set_exception(OSError("lost"))
    del lost, future
    gc.collect()
    loop.set_exception_handler(lambda loop, context: print(sorted(context), context["message"]))
    loop.call_soon(callback, "handled")
    task = asyncio.create_task(fails(), name="failing")
    await asyncio.sleep(0.001)
    del task
asyncio.run(main())
""",
    "cancellation": r"""
import asyncio
log = []
async def tidy(name):
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError as error:
        log.append((name, error.args))
        await asyncio.sleep(0)
        log.append((name, "tidied"))
        raise
    finally:
        log.append((name, "finally"))
async def stubborn():
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError:
        log.append(("cancelling", asyncio.current_task().cancelling()))
        asyncio.current_task().uncancel()
        log.append(("cancelling", asyncio.current_task().cancelling()))
        await asyncio.sleep(0)
        return "stayed"
async def never():
    log.append("never runs")
async def main():
    task = asyncio.create_task(tidy("a"))
    await asyncio.sleep(0)
    print(task.cancel("why"), task.cancelling(), task.cancelled())
    try:
        await task
    except asyncio.CancelledError as error:
        print("cancelled", error.args, task.cancelled())
    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    task.cancel()
    print(await task, task.cancelled())
    task = asyncio.create_task(never())
    task.cancel()
    print(await asyncio.wait([task]))
    inner = asyncio.create_task(tidy("shielded"))
    outer = asyncio.create_task(asyncio.wait_for(asyncio.shield(inner), 0.01))
    try:
        await outer
    except TimeoutError:
        print("timed out", inner.done(), outer.done())
    try:
        async with asyncio.timeout(0.01) as scope:
            await tidy("in time")
    except TimeoutError:
        print("expired", scope.expired(), asyncio.current_task().cancelling())
    try:
        async with asyncio.timeout(None) as scope:
            scope.reschedule(asyncio.get_running_loop().time() - 1)
            await asyncio.sleep(1)
    except TimeoutError:
        print("rescheduled")
    gathered = asyncio.gather(tidy("g1"), tidy("g2"))
    await asyncio.sleep(0)
    gathered.cancel()
    try:
        await gathered
    except asyncio.CancelledError:
        print("gather cancelled")
    inner.cancel()
    await asyncio.wait([inner])
    asyncio.create_task(tidy("left to run()"))
    await asyncio.sleep(0)
try:
    asyncio.run(main())
finally:
    print(*log, sep="\n")
""",
    "contexts": r"""
import asyncio, contextvars
var = contextvars.ContextVar("var", default=0)
async def child():
    before = var.get()
    var.set(before + 10)
    await asyncio.sleep(0)
    return before, var.get()
async def main():
    var.set(1)
    print(await asyncio.create_task(child()), var.get())
    print(await child(), var.get())
    context = contextvars.copy_context()
    context.run(var.set, 100)
    print(await asyncio.create_task(child(), context=context), context[var], var.get())
    loop = asyncio.get_running_loop()
    seen = []
    loop.call_soon(lambda: seen.append(var.get()), context=context)
    loop.call_later(0, lambda: seen.append(var.get()))
    loop.call_soon_threadsafe(lambda: seen.append(var.get()))
    await asyncio.sleep(0.01)
    print(seen, await asyncio.to_thread(var.get), await loop.run_in_executor(None, var.get))
    print(len(contextvars.copy_context()))
asyncio.run(main())
""",
    "identity": r"""
import asyncio, inspect, sys
async def inner():
    await asyncio.sleep(0.01)
async def outer():
    await inner()
class Callable:
    async def __call__(self):
        await asyncio.sleep(0.01)
async def main():
    loop = asyncio.get_running_loop()
    coroutine = outer()
    task = asyncio.create_task(coroutine)
    print(task.get_coro() is coroutine, inspect.getcoroutinestate(coroutine))
    print(task, [f.f_code.co_name for f in task.get_stack()])
    await asyncio.sleep(0)
    print(repr(task), inspect.getcoroutinestate(coroutine))
    print([(f.f_code.co_name, f.f_lineno) for f in task.get_stack()])
    task.print_stack(file=sys.stdout)
    asyncio.current_task().print_stack(file=sys.stdout)
    print([f.f_code.co_name for f in asyncio.current_task().get_stack()])
    print(coroutine.cr_await.cr_code.co_name, inspect.iscoroutine(task.get_coro()))
    print(sorted(t.get_name() for t in asyncio.all_tasks()), asyncio.current_task().get_coro().cr_code.co_name)
    await task
    print(task, inspect.getcoroutinestate(coroutine))
    print(await asyncio.gather(asyncio.create_task(Callable()())))
    print(type(task), isinstance(task, asyncio.Task), isinstance(task, asyncio.Future), loop.get_task_factory())
    print(type(loop).__name__, isinstance(loop, asyncio.AbstractEventLoop))
    print(asyncio.iscoroutinefunction(main), inspect.iscoroutinefunction(asyncio.sleep))
    handle = loop.call_soon(print, "called soon")
    print(handle, isinstance(handle, asyncio.Handle), handle.cancelled())
    timer = loop.call_later(60, print, "never")
    print(isinstance(timer, asyncio.TimerHandle), timer.when() > loop.time(), timer.cancelled(), timer.cancel(), timer.cancelled())
    await asyncio.sleep(0)
    future = loop.create_future()
    future.add_done_callback(lambda f: None)
    print(future, future.get_loop() is loop)
    future.cancel()
    print(inspect.signature(loop.create_task), inspect.signature(loop.call_soon), inspect.signature(asyncio.Semaphore.acquire))
asyncio.run(main())
""",
    "debug mode": r"""
import asyncio, logging, re, sys, time
class Timeless(logging.Formatter):
    def format(self, record):
        return re.sub(r"\d+\.\d+", "N", super().format(record))
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(Timeless("%(name)s %(levelname)s %(message)s"))
logging.basicConfig(handlers=[handler], level="WARNING")
async def slow():
    time.sleep(0.15)
async def fails():
    await asyncio.sleep(0)
    1 / 0
def wrong_thread(loop):
    try:
        loop.call_soon(print)
    except RuntimeError as error:
        print(error)
async def main():
    loop = asyncio.get_running_loop()
    print(loop.get_debug())
    await asyncio.create_task(slow())
    loop.call_soon(time.sleep, 0.15)
    await asyncio.sleep(0.1)
    loop.call_later(0.001, time.sleep, 0.15)
    await asyncio.sleep(0.2)
    task = asyncio.create_task(fails())
    await asyncio.sleep(0.01)
    print(repr(task))
    del task
    loop.call_soon(lambda: 1 / 0)
    await asyncio.sleep(0.01)
    await asyncio.to_thread(wrong_thread, loop)
    slow()
asyncio.run(main(), debug=True)
""",
    "task factories": r"""
import asyncio, sys
class Custom(asyncio.Task):
    pass
log = []
async def step(name, sleep=True):
    log.append((name, "starts", asyncio.current_task().get_name()))
    if sleep:
        await asyncio.sleep(0)
    log.append((name, "ends"))
    return name
async def raises():
    raise ValueError("eager")
async def main():
    loop = asyncio.get_running_loop()
    loop.set_task_factory(lambda loop, coro, **options: Custom(coro, loop=loop, **options))
    task = asyncio.create_task(step("custom"), name="custom")
    print(type(task).__name__, task.get_name(), await task)
    async with asyncio.TaskGroup() as group:
        print(type(group.create_task(step("grouped"))).__name__)
    if sys.version_info >= (3, 12):
        loop.set_task_factory(asyncio.eager_task_factory)
        a = asyncio.create_task(step("eager", sleep=False), name="a")
        b = asyncio.create_task(step("suspends"), name="b")
        c = asyncio.create_task(raises(), name="c")
        print(a.done(), b.done(), c.done(), log[-3:])
        print(await asyncio.gather(a, b, c, return_exceptions=True))
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(step(n)) for n in range(2)]
        print([t.result() for t in tasks])
        print(asyncio.current_task().get_name(), loop.get_task_factory() is asyncio.eager_task_factory)
    loop.set_task_factory(None)
    print(await asyncio.create_task(step("plain")))
    direct = asyncio.Task(step("direct"), loop=loop)
    print(await direct)
    print(*log, sep="\n")
asyncio.run(main())
""",
    "freed tasks": r"""
import asyncio, gc, weakref
async def job(box):
    await asyncio.sleep(0.001)
    return box
class Box:
    pass
async def main():
    gc.disable()
    box = Box()
    task = asyncio.create_task(job(box))
    alive = [weakref.ref(task), weakref.ref(task.get_coro()), weakref.ref(box)]
    await task
    del task, box
    await asyncio.sleep(0)
    print([ref() is None for ref in alive])
    loop = asyncio.get_running_loop()
    box = Box()
    ref = weakref.ref(box)
    loop.call_soon(id, box)
    loop.call_later(0.001, id, box)
    del box
    await asyncio.sleep(0.01)
    print(ref() is None)
    async def fails():
        box = Box()
        boxes.append(weakref.ref(box))
        raise ValueError
    boxes = []
    await asyncio.gather(fails(), return_exceptions=True)
    await asyncio.sleep(0)
    print([r() is None for r in boxes])
    lock = asyncio.Semaphore(1)
    ref = weakref.ref(lock)
    async with lock:
        pass
    del lock
    print(ref() is None)
asyncio.run(main())
""",
    "async generators": r"""
import asyncio
log = []
async def numbers(n):
    try:
        for i in range(n):
            yield i
            await asyncio.sleep(0)
    finally:
        log.append("closed")
async def main():
    async for n in numbers(3):
        print(n)
    generator = numbers(5)
    print(await asyncio.create_task(anext(generator)))
    print(await generator.asend(None))
    await generator.aclose()
    left = numbers(5)
    async for n in left:
        break
    print(log, [n async for n in numbers(2)])
    try:
        await numbers(1).athrow(ValueError("thrown"))
    except ValueError as error:
        print(error)
    globals()["left"] = left
asyncio.run(main())
print(log)
""",
    "network": r"""
import asyncio, re, socket, traceback
async def handle(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()
    await writer.wait_closed()
class Echo(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport
    def datagram_received(self, data, address):
        self.transport.sendto(data[::-1], address)
class Ask(asyncio.DatagramProtocol):
    def __init__(self, answer):
        self.answer = answer
    def connection_made(self, transport):
        transport.sendto(b"olleh")
    def datagram_received(self, data, address):
        self.answer.set_result(data)
async def main():
    loop = asyncio.get_running_loop()
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for word in (b"one\n", b"two\n"):
            writer.write(word)
            print(await reader.readline())
        writer.write(b"x" * 500_000 + b"\n")
        try:
            await reader.readline()
        except ValueError as error:
            print(error)
        writer.close()
        try:
            await writer.wait_closed()
        except ConnectionError as error:
            print(type(error).__name__)
    try:
        await asyncio.open_connection("127.0.0.1", port)
    except OSError as error:
        print(type(error).__name__, re.sub(r"\d{4,}", "PORT", str(error)))
        print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
    echo, _ = await loop.create_datagram_endpoint(Echo, local_addr=("127.0.0.1", 0))
    answer = loop.create_future()
    ask, _ = await loop.create_datagram_endpoint(lambda: Ask(answer), remote_addr=echo.get_extra_info("sockname"))
    print(await answer)
    ask.close(), echo.close()
    a, b = socket.socketpair()
    a.setblocking(False), b.setblocking(False)
    await loop.sock_sendall(a, b"hi")
    print(await loop.sock_recv(b, 10))
    a.close(), b.close()
    print(bool(await loop.getaddrinfo("localhost", 80)))
asyncio.run(main())
""",
    "subprocesses": r"""
import asyncio, os, subprocess, sys
async def main():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import sys; print(sys.stdin.read().upper()); sys.exit(3)",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    print(await process.communicate(b"in"), process.returncode)
    process = await asyncio.create_subprocess_shell("echo out; echo err >&2; exit 4", stdout=-1, stderr=-1)
    print(await process.communicate(), process.returncode)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(60)")
    process.terminate()
    print(await process.wait())
    try:
        await asyncio.create_subprocess_exec("/no/such/program")
    except FileNotFoundError as error:
        print(error)
    code = "import sys, os, asyncio; print([m for m in sys.modules if 'asyncdemo' in m], asyncio.Handle.__module__, [k for k in os.environ if k.startswith('MALLOC')])"
    print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True))
asyncio.run(main())
""",
    "signals": r"""
import asyncio, os, signal
async def main():
    loop = asyncio.get_running_loop()
    got = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, got.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await got.wait()
    print("SIGUSR1", loop.remove_signal_handler(signal.SIGUSR1))
    print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    try:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(5)
    except asyncio.CancelledError:
        print("cancelled")
        raise
    finally:
        print("finally")
asyncio.run(main())
""",
    "exit": r"""
import asyncio, sys, atexit
atexit.register(print, "first registered")
atexit.register(print, "second registered")
async def leaves():
    await asyncio.sleep(0)
    sys.exit(7)
async def main():
    try:
        await asyncio.gather(leaves(), asyncio.sleep(5))
    finally:
        print("finally")
asyncio.run(main())
""",
    "odd uses": r"""
import asyncio, gc, sys, threading
async def brew(n):
    await asyncio.sleep(0.01)
    return n
def dropped_with_its_loop():
    loop = asyncio.new_event_loop()
    task = loop.create_task(asyncio.sleep(600))
    print(loop.run_until_complete(brew(1)))
    loop.close()
    del task
    gc.collect()
def closed():
    loop = asyncio.new_event_loop()
    loop.close()
    loop.run_until_complete(brew(2))
def stopped_from_another_thread():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    print(asyncio.run_coroutine_threadsafe(brew(3), loop).result())
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
def in_two_threads():
    thread = threading.Thread(target=lambda: asyncio.run(brew(4)))
    thread.start()
    print(asyncio.run(brew(5)), thread.join())
async def run_inside():
    asyncio.run(brew(6))
async def run_until_complete_inside():
    asyncio.get_running_loop().run_until_complete(brew(7))
async def a_factory_of_no_tasks():
    def factory(loop, coro, **options):
        coro.close()
        future = loop.create_future()
        future.set_result("no task")
        return future
    asyncio.get_running_loop().set_task_factory(factory)
    print(await asyncio.create_task(brew(8)))
async def deeper(n=1000):
    if n:
        return await deeper(n - 1) + 1
    await asyncio.sleep(0.02)
    return 0
class Awaitable:
    def __init__(self, value):
        self.value = value
    def __await__(self):
        yield self.value
        return "awaited"
async def own_awaitable():
    print(await Awaitable(None))
async def yields_nonsense():
    await Awaitable(42)
async def awaits_itself():
    await asyncio.current_task()
async def stops_its_loop():
    asyncio.get_running_loop().stop()
    await asyncio.sleep(1)
class Mine(asyncio.Task):
    def __repr__(self):
        raise RuntimeError
    get_name = __repr__
async def a_repr_that_raises():
    print(await Mine(brew(9)))
async def a_name_that_is_no_text():
    print(await asyncio.create_task(brew(10), name=42))
sys.setrecursionlimit(100_000)
for call in (dropped_with_its_loop, closed, stopped_from_another_thread, in_two_threads, *(
    lambda function=function: asyncio.run(function())
    for function in (run_inside, run_until_complete_inside, a_factory_of_no_tasks, deeper, own_awaitable, yields_nonsense, awaits_itself, stops_its_loop, a_repr_that_raises, a_name_that_is_no_text)
)):
    try:
        print(call())
    except BaseException as error:
        print(type(error).__name__, error)
    gc.collect()
""",
}
UVLOOP = has("uvloop")
LOOPS = ["asyncio", pytest.param("uvloop", marks=pytest.mark.skipif(not UVLOOP, reason="no uvloop here"))]
ONLY_ASYNCIO = {"debug mode"}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_changes(name: str, loop: str, tmp_path: Path) -> None:
    source = SCRIPTS[name]
    if loop == "uvloop":
        if name in ONLY_ASYNCIO:
            pytest.skip("uvloop runs what is due in its own order")
        source = source.replace("import asyncio", "import uvloop, asyncio", 1)
        source = source.replace("asyncio.run(", "uvloop.run(")
    _, run = alike(tmp_path, source)
    assert any(track.steps for track in run.tracks), "nothing was recorded, so nothing was tested"
    assert not [note for note in run.notes if "hook there failed" in note]


def test_lanes_by_function_change_nothing_either(tmp_path: Path) -> None:
    _, run = alike(tmp_path, SCRIPTS["tracebacks"], lanes=["chained", "deep"])
    assert {lane.function for lane in run.lanes} == {"chained", "deep"}


def test_virtual_time_changes_only_how_long_it_takes(tmp_path: Path) -> None:
    _, run = alike(tmp_path, SCRIPTS["cancellation"], virtual=True)
    assert len(run.left_pending) == 1
