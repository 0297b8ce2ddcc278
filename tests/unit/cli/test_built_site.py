"""The server of the built site: what it hands out, to whom, and what it says of everything else."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from asyncdemo.cli import built_site
from asyncdemo.cli.built_site import BuiltSiteServer, find_site
from asyncdemo.errors import MissingError

SITE = {
    "index.html": b"<title>Start</title>",
    "404.html": b"<title>Not here</title>",
    "lessons/two-sleeps.html": b"<title>Two sleeps</title>",
    "lessons/runs/two-sleeps.jsonl.gz": b"\x1f\x8b",
    "assets/site.js": b"'use strict'",
    "assets/site.css": b"body {}",
    "assets/logo.svg": b"<svg/>",
    "search/search_index.json": b"{}",
}


def build(folder: Path) -> Path:
    for name, content in SITE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
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


@dataclass(frozen=True)
class Answer:
    status: int
    kind: str
    body: bytes
    policy: str = field(default="", compare=False)


def ask(server: BuiltSiteServer, path: str, host: str | None = None, method: str = "GET") -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.request(method, path, headers={} if host is None else {"Host": host})
    response = connection.getresponse()
    headers = response.headers
    policy = headers.get("Content-Security-Policy", "")
    answer = Answer(response.status, headers.get("Content-Type", ""), response.read(), policy)
    connection.close()
    return answer


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/lessons/two-sleeps.html", "text/html; charset=utf-8"),
        ("/assets/site.js", "text/javascript; charset=utf-8"),
        ("/assets/site.css", "text/css; charset=utf-8"),
        ("/assets/logo.svg", "image/svg+xml; charset=utf-8"),
        ("/search/search_index.json", "application/json; charset=utf-8"),
        ("/lessons/runs/two-sleeps.jsonl.gz", "application/gzip"),
    ],
)
def test_a_file_is_handed_out_as_what_it_is(server: BuiltSiteServer, path: str, kind: str) -> None:
    assert ask(server, path) == Answer(200, kind, SITE[path.removeprefix("/")])


@pytest.mark.parametrize("path", SITE)
def test_no_other_site_frames_it_and_files_come_with_a_policy(server: BuiltSiteServer, path: str) -> None:
    """A page brings its own; what a worker may load is told by the header that it came with."""
    sent = ask(server, f"/{path}").policy.split("; ")
    assert sent[0] == "frame-ancestors 'self'"
    assert ("default-src 'self'" in sent) is not path.endswith(".html")


def test_the_address_is_that_of_the_first_page_on_the_loopback(server: BuiltSiteServer) -> None:
    assert server.server_address == ("127.0.0.1", server.server_port)
    assert server.address == f"http://127.0.0.1:{server.server_port}/"
    assert ask(server, "/").body == SITE["index.html"]
    assert ask(server, "/?q=semaphore").body == SITE["index.html"]


@pytest.mark.parametrize(
    "path",
    ["/nothing.html", "/lessons/", "/assets/", "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt"],
)
def test_what_is_no_page_gets_the_page_that_says_so(server: BuiltSiteServer, path: str) -> None:
    """A folder is none either: nothing is listed, and nothing outside of the site is reached."""
    assert ask(server, path) == Answer(404, "text/html; charset=utf-8", SITE["404.html"])
    assert ask(server, path, method="HEAD") == Answer(404, "text/html; charset=utf-8", b"")


def test_a_site_without_such_a_page_says_it_too(server: BuiltSiteServer, tmp_path: Path) -> None:
    (tmp_path / "site" / "404.html").unlink()
    assert ask(server, "/nothing.html").status == 404


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_asked_by_either_name(server: BuiltSiteServer, host: str) -> None:
    assert ask(server, "/", f"{host}:{server.server_port}").status == 200


def test_a_browser_does_not_name_the_usual_port(
    server: BuiltSiteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(server, "/", "localhost").status == 421
    monkeypatch.setattr(built_site, "HTTP_PORT", server.server_port)
    assert ask(server, "/", "localhost").status == 200
    assert ask(server, "/", "example.org").status == 421


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "host", ["example.org", "example.org:{port}", "127.0.0.1", "localhost:{port}.example.org", ""]
)
def test_a_question_for_another_host_is_refused(server: BuiltSiteServer, host: str, method: str) -> None:
    """A page from elsewhere can let its own name mean this machine, and would then read what is served."""
    answer = ask(server, "/", host.format(port=server.server_port), method)
    assert answer.status == 421
    assert b"Start" not in answer.body


def test_a_port_that_is_taken_is_not_shared(server: BuiltSiteServer, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"in use|denied|only one usage"):
        BuiltSiteServer(tmp_path, server.server_port)


# -- where it is -----------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "checkout" / "src" / "asyncdemo"
    folder.mkdir(parents=True)
    monkeypatch.setattr(built_site, "__file__", str(folder / "cli" / "built_site.py"))
    return folder


def test_the_site_in_the_package_comes_first(package: Path) -> None:
    checkout = package.parents[1]
    (checkout / "mkdocs.yml").touch()
    build(checkout / "site")
    assert find_site() == checkout / "site"
    build(package / "_site")
    assert find_site() == package / "_site"


def test_a_checkout_without_one_names_the_command_that_builds_it(package: Path) -> None:
    (package.parents[1] / "mkdocs.yml").touch()
    with pytest.raises(MissingError, match=r"not built yet. In .*checkout: make docs"):
        find_site()


def test_another_folder_named_site_is_not_taken_for_it(package: Path) -> None:
    build(package.parents[1] / "site")
    with pytest.raises(MissingError, match=r"This installation came without the docs site.*make wheel"):
        find_site()
