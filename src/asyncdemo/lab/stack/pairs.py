"""The twenty-one pairs of framework and server: what serves which app, and what makes its greenlets yield.

Not for: starting them (``opened``), or their apps, which lie in the folder of their lesson.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers import PROGRAMS, Interface, Program

BASE: Final = "flask-gunicorn"
SIX: Final = (
    BASE,
    "falcon-uwsgi",
    "flask-gevent",
    "bottle-meinheld",
    "starlette-uvicorn",
    "quart-uvicorn",
)
"""One of each kind, and the two frameworks of the course: measured in more rounds."""


@dataclass(frozen=True, slots=True)
class Pair:
    """name: of the arm. app: a file. packages: framework, driver.

    greenlets: what the driver waits with, "gevent" or "meinheld". environment: if it is not the server's.
    """

    name: str
    framework: str
    server: str
    program: Program
    app: str
    interface: Interface
    packages: tuple[str, ...]
    greenlets: str = ""
    environment: str = ""

    @property
    def is_sync(self) -> bool:
        """Each worker takes one request at a time."""
        return self.program.model is Model.PROCESSES

    @property
    def row(self) -> str:
        """Its name in the tables of the article."""
        return f"{self.framework} · {self.server}"

    @property
    def title(self) -> str:
        return self.framework if self.framework == self.server else f"{self.framework} on {self.server}"

    @property
    def driver(self) -> str:
        return "psycopg2" if self.interface is Interface.WSGI else "asyncpg"


_KILLED: Final = ("SIGKILL",)
"""Nothing of a trial is kept, and nineteen interpreters that end in order take seconds."""
_NOTE: Final = "Imported once, before the workers are forked; each request opens a session of its own."


def _preloaded(name: str) -> Program:
    """Workers forked from a process that has imported the app: many of them start in the time of one."""
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
"""As the article names them -> the program, and what greenlets wait with."""
_INTERFACES: Final = {
    "Sanic": Interface.SANIC,
    "Aiohttp": Interface.AIOHTTP,
    "Tornado": Interface.TORNADO,
    **dict.fromkeys(("Flask", "Bottle", "Falcon"), Interface.WSGI),
}


def _pair(framework: str, server: str) -> Pair:
    program, greenlets = _SERVERS[server]
    interface = _INTERFACES.get(framework, Interface.ASGI)
    word = framework.lower()
    has_own = program.environment or framework == "Aioflask"
    driver = ("psycopg2-binary",) if interface is Interface.WSGI else ("asyncpg",)
    patch = ("psycogreen",) if greenlets == "gevent" else ()
    return Pair(
        name=f"{word}-{server.lower()}",
        framework=framework,
        server=server,
        program=program,
        app=f"app_{word}.py",
        interface=interface,
        packages=(word, *driver, *patch) if not has_own else (word, *driver),
        greenlets=greenlets,
        environment="aioflask" if framework == "Aioflask" else "",
    )


PAIRS: Final[Mapping[str, Pair]] = {
    pair.name: pair
    for pair in (_pair(*row[:2]) for row in load_article("twenty-one-pairs").table("results").rows)
}
"""In the order of the article, which is that of their throughput."""
