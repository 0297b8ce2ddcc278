"""A server that does as little as possible: the same bytes for every request. A separate program.

``python -m asyncdemo.lab.harness.null_server PORT``. What a client cannot reach here, it cannot reach
anywhere.
It doesn't parse: it counts the blank lines that end a request, so it answers requests with bodies wrongly.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Final, cast

ANSWER: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
_HOST: Final = "127.0.0.1"
_END: Final = b"\r\n\r\n"
_BACKLOG: Final = 1024


class _Null(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # not asserted: uvloop's transports are not subclasses
        self._transport = cast("asyncio.Transport", transport)
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        heard = self._rest + data
        requests = heard.count(_END)
        self._rest = heard[heard.rfind(_END) + len(_END) :] if requests else heard
        if requests:
            self._transport.write(ANSWER * requests)
            if b"onnection: close" in heard:
                self._transport.close()


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Null, _HOST, port, backlog=_BACKLOG)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        import uvloop
    except ImportError:
        asyncio.run(main(int(sys.argv[1])))
    else:
        uvloop.run(main(int(sys.argv[1])))
