"""Contestants for the tests: hello world on each server, and servers that misbehave."""

from __future__ import annotations

import os
import shlex
import sys
import time
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.results.setup import Model
from asyncdemo.lab.servers import PROGRAMS, App, Interface, Program

APPS: Final = Path(__file__).with_name("apps")
FILES: Final = {
    Interface.WSGI: "wsgi.py",
    Interface.ASGI: "asgi.py",
    Interface.SANIC: "in_sanic.py",
    Interface.TORNADO: "in_tornado.py",
    Interface.KLEIN: "in_klein.py",
    Interface.CYCLONE: "in_cyclone.py",
    Interface.AIOHTTP: "in_aiohttp.py",
}
WITH_FLASK: Final = ("flask", "flask-threaded")


def hello(program: str, interface: Interface) -> ServedApp:
    file = "in_flask.py" if program in WITH_FLASK else FILES[interface]
    return ServedApp(program, PROGRAMS[program], App(APPS / file, interface))


def script(folder: Path, text: str, *more: str) -> ServedApp:
    """A contestant that is a script of this text: its arguments are its port, and more."""
    file = folder / "script.py"
    file.write_text(text, encoding="utf-8")

    command = f"python {file} {{port}} {shlex.join(more)}"
    program = Program("script", "A script", Model.THREADS, (Interface.WSGI,), (), command)
    return ServedApp("script", program, App(file, Interface.WSGI), deadline_s=30.0)


def get(port: int, path: str = "/") -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as response:
        return str(response.read().decode())


def get_once_it_listens(port: int) -> str:
    end_s = time.monotonic() + 60
    while True:
        try:
            return get(port)
        except OSError:
            if time.monotonic() > end_s:
                raise
            time.sleep(0.05)


def alive(pids: Iterable[int]) -> list[int]:
    """Those that run; a zombie does not."""
    return [pid for pid in pids if _state(pid) not in {"", "Z"}]


def _state(pid: int) -> str:
    if sys.platform != "linux":
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return ""
        return "R"
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return ""


def wait_until_gone(pids: Iterable[int]) -> list[int]:
    """Those that are still there after a long time."""
    end_s = time.monotonic() + 30
    while (left := alive(pids)) and time.monotonic() < end_s:
        time.sleep(0.02)
    return left
