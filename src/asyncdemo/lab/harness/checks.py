"""What several experiments look at: an answer with its status, headers and body; what was under way; threads.

Not for: what only one experiment can know, such as the rows in its database.
"""

from __future__ import annotations

import contextlib
import http.client
import json
from collections.abc import Callable, Mapping

import psutil

from asyncdemo.lab.harness.protocol.description import Check, Scene, Seen, When
from asyncdemo.load import Send
from asyncdemo.serving.ports import HOST

_PATIENCE_S = 10.0


def answer_check(
    send: Send,
    asked: str,
    holds: Callable[[bytes], bool],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    always: bool = True,
) -> Check:
    """asked: the body in words; holds: whether a body is that. headers: that begin so, in any case."""
    wanted = dict(headers or {})

    def look(scene: Scene) -> Seen:
        connection = http.client.HTTPConnection(HOST, scene.started.port, timeout=_PATIENCE_S)
        try:
            connection.request(send.method, send.path, send.body or None, dict(send.headers))
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        wrong = [
            f"{name}: {answer.headers.get(name, 'none')}"
            for name, value in wanted.items()
            if not answer.headers.get(name, "").lower().startswith(value.lower())
        ]
        if answer.status != status or wrong:
            return Seen(", ".join([f"status {answer.status}", *wrong]), False)
        return Seen(asked, True) if holds(body) else Seen(f"{body[:60]!r}", False)

    shown = ", ".join([asked, *(f"{name}: {value}" for name, value in wanted.items())])
    return Check(f"{send.method} {send.path}", f"status {status}, {shown}", look, always=always)


def json_check(send: Send, asked: str, wanted: object) -> Check:
    headers = {"Content-Type": "application/json"}
    return answer_check(send, asked, lambda body: bool(json.loads(body) == wanted), headers=headers)


def all_at_once_check(many: int) -> Check:
    def look(scene: Scene) -> Seen:
        open_at_once = scene.load.open_at_once if scene.load else None
        return Seen(f"{open_at_once}", open_at_once == many)

    return Check("requests under way at once", f"{many}", look, When.AFTER)


def threads_of(scene: Scene) -> int:
    """Of all processes of the contestant."""
    threads = 0
    for pid in scene.started.pids():
        with contextlib.suppress(psutil.Error):  # it has ended
            threads += psutil.Process(pid).num_threads()
    return threads
