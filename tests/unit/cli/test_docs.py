"""The server of the built site: what it hands out, to whom, and what it says of everything else."""

from __future__ import annotations

import http.client
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from asyncdemo.cli import docs
from asyncdemo.cli.docs import BuiltSiteServer, find_site
from asyncdemo.errors import MissingError

KINDS = {
    "index.html": "text/html; charset=utf-8",
    "404.html": "text/html; charset=utf-8",
    "lessons/two-sleeps.html": "text/html; charset=utf-8",
    "lessons/runs/two-sleeps.jsonl.gz": "application/gzip",
    "assets/site.js": "text/javascript; charset=utf-8",
    "assets/site.css": "text/css; charset=utf-8",
    "assets/logo.svg": "image/svg+xml; charset=utf-8",
    "search/search_index.json": "application/json; charset=utf-8",
}


def build(folder: Path) -> Path:
    for name in KINDS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"this is {name}")
    return folder


@pytest.fixture
def server(tmp_path: Path) -> Iterator[BuiltSiteServer]:
    (tmp_path / "secret.txt").write_text("not of the site")
    with BuiltSiteServer(build(tmp_path / "site"), 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Answer(NamedTuple):
    status: int
    kind: str
    body: str


def ask(
    server: BuiltSiteServer, path: str, host: str | None = None, method: str = "GET"
) -> tuple[Answer, str]:
    """Also returns the policy that came with it."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.request(method, path, headers={} if host is None else {"Host": host})
    response = connection.getresponse()
    headers = response.headers
    answer = Answer(response.status, headers.get("Content-Type", ""), response.read().decode())
    connection.close()
    return answer, headers.get("Content-Security-Policy", "")


def test_files_are_handed_out_as_what_they_are_and_with_a_policy(server: BuiltSiteServer) -> None:
    """A page brings its own policy; what a worker may load is in the header that it came with."""
    for path, kind in KINDS.items():
        answer, policy = ask(server, f"/{path}")
        assert answer == (200, kind, f"this is {path}")
        assert policy.split("; ")[0] == "frame-ancestors 'self'"
        assert ("default-src 'self'" in policy) is not path.endswith(".html")
    assert server.server_address == ("127.0.0.1", server.server_port)
    assert server.address == f"http://127.0.0.1:{server.server_port}/"
    for path in ("/", "/?q=semaphore"):
        assert ask(server, path)[0].body == "this is index.html"


def test_what_is_no_page_gets_the_page_that_says_so(server: BuiltSiteServer, tmp_path: Path) -> None:
    """A folder is none either: nothing is listed, and nothing outside of the site is reached."""
    missing = "this is 404.html"
    outside = ("/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt")
    for path in ("/nothing.html", "/lessons/", "/assets/", *outside):
        for method, body in (("GET", missing), ("HEAD", "")):
            assert ask(server, path, method=method)[0] == (404, KINDS["404.html"], body)
    (tmp_path / "site" / "404.html").unlink()
    assert ask(server, "/nothing.html")[0].status == 404


def send(server: BuiltSiteServer, data: bytes, half_open: bool = False) -> bytes:
    """Return everything that comes back until the server closes the connection."""
    with socket.create_connection(server.server_address, timeout=60) as connection:  # type: ignore[arg-type]
        connection.sendall(data)
        if not half_open:
            connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET /%00 HTTP/1.1", 404),
        (b"HEAD /assets/%00/site.js HTTP/1.1", 404),
        (b"GET /index.html%00.js HTTP/1.1", 404),
        (b"GET /" + b"a" * 5_000 + b" HTTP/1.1", 404),
        (b"GET /" + b"a/" * 20_000 + b" HTTP/1.1", 404),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1", 414),
        (b"GET /%ff%fe HTTP/1.1", 404),
        (b"GET /" + b"..%2f" * 9 + b"etc/passwd HTTP/1.1", 404),
        (b"GET \xff\xfe HTTP/1.1", 404),
        (b"GET http://example.org/ HTTP/1.1", 404),
        (b"POST / HTTP/1.1", 501),
        (b"\x1b]0;x\x07 / HTTP/1.1", 501),
        (b"GET / HTTP/9.9", 505),
        (b"GET / HTTP/x", 400),
        (b"GET", 400),
        (b"\x16\x03\x01\x02\x00", 400),
    ],
)
def test_every_request_gets_an_answer_and_no_traceback(
    server: BuiltSiteServer, capfd: pytest.CaptureFixture[str], request_line: bytes, status: int
) -> None:
    host = f"Host: 127.0.0.1:{server.server_port}\r\n\r\n".encode()
    answer = send(server, request_line + b"\r\n" + host)
    assert re.match(rb"HTTP/1\.0 (\d+) ", answer) or status in {400, 505}
    assert str(status).encode() in answer.partition(b"\n\n")[0][:2_000]
    assert b"this is index" not in answer and b"root:" not in answer
    assert capfd.readouterr() == ("", "")
    assert ask(server, "/")[0].status == 200


def test_connection_that_sends_half_a_request_is_closed(
    server: BuiltSiteServer, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docs._Handler, "timeout", 0.1)
    assert send(server, b"GET / HTTP/1.1\r\nHost: ", half_open=True) == b""
    assert capfd.readouterr() == ("", "")


def test_only_questions_for_this_machine_are_answered(
    server: BuiltSiteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page from elsewhere can let its own name mean this machine, and would then read what is served."""
    port = server.server_port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert ask(server, "/", host)[0].status == 200
    others = ("example.org", f"example.org:{port}", f"localhost:{port}.example.org", "")
    for host in (*others, "127.0.0.1", "localhost"):
        for method in ("GET", "HEAD"):
            answer, _ = ask(server, "/", host, method)
            assert answer.status == 421
            assert "this is" not in answer.body
    monkeypatch.setattr(docs, "HTTP_PORT", port)  # which a browser does not name
    assert ask(server, "/", "localhost")[0].status == 200
    assert ask(server, "/", "example.org")[0].status == 421


def test_a_port_that_is_taken_is_not_shared(server: BuiltSiteServer, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"in use|denied|only one usage"):
        BuiltSiteServer(tmp_path, server.server_port)


def test_site_is_in_the_package_or_built_in_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = tmp_path / "checkout"
    package = checkout / "src" / "asyncdemo"
    package.mkdir(parents=True)
    monkeypatch.setattr(docs, "__file__", str(package / "cli" / "docs.py"))
    build(checkout / "site")  # any folder may have this name
    with pytest.raises(MissingError, match=r"This installation has no docs site.*make wheel"):
        find_site()
    (checkout / "mkdocs.yml").touch()
    assert find_site() == checkout / "site"
    build(package / "_site")
    assert find_site() == package / "_site"
    for page in checkout.rglob("index.html"):
        page.unlink()
    with pytest.raises(MissingError, match=r"not built yet. In .*checkout: make docs"):
        find_site()
