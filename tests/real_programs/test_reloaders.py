"""Servers that start themselves again when their source changes: traced they can too, and end by Ctrl-C."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import urllib.request
import uuid
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.commands import asyncdemo_command, environment
from tests.hostile.traced import MARK, nothing_left, until

pytestmark = pytest.mark.slow

FLASK = """
import os
from flask import Flask

app = Flask(__name__)

@app.get("/")
def index():
    return {"text": "first"}

if __name__ == "__main__":
    app.run(port=int(os.environ["PORT"]), debug=True, reloader_type="stat")
"""
SANIC = """
import os
from sanic import Sanic, response

app = Sanic("Cafe")

@app.get("/")
async def index(request):
    return response.json({"text": "first"})

if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]), auto_reload=True, motd=False)
"""
BY_HAND = """
import http.server, os, sys, threading, time

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"text": "first"}')

server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
began = os.stat(__file__).st_mtime_ns
try:
    while os.stat(__file__).st_mtime_ns == began:
        time.sleep(0.1)
except KeyboardInterrupt:
    raise SystemExit(0)
server.server_close()
os.execv(sys.executable, sys.orig_argv)
"""
SERVERS = {
    "Flask": ("flask", FLASK, ["server.py"], "started itself again"),
    "Flask, -m": ("flask", FLASK, ["-m", "server"], "started itself again"),
    "Sanic": ("sanic", SANIC, ["server.py"], "processes with multiprocessing"),
    "exec": ("http", BY_HAND, ["server.py"], "replaced itself with another program"),
}


@pytest.mark.parametrize("name", SERVERS)
def test_a_reloader_works_as_without_the_tracer(tmp_path: Path, name: str) -> None:
    package, source, target, note = SERVERS[name]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    (tmp_path / "server.py").write_text(source)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    mark, log = uuid.uuid4().hex, tmp_path / "log"
    with nothing_left(mark), log.open("w+") as output:
        server = subprocess.Popen(
            asyncdemo_command("trace", "--plain", *target),
            cwd=tmp_path,
            env=environment(PORT=str(port), PYTHONDONTWRITEBYTECODE="1", **{MARK: mark}),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        try:
            assert until(lambda: _answer(port) == "first"), log.read_text()
            changed = source.replace("first", "second")
            (tmp_path / "server.py").write_text(changed)
            if not until(lambda: _answer(port) == "second", 10):
                os.utime(tmp_path / "server.py")  # it had not looked at its files before they were changed
                assert until(lambda: _answer(port) == "second"), log.read_text()
            server.send_signal(signal.SIGINT)
            assert server.wait(30) == 130, log.read_text()
        finally:
            server.kill()
            server.wait()
    said = " ".join(log.read_text().split())
    assert note in said
    assert "/src/asyncdemo/" not in said


def _answer(port: int) -> str | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as response:
            return str(json.load(response)["text"])
    except (OSError, ValueError, http.client.HTTPException):
        return None  # not there yet, or ended in the middle of its answer, as a reloader does
