"""The server programs of the lab, by name, and contestants made of one of them and an app.

Not for: starting a process and looking after it (``launching``).
"""

from __future__ import annotations

from asyncdemo.lab.servers.asgi import ASGI_SERVERS
from asyncdemo.lab.servers.gunicorn import GUNICORN
from asyncdemo.lab.servers.own import OWN
from asyncdemo.lab.servers.program import (
    BACKLOG,
    CONNECTIONS,
    App,
    Asked,
    Command,
    Interface,
    Loop,
    Program,
    shown,
)
from asyncdemo.lab.servers.uwsgi import UWSGI

__all__ = [
    "BACKLOG",
    "CONNECTIONS",
    "PROGRAMS",
    "App",
    "Asked",
    "Command",
    "Interface",
    "Loop",
    "Program",
    "shown",
]

PROGRAMS = {program.name: program for program in (*GUNICORN, UWSGI, *ASGI_SERVERS, *OWN)}
"""Name -> program."""
