"""Contestants for the tests: hello world on each server, and servers that misbehave."""

from __future__ import annotations

import contextlib
import shlex
import urllib.request
from collections.abc import Collection
from pathlib import Path
from typing import Final

import psutil

from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers import PROGRAMS, ServerProgram
from tests.support.servers import eventually

APPS: Final = Path(__file__).with_name("apps")
_MEASURED: Final = Path(__file__).parents[2] / "lessons" / "07-measurement"
LESSONS: Final = (_MEASURED / "22-hello-world" / "apps", _MEASURED / "23-open-loop" / "apps")


def hello(program: str) -> ServedApp:
    """An app of ours, or of a lesson's for this server; its answer is some hello."""
    name = f"in_{program.removesuffix('-threaded')}.py"
    there = [file for folder in (APPS, *LESSONS) if (file := folder / name).exists()]
    plain = APPS / ("asgi.py" if PROGRAMS[program].model is Model.COROUTINES else "wsgi.py")
    return ServedApp(program, PROGRAMS[program], (there or [plain])[0])


def script(folder: Path, text: str, *more: str) -> ServedApp:
    """A contestant that is a script of this text: its arguments are its port, and more."""
    file = folder / "script.py"
    file.write_text(text, encoding="utf-8")

    command = f"python {file} {{port}} {shlex.join(more)}"
    program = ServerProgram("script", "A script", Model.THREADS, (), command)
    return ServedApp("script", program, file, deadline_s=30.0)


def get(port: int, path: str = "/") -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as response:
        return str(response.read().decode())


def get_once_it_listens(port: int) -> str:
    assert eventually(lambda: _listens(port), 60)
    return get(port)


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError):
        return bool(get(port))
    return False


def alive(pids: Collection[int]) -> list[int]:
    """Those that run; a zombie does not."""
    return [pid for pid in pids if _status(pid) != psutil.STATUS_ZOMBIE]


def _status(pid: int) -> str:
    try:
        return str(psutil.Process(pid).status())
    except psutil.NoSuchProcess:
        return str(psutil.STATUS_ZOMBIE)


def wait_until_gone(pids: Collection[int]) -> list[int]:
    """Those that are still there after a long time."""
    eventually(lambda: not alive(pids))
    return alive(pids)
