"""Ten thousand connections at once, as a reader of seed 003 asked for: who holds them, and what they cost.

Each request waits seconds for its answer, as one does for news. By Little's law rate times wait is what is
open at once: 1,250 a second that wait 8 s are 10,000, and few of them have anything to do. Not for: how many
requests a server can answer (``constant_rate``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from asyncdemo.lab.experiments.entry import Surroundings
from asyncdemo.lab.harness.answers import answer_check
from asyncdemo.lab.harness.contestant import Knobs, Started
from asyncdemo.lab.harness.contestants import contestant, shared_packages
from asyncdemo.lab.harness.environments import NOT_TO_BE_HAD
from asyncdemo.lab.harness.protocol import (
    Asked,
    Check,
    Condition,
    Contender,
    Count,
    Experiment,
    Figure,
    Scene,
    Seen,
    Size,
    latency,
)
from asyncdemo.lab.results.comparison import Better, Bound
from asyncdemo.lab.results.laws import littles_latency_ms
from asyncdemo.lab.results.setup import Arm, Extent, Loop, Model, Setting
from asyncdemo.lab.servers import PROGRAMS, App, Interface
from asyncdemo.load import Send

__all__ = ["Held", "condition", "prepared"]

_SEND: Final = Send("GET", "/later")
_TEXT: Final = b"Hello, later!"
_MANY, _RATE, _LASTS_S = 10_000, 1_250, 11.0
_FEWER, _FEWER_RATE, _FEWER_LASTS_S = 2_000, 1_000, 4.0
"""For a quick run."""
_PATIENT_S: Final = 30.0
_OTHER_FILES: Final = 100
_BACKLOG: Final = 2048
_FLASK, _SANIC = "flask", "sanic"
_CONNECTIONS: Final = Figure("counted.connections", "Connections", "", Better.MORE)
_ANSWERED: Final = Figure("load.answered", "Answered", "", Better.MORE)
_MEMORY: Final = Figure("counted.bytes_per_connection", "Memory per connection", "B", Better.LESS)


@contextmanager
def prepared(surroundings: Surroundings) -> Iterator[Experiment]:
    conditions = (
        condition(_FEWER, _FEWER_RATE, _FEWER_LASTS_S),
        condition(_MANY, _RATE, _LASTS_S),
    )
    few, many = (item.setting.name for item in conditions)
    contenders = (*_contenders(surroundings), _japronto())
    arms = [contender.arm for contender in contenders]
    yield Experiment(
        name="ten-thousand",
        title="Ten thousand connections at once",
        contenders=contenders,
        conditions=conditions,
        asked=tuple(row for item in conditions for row in _rows(arms, item)),
        lesson="open-loop",
        sizes={
            Extent.QUICK: Size(1, 1.0, settings=(few,)),
            Extent.DEFAULT: Size(1, 1.0, settings=(many,)),
            Extent.FULL: Size(7, 1.0, settings=(many,)),
        },
        twin_of=_SANIC,
        packages=shared_packages(item.contestant for item in contenders),
        notes=(
            "Requests come evenly, so connections are opened one after another, and not all in one moment.",
            "Memory is that of the server alone; the system's own, for its sockets, comes on top.",
            "Nothing was measured in the article; a reader asked for it.",
        ),
    )


def condition(connections: int, rate_per_s: int, lasts_s: float) -> Condition:
    """So many connections at once, from so many requests a second that wait as long as that takes."""
    held = Held(connections)
    wait_ms = littles_latency_ms(connections, rate_per_s)
    setting = Setting(
        f"at-once-{connections}",
        f"{connections:,} at once: {rate_per_s:,} a second, each waits {wait_ms / 1000:g} s",
        Loop.OPEN,
        (),
        rate_per_s=float(rate_per_s),
        arrivals="uniform",
        duration_s=lasts_s,
        timeout_s=_PATIENT_S,
        keep_alive=True,
    )
    allowed = Check("open files allowed", f"at least {held.needed:,}", held.ready, always=True)
    return Condition(
        setting,
        (_SEND,),
        {"delay_ms": wait_ms, "backlog": _BACKLOG},
        checks=(allowed, answer_check(_SEND, _TEXT.decode(), _TEXT.__eq__, always=False)),
        counts=(
            Count("connections", held.connections),
            Count("bytes_per_connection", held.bytes_per_connection, most=False),
            Count("threads", held.threads),
        ),
        warm=False,
    )


@dataclass
class Held:
    """What a server holds, beyond what it held when it was ready: looked at from outside, by psutil."""

    planned: int
    _before: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Port -> files, bytes."""
    _most: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def needed(self) -> int:
        return self.planned + _OTHER_FILES

    def ready(self, scene: Scene) -> Seen:
        """Whether it may open so many files; and what it has now, to be compared with."""
        port = scene.started.port
        self._before[port], self._most[port] = self._now(scene), (0, 0)
        limits = [self._limit(process) for process in self._processes(scene)]
        least = min((limit for limit in limits if limit is not None), default=None)
        if least is None:
            return Seen("this system does not say", True)
        return Seen(f"{least:,}", least >= self.needed)

    def connections(self, scene: Scene) -> float:
        port = scene.started.port
        files, resident = self._now(scene)
        before, most = self._before.get(port, (0, 0)), self._most.get(port, (0, 0))
        more = max(files - before[0], 0), max(resident - before[1], 0)
        self._most[port] = max(most[0], more[0]), max(most[1], more[1])
        return float(more[0])

    def bytes_per_connection(self, scene: Scene) -> float:
        connections, resident = self._most.get(scene.started.port, (0, 0))
        return resident / connections if connections else 0.0

    def threads(self, scene: Scene) -> float:
        import psutil

        with contextlib.suppress(psutil.Error):  # it has ended
            return float(sum(process.num_threads() for process in self._processes(scene)))
        return 0.0

    def _now(self, scene: Scene) -> tuple[int, int]:
        import psutil

        files = resident = 0
        for pid in scene.started.pids():
            with contextlib.suppress(psutil.Error):  # it has ended
                process = psutil.Process(pid)
                files, resident = files + process.num_fds(), resident + process.memory_info().rss
        return files, resident

    @staticmethod
    def _processes(scene: Scene) -> list[Any]:
        import psutil

        return [psutil.Process(pid) for pid in scene.started.pids() if psutil.pid_exists(pid)]

    @staticmethod
    def _limit(process: Any) -> int | None:
        import psutil

        if not hasattr(psutil, "RLIMIT_NOFILE"):
            return None
        soft = int(process.rlimit(psutil.RLIMIT_NOFILE)[0])
        return None if soft == psutil.RLIM_INFINITY else soft


# -- contestants ---------------------------------------------------------------------------------------


def _contenders(surroundings: Surroundings) -> Iterator[Contender]:
    for name, title, framework, program, file, interface in (
        (_FLASK, "Flask, threaded", "Flask", "flask-threaded", "in_flask.py", Interface.WSGI),
        (_SANIC, "Sanic", "Sanic", "sanic", "in_sanic.py", Interface.SANIC),
        ("tornado", "Tornado", "Tornado", "tornado", "in_tornado.py", Interface.TORNADO),
        ("cyclone", "Cyclone", "Cyclone", "cyclone", "in_cyclone.py", Interface.CYCLONE),
        ("aiohttp", "aiohttp", "aiohttp", "aiohttp", "in_aiohttp.py", Interface.AIOHTTP),
        ("uvicorn", "uvicorn, no framework", "", "uvicorn", "in_asgi.py", Interface.ASGI),
    ):
        served = PROGRAMS[program]
        app = App(surroundings.apps / file, interface)
        started = contestant(served, app, name, tell=surroundings.tell)
        arm = Arm(
            name,
            title,
            served.model,
            framework,
            served.title,
            versions=started.own_versions,
            notes=served.notes,
        )
        yield Contender(arm, started)


@dataclass(frozen=True)
class _Gone:
    """A contestant that is named in the question, and cannot be had."""

    name: str

    def start(self, knobs: Knobs) -> Started:  # noqa: ARG002
        raise NOT_TO_BE_HAD[self.name]


def _japronto() -> Contender:
    gone = NOT_TO_BE_HAD["japronto"]
    title = "Japronto"
    arm = Arm(
        "japronto", title, Model.COROUTINES, title, title, unavailable=gone.why, successor=gone.successor
    )
    return Contender(arm, _Gone("japronto"))


# -- rows ----------------------------------------------------------------------------------------------


def _rows(arms: list[Arm], item: Condition) -> Iterator[Asked]:
    """Each as a multiple of Sanic, which is the one that the reader asked about."""
    title = item.setting.title
    for arm in arms:
        if arm.name == _SANIC:
            continue
        for figure, bound in (
            (_CONNECTIONS, Bound(1.0, title)),
            (_ANSWERED, Bound(1.0, "all that were asked for")),
            (latency("99"), Bound(1.0, "the wait alone")),
            (_MEMORY, None),
        ):
            yield Asked(
                name=f"{arm.title}: {figure.title[0].lower()}{figure.title[1:]}",
                figure=figure,
                arm=arm.name,
                base=_SANIC,
                setting=item.setting.name,
                bound=bound,
            )
