"""Tracing changes nothing of a script's network, subprocesses, signals and exit.

Each script runs plain and traced, on asyncio's own loop and on uvloop. What a script sees of its process is in
``test_transparency_process``.
"""

# ruff: noqa: E501 - the scripts print much in few lines

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.each_loop import LOOPS, assert_nothing_changes

SCRIPTS = {
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
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_changes(name: str, loop: str, tmp_path: Path) -> None:
    assert_nothing_changes(tmp_path, SCRIPTS[name], loop)
