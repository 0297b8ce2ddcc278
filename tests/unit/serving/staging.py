"""Real servers for sessions, small ones, and a way to run a session that looks at it while it runs.

Not for: what is expected of them; the tests say that.
"""

from __future__ import annotations

import os
import textwrap
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from asyncdemo.load import Plan, Send
from asyncdemo.model import Run
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Stdout, Target
from asyncdemo.serving import RunContext, Session

FLASK = """
import os, sys, time
from flask import Flask, request

PORT = int(os.environ.get("PORT", "8000"))
SLEEPS_S = 0.01
app = Flask("tea")


@app.post("/upload")
def upload():
    time.sleep(SLEEPS_S)
    return {"bytes": len(request.get_data())}


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=PORT, threaded=True)
"""

SANIC = """
import asyncio, os, sys
from sanic import Sanic, json

PORT = int(os.environ.get("PORT", "8000"))
SLEEPS_S = 0.01
app = Sanic("tea")


@app.post("/upload")
async def upload(request):
    await asyncio.sleep(SLEEPS_S)
    return json({"bytes": len(request.body)})


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=PORT, single_process=True, access_log=False)
"""

SLEEPS = "SLEEPS_S = 0.01"

PATIENCE_S = 60.0
"""A test that waits this long has found a hang."""


def script(folder: Path, text: str, name: str = "server.py") -> Path:
    file = folder / name
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return file


def plan(requests: int = 10, clients: int = 5, **more: object) -> Plan:
    given: dict[str, object] = {
        "host": "127.0.0.1",
        "port": 1,
        "sends": (Send("POST", "/upload", (("Content-Type", "text/plain"),), b"tea"),),
        "requests": requests,
        "clients": clients,
        "report": True,
        "timeout_s": 20.0,
    }
    return Plan(**{**given, **more})  # type: ignore[arg-type]


def options(**more: object) -> Options:
    given: dict[str, object] = {
        "name": "server",
        "lanes": ("upload",),
        "stdin": False,
        "stdout": Stdout.CAPTURE,
        "timeout_s": 40.0,
        "environment": {name: "1" for name in ("PYTHONDONTWRITEBYTECODE",) if name not in os.environ},
    }
    return Options(**{**given, **more})  # type: ignore[arg-type]


def run_session(
    file: Path,
    run_context: RunContext | None = None,
    poke: Callable[[Session], None] = lambda _: None,
    output: OutputBuffer | None = None,
    **more: object,
) -> Run:
    """To its end. poke: called between polls."""
    context = RunContext(plan=plan()) if run_context is None else run_context
    listener = OutputBuffer() if output is None else output
    with closing(Session(Target(str(file)), options(**more), context, listener)) as session:
        session.start()
        session.go()
        end_s = time.monotonic() + PATIENCE_S
        while session.poll(0.02):
            poke(session)
            assert time.monotonic() < end_s, "it hangs"
        return session.result()
