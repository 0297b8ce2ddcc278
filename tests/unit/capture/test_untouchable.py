"""Where a loop runs, the tracer calls nothing that a script may have replaced.

Tools that watch for blocking calls (blockbuster, say) replace the functions of ``os``, ``io``, ``time`` and
others by ones that raise while a loop runs. Here these and more note when it is the tracer that calls them.
"""

# ruff: noqa: E501 - the script names much in few lines

from __future__ import annotations

from pathlib import Path

from tests.support.plain_and_traced import plain, traced

SCRIPT = r"""
import _thread, asyncio, builtins, gc, inspect, io, json, linecache, os, queue, select, socket, struct, sys, tempfile, threading, time, traceback

running, getframe, touched = asyncio._get_running_loop, sys._getframe, set()
CAPTURE = os.path.join("asyncdemo", "capture", "")

def untouchable(name, function):
    def replaced(*arguments, **options):
        frame = getframe(1)
        ours = CAPTURE in frame.f_code.co_filename or (frame.f_code.co_name == "_run" and "events.py" in frame.f_code.co_filename)
        if running() is not None and ours:
            touched.add(f"touched {name} in {frame.f_code.co_filename}:{frame.f_lineno}")
        return function(*arguments, **options)
    return replaced

FUNCTIONS = {
    os: "stat lstat fstat listdir scandir open read close readlink getcwd access getpid fspath pread waitpid sched_yield times",
    os.path: "abspath realpath normpath exists islink isfile isdir join split basename dirname samefile relpath isabs",
    io: "open open_code",
    builtins: "open input compile exec eval __import__",
    time: "sleep time time_ns monotonic monotonic_ns perf_counter perf_counter_ns thread_time thread_time_ns process_time process_time_ns clock_gettime clock_gettime_ns",
    threading: "get_ident get_native_id current_thread main_thread enumerate active_count",
    _thread: "get_ident get_native_id start_new_thread",
    sys: "_getframe _current_frames",
    gc: "get_referents get_referrers get_objects collect",
    json: "dumps loads",
    inspect: "iscoroutine getcoroutinestate stack currentframe unwrap signature isawaitable",
    linecache: "getline getlines checkcache updatecache",
    traceback: "extract_stack walk_stack format_exc",
    select: "select poll",
    socket: "socketpair create_connection",
    struct: "pack unpack",
    asyncio: "current_task all_tasks iscoroutine iscoroutinefunction",
}

async def worker(n, gate, items):
    async with gate:
        await asyncio.sleep(0.015)
        await items.put(n)
    return n

async def numbers():
    for n in range(3):
        await asyncio.sleep(0)
        yield n

class Box:
    def __enter__(self):
        time.sleep(0.001)
    def __exit__(self, *rest):
        pass

async def serve(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()

async def main():
    if "replaced" in sys.argv:
        for module, names in FUNCTIONS.items():
            for name in names.split():
                if hasattr(module, name):
                    setattr(module, name, untouchable(f"{module.__name__}.{name}", getattr(module, name)))
    loop = asyncio.get_running_loop()
    gate, items, event, lock, done = asyncio.Semaphore(1), asyncio.Queue(1), asyncio.Event(), threading.Lock(), threading.Event()
    tasks = [asyncio.create_task(worker(n, gate, items)) for n in range(3)]
    print(sorted([await items.get() for _ in tasks]), await asyncio.gather(*tasks), [n async for n in numbers()])
    loop.call_later(0.01, event.set)
    await asyncio.wait_for(event.wait(), 5)
    with lock, Box():
        time.sleep(0.06)  # a slow step, seen by the watchdog
    print(await asyncio.to_thread(sum, [1, 2]), await loop.run_in_executor(None, done.set), done.wait(1))
    print(await asyncio.wait_for(asyncio.to_thread(time.sleep, 0.001), 5))
    thread = threading.Thread(target=loop.call_soon_threadsafe, args=(print, "from a thread"))
    thread.start()
    thread.join()
    queue.Queue().put(1)
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"hello\n")
    print(await reader.readline())
    writer.close()
    server.close()
    here = {}
    exec(compile("async def elsewhere():\n    import asyncio\n    await asyncio.sleep(0.001)\n", "elsewhere/../odd.py", "exec"), here)
    await asyncio.create_task(here["elsewhere"]())
    try:
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()
    except TimeoutError:
        print("timeout")
    task = asyncio.create_task(worker(7, gate, asyncio.Queue()))
    await asyncio.sleep(0)
    loop.call_soon(task.cancel)
    print(await asyncio.gather(task, return_exceptions=True))

asyncio.run(main())
print(*sorted(touched), sep="\n")
print("ended")
"""


def test_nothing_is_called_that_a_script_may_have_replaced(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT.lstrip("\n"), encoding="utf-8")
    seen, run = traced("script.py", "replaced", folder=tmp_path, lanes=["worker"])
    assert seen == plain("script.py", "as it was", folder=tmp_path)
    assert seen.stdout.endswith("ended\n")
    assert not [note for note in run.notes if "failed" in note]
    (elsewhere,) = [track for track in run.tracks if track.function == "elsewhere"]
    assert elsewhere.site is not None and elsewhere.site.file == str(tmp_path / "odd.py")
