"""An HTTP server whose truth is known: each answer is held back for a time in ms, to some microseconds.

python known_server.py HOLD_MS

It never sleeps, so that no timer of the system is in the figures, and it writes down how long it really held
each answer back: GET /truth tells those delays, in nanoseconds, since the last time. It prints its port, and
ends with its standard input.
"""

import contextlib
import json
import os
import select
import socket
import sys
import threading
import time
from collections import deque

END = b"\r\n\r\n"


def answer(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


HELLO = answer(b"hello")


def serve(listening: socket.socket, hold_ns: int) -> None:
    poll = select.poll()
    poll.register(listening.fileno(), select.POLLIN)
    open_sockets: dict[int, socket.socket] = {}
    held: deque[tuple[int, socket.socket]] = deque()  # in the order of their arrival, so of their end, too
    delays_ns: list[int] = []
    while True:
        for number, _ in poll.poll(0):
            if number == listening.fileno():
                arrived, _ = listening.accept()
                arrived.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                open_sockets[arrived.fileno()] = arrived
                poll.register(arrived.fileno(), select.POLLIN)
                continue
            data = b""
            with contextlib.suppress(ConnectionError):  # who asked has gone
                data = open_sockets[number].recv(1 << 16)
            now_ns = time.perf_counter_ns()
            if not data:
                poll.unregister(number)
                open_sockets.pop(number).close()
            elif data.startswith(b"GET /truth "):
                open_sockets[number].sendall(answer(json.dumps(delays_ns).encode()))
                delays_ns.clear()
            else:
                held.extend([(now_ns, open_sockets[number])] * data.count(END))
        while held and time.perf_counter_ns() - held[0][0] >= hold_ns:
            since_ns, whose = held.popleft()
            with contextlib.suppress(OSError):  # who asked has gone
                whose.sendall(HELLO)
                delays_ns.append(time.perf_counter_ns() - since_ns)


def end_with_stdin() -> None:
    while os.read(0, 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with_stdin, daemon=True).start()
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as server:
        print(server.getsockname()[1], flush=True)
        serve(server, round(float(sys.argv[1]) * 1e6))
