"""Checks and counts for any experiment: answers, connections, requests under way, threads, a backlog."""

from __future__ import annotations

import contextlib
import http.client
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import psutil

from asyncdemo.lab.harness.protocol.description import Check, Count, Scene, Seen, When
from asyncdemo.lab.results.laws import backlog_s
from asyncdemo.load import Send
from asyncdemo.serving.ports import HOST

_PATIENCE_S = 10.0


def answer_check(
    send: Send,
    asked: str,
    holds: Callable[[bytes], bool],
    headers: Mapping[str, str] | None = None,
    always: bool = True,
) -> Check:
    """``asked`` describes the body, ``holds`` tests it; ``headers`` are prefixes, compared ignoring case."""
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
        if answer.status != 200 or wrong:
            return Seen(", ".join([f"status {answer.status}", *wrong]), False)
        return Seen(asked, True) if holds(body) else Seen(f"{body[:60]!r}", False)

    shown = ", ".join([asked, *(f"{name}: {value}" for name, value in wanted.items())])
    return Check(f"{send.method} {send.path}", f"status 200, {shown}", look, always=always)


def json_check(send: Send, asked: str, wanted: object) -> Check:
    headers = {"Content-Type": "application/json"}
    return answer_check(send, asked, lambda body: bool(json.loads(body) == wanted), headers=headers)


@dataclass(frozen=True, slots=True)
class Answer:
    """The expected answer to ``send`` ("GET /"). ``json`` has ``words``. ``always``: check in each trial."""

    send: str
    text: str = ""
    json: Mapping[str, int | float | str | bool] = field(default_factory=dict)
    words: str = ""
    type: str = "text/plain"
    always: bool = True

    def check(self) -> Check:
        send = send_of(self.send)
        if self.json:
            return json_check(send, self.words, self.json)
        headers = {"Content-Type": self.type} if self.type else {}
        return answer_check(send, self.text, self.text.encode().__eq__, headers=headers, always=self.always)


def send_of(text: str) -> Send:
    """``text`` is, for example, "GET /"."""
    method, _, path = text.partition(" ")
    return Send(method, path)


def count_check(
    what: str,
    asked: str,
    count: Callable[[Scene], float],
    holds: Callable[[float], bool],
    when: When = When.READY,
    arms: tuple[str, ...] = (),
    always: bool = False,
) -> Check:
    """``asked`` describes the number, ``holds`` tests it."""

    def look(scene: Scene) -> Seen:
        many = count(scene)
        return Seen(f"{many:,.0f}", holds(many))

    return Check(what, asked, look, when, arms, always)


def standard_checks(
    clients: int, closing: tuple[str, ...], keeping: tuple[str, ...]
) -> dict[str, tuple[Check, ...]]:
    """Return checks after a closed loop. ``closing`` arms close their connections, ``keeping`` arms don't."""

    def at_once(scene: Scene) -> float:
        return (scene.load.open_at_once or 0) if scene.load else 0

    def opened(scene: Scene) -> float:
        return (scene.load.connections or 0) if scene.load else 0

    def closed(scene: Scene) -> Seen:
        answered = scene.load.answered if scene.load else 0
        return Seen(f"{opened(scene):,} for {answered:,} answers", opened(scene) >= answered > clients)

    is_all, what, many = float(clients).__eq__, "connections opened", f"{clients:,}"
    return {
        "all at once": (count_check("requests under way at once", many, at_once, is_all, When.AFTER),),
        "connections": (
            count_check(what, many, opened, is_all, When.AFTER, keeping),
            Check(what, "one for each answer", closed, When.AFTER, closing),
        ),
    }


def threads_of(scene: Scene) -> float:
    """Count the threads of all processes of the contestant."""
    threads = 0.0
    for pid in scene.started.pids():
        with contextlib.suppress(psutil.Error):  # it has ended
            threads += psutil.Process(pid).num_threads()
    return threads


def _longest_ms(scene: Scene) -> float:
    return 0.0 if scene.load is None else scene.load.latency_ms.get("100", 0.0)


def longest_of_backlog(scene: Scene) -> float:
    """Return the longest wait, as a multiple of the formula's for the run until its last answer.

    This is nearly an identity: 1 if answers come in the order of their requests. 0 if there is no backlog.
    """
    load, rate = scene.load, scene.setting.rate_per_s
    if load is None or not load.answered or not rate:
        return 0.0
    said_s = backlog_s(rate, load.answered / load.wall_s, load.wall_s)
    return _longest_ms(scene) / 1000 / said_s if said_s else 0.0


COUNTS: Final = (
    Count("threads", threads_of),
    Count("longest_ms", _longest_ms, most=False),
    Count("longest_of_backlog", longest_of_backlog, most=False),
)
