"""The twenty-one pairs of framework and server, as contestants of the stack; a configuration as a setting.

Their apps are in the folder of their lesson.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness import Knobs, NotStarted
from asyncdemo.lab.harness.checks import answer_check
from asyncdemo.lab.harness.environments import OnProgress, ignore_progress
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.harness.machine import keep_to, running_on
from asyncdemo.lab.harness.protocol.description import (
    Check,
    Condition,
    Contestant,
    Count,
    Scene,
    Seen,
    When,
)
from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.results.configuration import Configuration
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.setup import Arm, Loop, Model, Setting
from asyncdemo.lab.servers import PROGRAMS, ServerProgram
from asyncdemo.lab.stack.start import ROWS, Stack
from asyncdemo.load import Send

BASE: Final = "flask-gunicorn"
SIX: Final = (
    BASE,
    "falcon-uwsgi",
    "flask-gevent",
    "bottle-meinheld",
    "starlette-uvicorn",
    "quart-uvicorn",
)
"""One of each kind, and both frameworks of the course: these are measured in more rounds."""


@dataclass(frozen=True, slots=True)
class Pair:
    """``name`` is the arm's, ``app`` a file name; ``packages`` are the framework and the driver.

    ``greenlets`` is what the driver waits with: "gevent" or "meinheld". ``environment``: if not the server's.
    """

    name: str
    framework: str
    server: str
    program: ServerProgram
    app: str
    packages: tuple[str, ...]
    greenlets: str = ""
    environment: str = ""

    @property
    def is_sync(self) -> bool:
        """Whether each worker handles one request at a time."""
        return self.program.model is Model.PROCESSES

    @property
    def row(self) -> str:
        """Its name in the article's tables."""
        return f"{self.framework} · {self.server}"

    @property
    def title(self) -> str:
        return self.framework if self.framework == self.server else f"{self.framework} on {self.server}"

    @property
    def driver(self) -> str:
        return "psycopg2" if self.framework in _WSGI else "asyncpg"


_KILLED: Final = ("SIGKILL",)
"""Nothing of a trial is kept, and an orderly shutdown of nineteen interpreters takes seconds."""
_NOTE: Final = "Imported once, before the workers are forked; each request opens its own session."


def _preloaded(name: str) -> ServerProgram:
    """Fork workers from a process that has imported the app: many of them start as fast as one."""
    program = PROGRAMS[name]
    is_lazy = "--lazy-apps" in program.command
    command = program.command.replace(" --lazy-apps", "") if is_lazy else f"{program.command} --preload"
    notes = (*(note for note in program.notes if "lazy-apps" not in note), _NOTE)
    return replace(program, command=command, endings=_KILLED, notes=notes)


_SERVERS: Final[Mapping[str, tuple[ServerProgram, str]]] = {
    "Meinheld": (_preloaded("gunicorn-meinheld"), "meinheld"),
    "Gevent": (replace(PROGRAMS["gunicorn-gevent"], endings=_KILLED), "gevent"),
    "Gunicorn": (_preloaded("gunicorn-sync"), ""),
    "uWSGI": (_preloaded("uwsgi"), ""),
    "Sanic": (PROGRAMS["sanic"], ""),
    "Uvicorn": (PROGRAMS["uvicorn"], ""),
    "Aiohttp": (PROGRAMS["aiohttp"], ""),
    "Tornado": (PROGRAMS["tornado"], ""),
    "Hypercorn": (PROGRAMS["hypercorn"], ""),
}
"""The article's name -> the program, and what greenlets wait with."""
_WSGI: Final = {"Flask", "Bottle", "Falcon"}


def _pair(framework: str, server: str) -> Pair:
    program, greenlets = _SERVERS[server]
    word = framework.lower()
    has_own = program.environment or framework == "Aioflask"
    driver = ("psycopg2-binary",) if framework in _WSGI else ("asyncpg",)
    patch = ("psycogreen",) if greenlets == "gevent" else ()
    return Pair(
        name=f"{word}-{server.lower()}",
        framework=framework,
        server=server,
        program=program,
        app=f"app_{word}.py",
        packages=(word, *driver, *patch) if not has_own else (word, *driver),
        greenlets=greenlets,
        environment="aioflask" if framework == "Aioflask" else "",
    )


PAIRS: Final[Mapping[str, Pair]] = {
    pair.name: pair
    for pair in (_pair(*row[:2]) for row in load_article("twenty-one-pairs").table("results").rows)
}
"""In the order of the article, which is by throughput."""


# -- a pair as a contestant -----------------------------------------------------------------------------

SEND: Final = Send("GET", "/row")
_TIMEOUT_S: Final = 10.0
"""For a request; the slowest that the bounds predict takes less than 1 s."""


@dataclass(frozen=True, slots=True)
class Stacked:
    """A ``Startable`` that runs behind nginx and reaches its database through pgbouncer."""

    stack: Stack
    served: ServedApp
    is_sync: bool

    @property
    def name(self) -> str:
        return self.served.name

    def start(self, knobs: Knobs) -> Running:
        """``knobs`` are a ``Configuration``'s and the app's. Raises NotStarted, Unavailable."""
        rest = dict(knobs)
        sync, many = int(rest.pop("workers_sync")), int(rest.pop("workers_async"))
        workers = sync if self.is_sync else many
        each, all_together = int(rest.pop("sessions_per_worker", 0)), int(rest.pop("sessions", 0))
        try:
            self.stack.limit_sessions(each * workers or all_together)
        except ServiceError as error:
            raise NotStarted(str(error)) from error
        # Start workers on all processors, which takes half the time on two, and then restrict them to theirs.
        with running_on(self.stack.processors) as own:
            server = self.served.start({**rest, "workers": workers})
        keep_to(own, server.pids())
        server.stand_behind(self.stack.port, self.stack.died)
        return server


def contestant(
    stack: Stack, pair: Pair, apps: Path, on_progress: OnProgress = ignore_progress, rounds: int | None = None
) -> Contestant:
    """``apps`` is the folder with ``pair.app``. ``rounds`` limits in how many rounds it takes part."""
    program, port = pair.program, stack.server_port
    served = ServedApp(
        pair.name,
        program,
        apps / pair.app,
        pair.packages,
        pair.environment,
        on_progress=on_progress,
        free_port=lambda: port,
    )
    versions, notes = served.own_versions, (*program.notes, f"Driver: {pair.driver}.")
    arm = Arm(
        pair.name, pair.title, program.model, pair.framework, program.title, versions=versions, notes=notes
    )
    knobs = {"greenlets": pair.greenlets} if pair.greenlets else {}
    return Contestant(arm, Stacked(stack, served, pair.is_sync), knobs, rounds=rounds)


def condition(
    stack: Stack,
    name: str,
    title: str,
    configuration: Configuration,
    arms: tuple[str, ...] = (),
    rounds: int | None = None,
    in_full: bool = True,
) -> Condition:
    """Make a closed loop of its clients. ``in_full`` adds the check that needs its own visit beforehand."""
    setting = Setting(name, title, Loop.CLOSED, (), clients=configuration.clients, timeout_s=_TIMEOUT_S)
    # expect a table row as JSON, through nginx if present: only nginx names itself as the server
    headers = {"content-type": "application/json", **({"server": "nginx"} if stack.proxy else {})}
    checks = [
        answer_check(SEND, "a row of the table", is_row, headers=headers),
        # a master process does not answer
        _set_check("workers", lambda scene: len(scene.started.workers()), configuration.workers),
    ]
    if pooler := stack.pooler:
        what, asked = "sessions that pgbouncer allows", configuration.sessions_of
        checks.append(_set_check(what, lambda _: pooler.allowed(), asked))
    if in_full:
        checks.append(_sessions_check(stack, configuration))
    return Condition(
        setting,
        (SEND,),
        knobs=configuration.knobs,
        arms=arms,
        checks=tuple(checks),
        counts=(Count("db_sessions", lambda _: _sessions(stack)),),
        rounds=rounds,
    )


def _sessions(stack: Stack) -> float:
    """Return 0 if the stack has died: the trial reports that itself a moment later."""
    try:
        return stack.sessions()
    except ServiceError:
        return 0.0


def is_row(body: bytes) -> bool:
    """Check that the row holds a number and the digest of its digits."""
    try:
        row = json.loads(body)
        number = int(row["a"])
    except (ValueError, KeyError, TypeError):
        return False
    digest = hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()
    return 1 <= number <= ROWS and row == {"a": f"{number:010}", "b": digest}


def _is_sync(scene: Scene) -> bool:
    return scene.arm.model is Model.PROCESSES


def _set_check(what: str, count: Callable[[Scene], int], asked: Callable[[bool], int]) -> Check:
    """``asked`` is the configuration's number for a sync server, or another."""

    def look(scene: Scene) -> Seen:
        there, wanted = count(scene), asked(_is_sync(scene))
        return Seen(f"{there} for {wanted}", there == wanted)

    return Check(what, "as many as are set", look, always=True)


def _sessions_check(stack: Stack, configuration: Configuration) -> Check:
    """A sync server has one for each worker, if the limit allows; the others have at most the limit."""

    def look(scene: Scene) -> Seen:
        there, limit = int(stack.sessions()), configuration.sessions_of(_is_sync(scene))
        if _is_sync(scene):
            limit = min(limit, configuration.workers_sync)
        return Seen(f"{there} of {limit}", 0 < there <= (limit if stack.pooler else there))

    return Check("sessions with PostgreSQL", "some, and no more than are allowed", look, When.LOADED)
