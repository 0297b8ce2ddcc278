"""``asyncdemo docs``: the docs site in a browser, served by this machine for this machine."""

from __future__ import annotations

import io
import os
import socketserver
import sys
import threading
import webbrowser
from functools import partial
from http import HTTPStatus
from http.client import HTTP_PORT
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from asyncdemo.errors import MissingError, UsageError

PORT: Final = 8765
_HOST: Final = "127.0.0.1"
_NAMES: Final = (_HOST, "localhost")
_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".jsonl": "application/x-ndjson; charset=utf-8",
    ".map": "application/json; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".xml": "application/xml; charset=utf-8",
    ".zip": "application/zip",
}
"""Not the system's table, which differs from machine to machine."""
_IDLE_S: Final = 60
"""A connection that sends or reads nothing for this long is closed, and its thread ends."""
_POLICY: Final = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'"
"""For files that a page loads: a worker has the policy from its own response. Pages contain theirs."""


@click.command("docs", short_help="Open the docs site, served from this machine.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help=f"The port to serve on; 0 picks a free one. By default {PORT}, or a free one if it is taken.",
)
def command(port: int | None) -> None:
    """Serve the docs site: every lesson with its recorded timeline. Needs no internet; runs until Ctrl-C.

    The site is visible from this machine only, and opens in the browser if there is one.
    """
    with _serve(find_site(), port) as server:
        click.echo(f"The docs site: {server.address}")
        click.echo("To stop it, press Ctrl-C.")
        sys.stdout.flush()
        if _has_screen():
            # In a thread, because some browsers return only when they are closed.
            threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
        server.serve_forever()


def _serve(folder: Path, port: int | None) -> BuiltSiteServer:
    try:
        return BuiltSiteServer(folder, PORT if port is None else port)
    except OSError as error:
        if port is not None:
            raise UsageError(
                f"Port {port} is not available: {error.strerror}. To use a free one: asyncdemo docs --port 0"
            ) from None
        return BuiltSiteServer(folder, 0)


def _has_screen() -> bool:
    """Return whether a browser window would be visible here. A text browser would be in the way."""
    if not sys.stdout.isatty():
        return False
    if sys.platform == "darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def find_site() -> Path:
    """Return the site's folder: in the installed package, or built by ``make docs`` in the checkout.

    Raises MissingError, with the command that builds it.
    """
    package = Path(__file__).resolve().parents[1]
    checkout = package.parents[1]
    places = [package / "_site"]
    if (checkout / "mkdocs.yml").is_file():
        places.append(checkout / "site")
    for place in places:
        if (place / "index.html").is_file():
            return place
    if len(places) > 1:
        raise MissingError(f"The docs site is not built yet. In {checkout}: make docs")
    raise MissingError(
        "This installation has no docs site. In a checkout of asyncdemo, `make docs` builds the site, and "
        "`make wheel` builds a package that includes it."
    )


class BuiltSiteServer(ThreadingHTTPServer):
    """Serves one folder on the loopback. Port 0 is a free one. Raises OSError if the port is taken."""

    daemon_threads = True
    allow_reuse_address = True
    allow_reuse_port = False

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__((_HOST, port), partial(_Handler, directory=str(folder)))

    @property
    def address(self) -> str:
        return f"http://{_HOST}:{self.server_port}/"

    def server_bind(self) -> None:
        # Skip HTTPServer's DNS lookup of our name, which takes long without internet access.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = _HOST, self.socket.getsockname()[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A browser may disconnect during a response, or stop reading it.
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(SimpleHTTPRequestHandler):
    server: BuiltSiteServer
    timeout = _IDLE_S

    def do_GET(self) -> None:
        if self._is_for_us():
            super().do_GET()

    def do_HEAD(self) -> None:
        if self._is_for_us():
            super().do_HEAD()

    def _is_for_us(self) -> bool:
        """Check the Host header: another site can point its own name at this machine, but not change this."""
        port = self.server.server_port
        named = [f"{name}:{port}" for name in _NAMES]
        if port == HTTP_PORT:  # browsers omit it
            named += _NAMES
        if self.headers.get("Host") in named:
            return True
        self.send_error(HTTPStatus.MISDIRECTED_REQUEST, explain=f"Ask for {self.server.address}")
        return False

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        try:
            return super().send_head()
        except ValueError:  # a path with a NUL, which no file can have
            self.send_error(HTTPStatus.NOT_FOUND)
            return None

    def list_directory(self, path: str | os.PathLike[str]) -> None:  # noqa: ARG002  (there are no listings)
        self.send_error(HTTPStatus.NOT_FOUND)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory, "404.html")
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", _KINDS[".html"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_header(self, keyword: str, value: str) -> None:
        super().send_header(keyword, value)
        if keyword.lower() == "content-type":
            more = "" if value == _KINDS[".html"] else f"; {_POLICY}"
            super().send_header("Content-Security-Policy", f"frame-ancestors 'self'{more}")

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")  # the site may be rebuilt meanwhile
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        return _KINDS.get(Path(path).suffix, "application/octet-stream")

    def log_message(self, *_: object) -> None:
        """Write nothing: the terminal is the user's."""
