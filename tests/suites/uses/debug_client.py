"""``python debug_client.py PORT FILE LINE EXPRESSION TIMES``: debugs a process as an editor does.

Stops at the breakpoint so often, evaluates the expression there, and goes on. At the end, prints a list of
(function, value) as JSON. Its own process: a debugger stops all threads of the other.
"""

from __future__ import annotations

import json
import socket
import sys
from collections import deque
from typing import Any, Final

_LIMIT_S: Final = 60


class Client:
    def __init__(self, port: int) -> None:
        self._stream = socket.create_connection(("127.0.0.1", port), _LIMIT_S).makefile("rwb")
        self._sent = 0
        self._events: deque[dict[str, Any]] = deque()

    def send(self, command: str, **arguments: Any) -> int:
        self._sent += 1
        message = {"seq": self._sent, "type": "request", "command": command, "arguments": arguments}
        data = json.dumps(message).encode()
        self._stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._stream.flush()
        return self._sent

    def answer(self, number: int) -> dict[str, Any]:
        while True:
            message = self._read()
            if message["type"] == "response" and message["request_seq"] == number:
                assert message["success"], message
                return dict(message.get("body") or {})
            self._events.append(message)

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        return self.answer(self.send(command, **arguments))

    def event(self, name: str) -> dict[str, Any]:
        while True:
            message = self._events.popleft() if self._events else self._read()
            if message.get("event") == name:
                return message

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self._stream.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        if not length:
            raise EOFError("The debugged process has closed the connection.")
        return dict(json.loads(self._stream.read(length)))


def main() -> None:
    port, file, line, expression, times = sys.argv[1:]
    client = Client(int(port))
    client.ask("initialize", adapterID="debugpy", pathFormat="path")
    attached = client.send("attach", justMyCode=True)
    client.event("initialized")
    client.ask("setBreakpoints", source={"path": file}, breakpoints=[{"line": int(line)}])
    client.ask("configurationDone")
    client.answer(attached)
    found = []
    for _ in range(int(times)):
        thread = client.event("stopped")["body"]["threadId"]
        top = client.ask("stackTrace", threadId=thread)["stackFrames"][0]
        value = client.ask("evaluate", expression=expression, frameId=top["id"])["result"]
        found.append([top["name"], value])
        client.ask("continue", threadId=thread)
    client.ask("disconnect")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
