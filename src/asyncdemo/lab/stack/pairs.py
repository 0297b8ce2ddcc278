"""The twenty-one pairs of framework and server: what serves each app, and what makes its greenlets yield.

Not here: starting them (see ``start``), or their apps, which are in the folder of their lesson.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers import PROGRAMS, Program

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
    program: Program
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


def _preloaded(name: str) -> Program:
    """Fork workers from a process that has imported the app: many of them start as fast as one."""
    program = PROGRAMS[name]
    is_lazy = "--lazy-apps" in program.command
    command = program.command.replace(" --lazy-apps", "") if is_lazy else f"{program.command} --preload"
    notes = (*(note for note in program.notes if "lazy-apps" not in note), _NOTE)
    return replace(program, command=command, endings=_KILLED, notes=notes)


_SERVERS: Final[Mapping[str, tuple[Program, str]]] = {
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
