"""``asyncdemo docs``: where it serves the site, how it ends, and what it says if its port is taken."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.commands import ROOT, asyncdemo_command, environment, in_process
from tests.cli.terminals import Terminal


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the path with a copy of the package, which carries a site of one page."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(
        ROOT / "src" / "asyncdemo",
        folder / "asyncdemo",
        ignore=shutil.ignore_patterns("__pycache__", "_site", "site"),
    )
    site = folder / "asyncdemo" / "_site"
    site.mkdir()
    (site / "index.html").write_text("<title>The course</title>")
    return folder


@contextmanager
def serving(installed: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the address that it prints."""
    with subprocess.Popen(
        asyncdemo_command("docs", *arguments),
        env=environment(PYTHONPATH=str(installed)),
        cwd=installed,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdout is not None
        try:
            line = started.stdout.readline()
            match = re.fullmatch(r"The docs site: (http://127\.0\.0\.1:\d+/)\n", line)
            assert match, line
            assert started.stdout.readline() == "To stop it, press Ctrl-C.\n"
            yield started, match[1]
        finally:
            started.kill()


def page(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return str(answer.read().decode())


def test_servers_have_their_own_ports_and_end_silently_by_signal(installed: Path) -> None:
    """The usual port is taken, by the first one or by something else before."""
    with serving(installed) as (first, address), serving(installed) as (second, other):
        assert address != other
        assert page(address) == page(other) == "<title>The course</title>"
        for started, number, code in ((first, signal.SIGINT, 130), (second, signal.SIGTERM, 130)):
            started.send_signal(number)
            assert started.wait(60) == code
            out, errors = started.communicate()
            assert (out, errors.strip()) == ("", "")


def test_a_port_that_was_asked_for_and_is_taken_is_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asyncdemo.cli.docs.find_site", lambda: tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = in_process("docs", "--port", str(port))
    assert done.code == 2
    assert f"Port {port} is not available" in done.err


@pytest.mark.parametrize(
    ("screen", "opens"),
    [({"DISPLAY": ":7"}, True), ({}, False)],
)
def test_the_browser_opens_where_there_is_a_screen(
    installed: Path, tmp_path: Path, screen: dict[str, str], opens: bool
) -> None:
    if sys.platform == "darwin":
        pytest.skip("there is always a screen")
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\necho "$1" > {tmp_path}/opened.new; mv {tmp_path}/opened.new {tmp_path}/opened\n'
    )
    browser.chmod(0o755)
    variables = {"DISPLAY": "", "WAYLAND_DISPLAY": "", **screen, "BROWSER": str(browser)}
    with Terminal("docs", "--port", "0", PYTHONPATH=str(installed), **variables) as terminal:  # type: ignore[arg-type]
        terminal.wait_for("To stop it, press Ctrl-C.")
        address = re.search(r"http://127\.0\.0\.1:\d+/", terminal.text)
        assert address is not None
        if opens:
            terminal.wait_until((tmp_path / "opened").exists)
            assert (tmp_path / "opened").read_text().strip() == address[0]
        page(address[0])
        terminal.type("\x03")
        assert terminal.end() == 130
    assert (tmp_path / "opened").exists() is opens
