"""A server that behaves as its environment says: slowly, wrongly, or not at all. Its argument is its port."""

import asyncio
import os
import signal
import socket
import struct
import sys
import time
from pathlib import Path

DELAYS_MS = [float(each) for each in os.environ.get("LAB_DELAYS_MS", "0").split(",")]
"""Of the first start, the second, ..., the last from then on."""
STARTS = os.environ.get("LAB_STARTS", "")
"""A file that has a byte for each start so far."""
SLOTS = int(os.environ.get("LAB_SLOTS", "100000"))
ERR_EVERY = int(os.environ.get("LAB_ERR_EVERY", "0"))
RESET_EVERY = int(os.environ.get("LAB_RESET_EVERY", "0"))
DIE_AFTER = int(os.environ.get("LAB_DIE_AFTER", "0"))
SILENT_ABOVE = int(os.environ.get("LAB_SILENT_ABOVE", "0"))
"""Once there were that many connections at a time."""
ANSWER = os.environ.get("LAB_ANSWER", "hello")
FAULT = os.environ.get("LAB_FAULT", "")


def delay_s() -> float:
    number = 0
    if STARTS:
        with Path(STARTS).open("ab") as file:
            file.write(b".")
            number = file.tell() - 1
    return DELAYS_MS[min(number, len(DELAYS_MS) - 1)] / 1000


async def main() -> None:
    delay, slots = delay_s(), asyncio.Semaphore(SLOTS)
    requests = now_open = most_open = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal requests
        while FAULT != "hang" and (request := await reader.readuntil(b"\r\n\r\n")):
            requests += 1
            number = requests
            if DIE_AFTER and requests > DIE_AFTER:
                os._exit(3)
            async with slots:
                await asyncio.sleep(delay)
            if SILENT_ABOVE and most_open > SILENT_ABOVE:
                await asyncio.sleep(3600)
            if RESET_EVERY and number % RESET_EVERY == 0:
                linger = struct.pack("ii", 1, 0)  # for no time: what follows is a reset
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                writer.transport.abort()
                return
            line = "500 Broken" if ERR_EVERY and number % ERR_EVERY == 0 else "200 OK"
            head = f"HTTP/1.1 {line}\r\nContent-Length: {len(ANSWER)}\r\n\r\n"
            writer.write((head + ANSWER).encode())
            if b"HTTP/1.0" in request:
                writer.close()
                return
        await asyncio.sleep(3600)

    async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal now_open, most_open
        now_open += 1
        most_open = max(most_open, now_open)
        try:
            await serve(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()
        finally:
            now_open -= 1

    server = await asyncio.start_server(attend, "127.0.0.1", int(sys.argv[1]), backlog=1024)
    if FAULT == "keep-port" and os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(3600)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    if FAULT == "die":
        sys.exit("it cannot find its database")
    asyncio.run(main())
