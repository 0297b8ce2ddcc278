"""An HTTP server of one slot: it answers one request at a time, each after some ms of its whole attention.

python slot_server.py EACH_MS STALL_S PERIOD_S

And once in every period it stalls: nobody is answered for so long. It prints its port, and ends with its
standard input.
"""

import asyncio
import os
import sys
import threading
import time
from typing import cast

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Slot(asyncio.Protocol):
    def __init__(self, each_s: float) -> None:
        self.each_s = each_s
        self.rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's are no subclasses

    def data_received(self, data: bytes) -> None:
        *requests, self.rest = (self.rest + data).split(b"\r\n\r\n")
        for request in requests:
            if self.each_s:
                time.sleep(self.each_s)  # a blocked loop is the one slot
            self.transport.write(HELLO)
            if b"\r\nConnection: close" in request:
                self.transport.close()


async def main(each_s: float, stall_s: float, period_s: float) -> None:
    loop = asyncio.get_running_loop()

    def stall() -> None:
        loop.call_later(period_s, stall)
        time.sleep(stall_s)

    if stall_s:
        loop.call_later((period_s - stall_s) / 2, stall)
    server = await loop.create_server(lambda: Slot(each_s), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def end_with_stdin() -> None:
    while os.read(0, 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with_stdin, daemon=True).start()
    each_ms, stall_s, period_s = map(float, sys.argv[1:])
    try:
        import uvloop
    except ImportError:
        asyncio.run(main(each_ms / 1000, stall_s, period_s))
    else:
        uvloop.run(main(each_ms / 1000, stall_s, period_s))
