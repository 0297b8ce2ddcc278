"""``make services``: what it says where it cannot install anything."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "servers.sh"
NEEDED = ("sh", "ls", "cat")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A PATH with nothing that would be installed, and somebody who is not root."""
    for name in NEEDED:
        found = shutil.which(name)
        assert found
        (tmp_path / name).symlink_to(found)
    program(tmp_path / "id", "echo 1000")
    return tmp_path


def program(path: Path, does: str) -> None:
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)


def run(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT], env={"PATH": str(path)}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("has_apt", "advice"),
    [
        (True, "Only root may install packages: sudo apt-get install redis-server"),
        (False, "Install redis-server"),
    ],
)
def test_where_it_may_not_install_it_says_what_to_do(path: Path, has_apt: bool, advice: str) -> None:
    if has_apt:
        program(path / "apt-get", "echo must not be called; exit 9")
    done = run(path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(advice)


def test_what_is_there_is_not_installed(path: Path) -> None:
    for name in ("redis-server", "postgres", "pgbouncer", "nginx", "apt-get"):
        program(path / name, "exit 9")
    done = run(path)
    assert (done.returncode, done.stdout) == (0, "Redis, PostgreSQL, pgbouncer and nginx are installed.\n")
