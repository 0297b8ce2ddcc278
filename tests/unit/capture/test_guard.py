"""A fault of the tracer never reaches the script, and switches off one hook alone."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.capture.guard import Guard
from asyncdemo.model import Run, State
from tests.support.guards import faulty
from tests.support.plain_and_traced import Seen, plain, traced

# Uses as many hooks as a short script can, fails in as many ways as it can, and prints what came of it.
SCRIPT = '''\
"""Everything at the same time."""
import asyncio, concurrent.futures, os, queue, socket, subprocess, sys, threading, time, traceback
import warnings

def shout(number):
    if number == 3:
        raise ValueError("three")
    return f"{number}!"

class Work:
    def __init__(self):
        self.lock, self.again, self.gate = threading.Lock(), threading.RLock(), threading.Semaphore(2)
        self.items, self.event, self.both = queue.Queue(4), threading.Event(), threading.Barrier(2)
        self.done = []

    def consume(self):
        self.both.wait()
        for number in iter(self.items.get, None):
            with self.lock, self.again, self.again, self.gate:
                self.done.append(number)
                time.sleep(0.001)
            self.items.task_done()
        self.items.task_done()
        self.event.set()

def in_threads():
    work = Work()
    thread = threading.Thread(target=work.consume, name="consumer")
    thread.start()
    work.both.wait()
    for number in (1, 2, 3, None):
        work.items.put(number)
    work.items.join()
    work.event.wait()
    thread.join()
    print("threads", work.done)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(shout, number) for number in range(4)]
        print("pool", [future.result() for future in futures[:3]], repr(futures[3].exception()))

def talk():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            accepted, _ = server.accept()
            with accepted:
                client.sendall(b"ping")
                print("socket", accepted.recv(10), accepted.getpeername() == client.getsockname())

class Resource:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return self
    async def __aexit__(self, *exc_info):
        await asyncio.sleep(0)

async def worker(number, gate, lock, items):
    async with gate, Resource():
        await asyncio.sleep(0.012)
        async with lock:
            await items.put(number)
    if number == 2:
        raise KeyError(number)
    return number

async def numbers():
    for number in range(3):
        await asyncio.sleep(0)
        yield number

async def in_loop():
    loop = asyncio.get_running_loop()
    gate, lock, items = asyncio.Semaphore(2), asyncio.Lock(), asyncio.Queue(2)
    tasks = [asyncio.create_task(worker(number, gate, lock, items), name=f"w{number}") for number in range(3)]
    print("got", sorted([await items.get() for _ in tasks]))
    print("gathered", await asyncio.gather(*tasks, return_exceptions=True))
    print("thread", await asyncio.to_thread(shout, 1), await loop.run_in_executor(None, shout, 2))
    try:
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()
    except TimeoutError:
        print("timeout")
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(9))
            group.create_task(worker(2, gate, lock, items))
    except* KeyError as error:
        print("group", error.exceptions)
    print("numbers", [number async for number in numbers()])
    called = asyncio.Event()
    loop.call_soon(print, "soon")
    loop.call_later(0.002, called.set)
    loop.call_soon(lambda: 1 / 0)
    await called.wait()
    async def answer(reader, writer):
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"hello\\n")
        print("stream", await reader.read())
        writer.close()
        await writer.wait_closed()
    process = await asyncio.create_subprocess_exec("/bin/sh", "-c", "echo child", stdout=-1)
    print("subprocess", await process.communicate())
    time.sleep(0.06)
    worker(7, gate, lock, items)
    asyncio.create_task(asyncio.sleep(5))
    return "done"

if __name__ == "__main__":
    warnings.simplefilter("always")
    if (pid := os.fork()) == 0:  # before any thread: since 3.12 one that has just ended may count
        os._exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    in_threads()
    talk()
    print(subprocess.run(["/bin/sh", "-c", "echo 1"], capture_output=True).stdout)
    print(asyncio.run(in_loop()))
    broken = threading.Thread(target=shout, args=[3])
    broken.start()
    broken.join()
    try:
        shout(3)
    except ValueError:
        traceback.print_exc()
    raise SystemExit(shout(3))
'''


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guard")
    Path(folder, "everything.py").write_text(SCRIPT, encoding="utf-8")
    return folder


def _lines(text: str) -> list[str]:
    """Threads print when it is their turn."""
    return sorted(text.splitlines())


def _shown(seen: Seen) -> tuple[object, ...]:
    return seen.exit_code, seen.stdout, _lines(seen.stderr)


@pytest.fixture(scope="module")
def expected(script: Path) -> tuple[object, ...]:
    seen = plain("everything.py", folder=script)
    assert "three" in seen.stderr and seen.exit_code == 1
    return _shown(seen)


SHARES = 6
"""Of the hooks, for as many tests, which run side by side."""


def names_of_hooks(script: Path, expected: tuple[object, ...], tmp_path: Path) -> list[str]:
    """As a run tells in which none fails."""
    listed = Path(tmp_path, "names.json")
    environment = faulty(tmp_path / "site", names=listed)
    seen, run = traced("everything.py", folder=script, lanes=["worker"], environment=environment)
    assert _shown(seen) == expected
    assert not [note for note in run.notes if "hook" in note]
    names: list[str] = json.loads(listed.read_text(encoding="utf-8"))
    assert len(names) > 60
    return names


def switched_off(
    hooks: Sequence[str], script: Path, expected: tuple[object, ...], tmp_path: Path
) -> set[str]:
    """These fail, and the script does not notice: the hooks that are switched off."""
    environment = faulty(tmp_path / "site", *hooks)
    seen, run = traced("everything.py", folder=script, lanes=["worker"], environment=environment)
    assert (hooks, _shown(seen)) == (hooks, expected)
    assert run.tracks, "all else is recorded"
    off = _switched_off(run)
    assert off <= set(hooks) or not off & set(hooks), "those alone; of what hooks call, those that call it"
    return off


def test_hooks_may_fail_and_the_script_never_notices(
    script: Path, expected: tuple[object, ...], tmp_path: Path
) -> None:
    """Some ten at a time, none beside its neighbours."""
    names = names_of_hooks(script, expected, tmp_path)
    off = set()
    for kind in (
        [name for name in names if name[-2:] != "()"],
        [name for name in names if name[-2:] == "()"],
    ):
        for share in range(SHARES):
            off |= switched_off(kind[share::SHARES], script, expected, tmp_path)
    assert len(off) >= len(names) // 3


@pytest.mark.parametrize("where", ["call", "enter", "value", "exit"])
def test_all_hooks_may_fail(where: str, script: Path, expected: tuple[object, ...], tmp_path: Path) -> None:
    environment = faulty(tmp_path / "site", "every hook", where=where)
    seen, run = traced("everything.py", folder=script, lanes=["worker"], environment=environment)
    assert _shown(seen) == expected
    assert _switched_off(run) or where == "value"


def _switched_off(run: Run) -> set[str]:
    return {note.split("`")[1] for note in run.notes if "hook there failed" in note}


# -- what a guard makes of a hook --------------------------------------------------------------------


class Failures(list[str]):
    def __call__(self, name: str, why: str, _: bool) -> None:
        self.append(f"{name}: {why}")


def _failing(*_: Any) -> None:
    raise LookupError("not what was expected")


def test_failing_hook_is_reported_once_and_never_called_again() -> None:
    failures, calls = Failures(), []
    guard = Guard(failures)

    def hook(value: int) -> None:
        calls.append(value)
        _failing()

    guarded = guard.call("lock", hook)
    other = guard.call("lock", calls.append)
    guarded(1)
    guarded(2)
    other(3)
    assert calls == [1, 3]
    assert failures == ["lock: LookupError: not what was expected"]


def test_a_value_is_what_it_would_be_without_the_hook() -> None:
    guarded = Guard(Failures()).value("return", _failing, lambda *given: given[-1])
    assert [guarded("self", 1), guarded("self", 2)] == [1, 2]


class Failing:
    def __enter__(self) -> None:
        pass

    def __call__(self, value: Any) -> None:
        _failing()

    def __exit__(self, *exc_info: object) -> None:
        _failing()


def test_a_context_that_fails_lets_the_call_go_on() -> None:
    failures = Failures()
    guard = Guard(failures)
    with guard.context("with", Failing)() as call:
        assert call("value") == "value"
    left = guard.context("left", Failing)
    with pytest.raises(KeyError), left():
        raise KeyError("the script's own")
    with left() as call:
        assert call("value") == "value"
    assert [line.split(":")[0] for line in failures] == ["with", "left"]


class Alarm(Exception):
    pass


@pytest.mark.parametrize("disguised", [False, True])
@pytest.mark.parametrize("kind", [Alarm, TimeoutError, KeyboardInterrupt])
def test_what_a_signal_handler_raises_is_the_scripts_own(
    kind: type[BaseException], disguised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = Failures()

    def handler(*_: object) -> None:
        raise kind

    hooks: dict[str, Any] = {"signal": signal}
    # compiled as one of the tracer's own files: the handler interrupts a frame of ours
    from asyncdemo.capture import guard as module

    source = "def hook():\n    signal.raise_signal(signal.SIGUSR1)\n    return 1\n"
    exec(compile(source, "events.py" if disguised else module.__file__, "exec"), hooks)
    monkeypatch.setattr(module, "disguised", {hooks["hook"].__code__} if disguised else set())
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        guarded = Guard(failures).call("hook", hooks["hook"])
        for _ in range(2):
            with pytest.raises(kind):
                guarded()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert failures == []


def test_handler_that_interrupts_a_hooks_call_is_the_scripts() -> None:
    """The frame of a named tuple, for one, is neither the tracer's nor the script's."""
    failures = Failures()

    def handler(*_: object) -> None:
        raise Alarm

    hooks: dict[str, Any] = {"signal": signal}
    exec(compile("def made():\n    signal.raise_signal(signal.SIGUSR1)\n", "<string>", "exec"), hooks)
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(Alarm):
            Guard(failures).call("hook", hooks["made"])()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert failures == []


def test_wait_cut_short_by_a_signal_handler_leaves_nothing(tmp_path: Path) -> None:
    """Whatever moment the signals come at: what is waited for afterwards is recorded as ever."""
    Path(tmp_path, "alarms.py").write_text(ALARMS, encoding="utf-8")
    seen, run = traced("alarms.py", folder=tmp_path)
    assert (seen.exit_code, seen.stdout, seen.stderr) == (0, "done\n", "")
    assert run.notes == ()
    (main,) = [track for track in run.tracks if track.name == "MainThread"]
    (span,) = (span for span in main.spans if span.duration_ns > 90_000_000)
    assert (span.state, span.wait.reason) == (State.WAITING, "sleep")
    assert span.duration_ns < 300_000_000, "the time of the alarms is not part of it"


ALARMS = """\
import queue, signal, threading, time

class Alarm(Exception):
    pass

def handler(number, frame):
    if armed:
        raise Alarm

armed = False
items = queue.Queue()
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0007)
end = time.monotonic() + 0.6
while time.monotonic() < end:
    try:
        armed = True
        for number in range(20):
            time.sleep(0)
            items.put(number)
            items.get()
    except Alarm:
        pass
    finally:
        armed = False
    items = queue.Queue()
signal.setitimer(signal.ITIMER_REAL, 0)
time.sleep(0.1)
print("done")
"""
