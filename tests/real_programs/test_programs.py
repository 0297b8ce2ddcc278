"""Programs as their libraries' documentation shows them: unchanged under the tracer, and their lanes make sense."""

# ruff: noqa: E501 - programs as they are published

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.model import Lane, Outcome, Run, State
from tests.support.plain_and_traced import alike, has, traced

pytestmark = pytest.mark.slow

WORKERS = r"""
import asyncio
import concurrent.futures
import time

async def worker(name, queue):
    while True:
        sleep_for = await queue.get()
        await asyncio.sleep(sleep_for)
        queue.task_done()
        print(f'{name} has slept for {sleep_for:.2f} seconds')

def blocking_io(n):
    time.sleep(0.05)
    return n

async def ask(loop, pool, n):
    return await loop.run_in_executor(pool, blocking_io, n)

async def main():
    queue = asyncio.Queue()
    for n in range(4):
        queue.put_nowait(0.03 + n / 50)
    tasks = [asyncio.create_task(worker(f'worker-{i}', queue), name=f'worker-{i}') for i in range(3)]
    await queue.join()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    loop = asyncio.get_running_loop()
    with concurrent.futures.ThreadPoolExecutor(max_workers=1) as pool:
        print(await asyncio.gather(*(ask(loop, pool, n) for n in range(3))))

asyncio.run(main())
"""

HTTP_SERVER = r"""
import http.server, threading, urllib.request, functools
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=".")
handler.func.log_message = lambda *args: None
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
    threading.Thread(target=server.serve_forever, name="server").start()
    with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/script.py") as response:
        print(response.status, len(response.read()))
    server.shutdown()
"""

AIOHTTP = r"""
import asyncio
from aiohttp import ClientSession, TCPConnector, web
async def hello(request):
    await asyncio.sleep(0.05)
    return web.Response(text="hello " + request.match_info["name"])
async def body(request):
    return web.Response(text=str(len(await request.read())))
async def stream(request):
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(3):
        await asyncio.sleep(0.02)
        await response.write(b"x" * 10)
    return response
async def ws(request):
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        await asyncio.sleep(0.02)
        await socket.send_str(message.data.upper())
    return socket
async def get(session, url):
    async with session.get(url) as response:
        return await response.text()
async def main():
    app = web.Application()
    app.add_routes([web.get("/hello/{name}", hello), web.post("/body", body), web.get("/stream", stream), web.get("/ws", ws)])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    base = f"http://127.0.0.1:{port}"
    async with ClientSession(connector=TCPConnector(limit=2)) as session:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(get(session, f"{base}/hello/{n}"), name=f"get-{n}") for n in range(4)]
        print([t.result() for t in tasks])
        print(await asyncio.create_task(get(session, base + "/stream"), name="stream"))
        async def chunks():
            for _ in range(3):
                await asyncio.sleep(0.02)
                yield b"y" * 100
        async with session.post(base + "/body", data=chunks()) as response:
            print(await response.text())
        async with session.ws_connect(base + "/ws") as socket:
            await socket.send_str("abc")
            print((await socket.receive()).data)
    await runner.cleanup()
asyncio.run(main())
"""

ANYIO = r"""
import anyio
async def produce(send):
    async with send:
        for n in range(4):
            await send.send(n)
            print("sent", n)
async def consume(receive):
    async with receive:
        async for n in receive:
            await anyio.sleep(0.02)
            print("got", n)
async def limited(limiter, n):
    async with limiter:
        await anyio.sleep(0.03)
async def semaphored(sem, n):
    async with sem:
        await anyio.sleep(0.03)
async def locked(lock):
    async with lock:
        await anyio.sleep(0.03)
async def waits(event):
    await event.wait()
async def cond(c):
    async with c:
        await c.wait()
async def main():
    send, receive = anyio.create_memory_object_stream(1)
    async with anyio.create_task_group() as group:
        group.start_soon(produce, send)
        group.start_soon(consume, receive)
    send, receive = anyio.create_memory_object_stream(1)
    async with anyio.create_task_group() as group:
        group.start_soon(consume, receive)
        async with send:
            await anyio.sleep(0.03); await send.send(1)
    with anyio.move_on_after(0.05) as scope:
        await anyio.sleep(5)
    print("cancelled", scope.cancelled_caught)
    limiter = anyio.CapacityLimiter(1); sem = anyio.Semaphore(1); lock = anyio.Lock(); event = anyio.Event(); c = anyio.Condition()
    async with anyio.create_task_group() as group:
        for n in range(2):
            group.start_soon(limited, limiter, n, name=f"limited-{n}")
            group.start_soon(semaphored, sem, n)
            group.start_soon(locked, lock)
        group.start_soon(waits, event)
        group.start_soon(cond, c)
        await anyio.sleep(0.1)
        event.set()
        async with c: c.notify_all()
    import time
    print(await anyio.to_thread.run_sync(time.sleep, 0.05))
    async with anyio.create_task_group() as group:
        for n in range(3):
            group.start_soon(lambda: anyio.to_thread.run_sync(time.sleep, 0.05, limiter=limiter))
    async def hi(s):
        async with s:
            await anyio.sleep(0.03)
            await s.send(await s.receive())
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(anyio.abc.SocketAttribute.local_port)
    async with anyio.create_task_group() as group:
        group.start_soon(listener.serve, hi)
        async with await anyio.connect_tcp("127.0.0.1", port) as s:
            await s.send(b"x"); print(await s.receive())
        group.cancel_scope.cancel()
    await listener.aclose()
    print((await anyio.run_process(["echo", "hi"])).stdout)
    try:
        with anyio.fail_after(0.01): await anyio.sleep_forever()
    except TimeoutError: print("timeout")
    async with await anyio.open_file(__file__) as f: print(len(await f.readline()))
anyio.run(main)
"""


def run_both(source: str, folder: Path) -> Run:
    """The recording, once it is sure that the program did the same without."""
    seen, run = alike(folder, source)
    assert seen.exit_code == 0, seen.stderr
    return run


def lane(run: Run, name: str) -> Lane:
    """The row of the task or thread of this name, or the first one of this function."""
    return next(lane for lane in run.lanes if name in (*lane.name.split(), lane.function))


def story(lane: Lane) -> list[str]:
    """Why it was waiting or queued, in order, each once in a row."""
    reasons: list[str] = []
    for span in lane.spans:
        if span.state in (State.WAITING, State.QUEUED) and reasons[-1:] != [span.wait.reason]:
            reasons.append(span.wait.reason)
    return reasons


def reasons(run: Run) -> set[tuple[str, State]]:
    return {(s.wait.reason, s.state) for lane in run.lanes for s in lane.spans if s.wait.reason}


@pytest.fixture(params=["asyncio", "uvloop"])
def on_both(request: pytest.FixtureRequest) -> str:
    """Which loop the program is to run on."""
    if request.param == "uvloop" and not has("uvloop"):
        pytest.skip("uvloop is not installed")
    return str(request.param)


def on(loop: str, source: str) -> str:
    if loop == "asyncio":
        return source
    return "import uvloop\n" + source.replace("asyncio.run(", "uvloop.run(")


def test_workers(on_both: str, tmp_path: Path) -> None:
    run = run_both(on(on_both, WORKERS), tmp_path)
    workers = [lane(run, f"worker-{n}") for n in range(3)]
    assert [story(worker) for worker in workers] == [["sleep", "empty queue"]] * 3
    assert {worker.outcome for worker in workers} == {Outcome.CANCELLED}
    assert ("queue.join", State.WAITING) in reasons(run)
    asked = [story(lane) for lane in run.lanes if lane.function == "ask"]
    assert asked[0][-1] == "thread" and asked[1:] == [["executor", "thread"]] * 2


def test_http_server_and_urllib(tmp_path: Path) -> None:
    run = run_both(HTTP_SERVER, tmp_path)
    assert "net.read" in story(lane(run, "MainThread"))
    assert lane(run, "server").function == "BaseServer.serve_forever"


@pytest.mark.skipif(not has("aiohttp"), reason="aiohttp is not installed")
def test_aiohttp(on_both: str, tmp_path: Path) -> None:
    run = run_both(on(on_both, AIOHTTP), tmp_path)
    assert [story(lane(run, f"get-{n}"))[-1] for n in range(4)] == ["net.read"] * 4
    assert [story(lane(run, f"get-{n}"))[0] for n in (2, 3)] == ["connection pool"] * 2
    assert ("connection pool", State.QUEUED) in reasons(run)
    # on 3.12+ each request is handled in its own task
    handling = [reason for row in run.lanes if "RequestHandler." in row.function for reason in story(row)]
    assert {"sleep", "net.read"} <= set(handling)
    assert story(lane(run, "stream")) == ["net.read"]


@pytest.mark.skipif(not has("anyio"), reason="anyio is not installed")
def test_anyio(tmp_path: Path) -> None:
    run = run_both(ANYIO, tmp_path)
    named = {name: lane(run, name) for name in ("__main__.produce", "limited-1")}
    assert story(named["__main__.produce"]) == ["full queue"]
    assert story(named["limited-1"])[-2:] == ["semaphore", "sleep"]
    assert reasons(run) >= {
        ("empty queue", State.WAITING),
        ("full queue", State.QUEUED),
        ("semaphore", State.QUEUED),
        ("lock", State.QUEUED),
        ("condition", State.WAITING),
        ("taskgroup", State.WAITING),
        ("thread", State.WAITING),
        ("net.read", State.WAITING),
    }


@pytest.mark.skipif(not has("test.test_asyncio"), reason="this Python comes without its own tests")
@pytest.mark.parametrize("module", ["test_locks", "test_queues", "test_taskgroups", "test_futures"])
def test_asyncios_own_tests_pass_under_the_tracer(module: str, tmp_path: Path) -> None:
    seen, run = traced("-m", "unittest", f"test.test_asyncio.{module}", folder=tmp_path)
    assert seen.exit_code == 0, seen.stderr
    assert "OK" in seen.stderr.splitlines()[-1]
    assert len(run.tracks) > 20
