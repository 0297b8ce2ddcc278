"""Folders of servers: gone with them, and reached by whom they run as."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import psycopg
import pytest

from asyncdemo.services import choose
from asyncdemo.services.accounts import Account, ServerFolder
from asyncdemo.services.cluster import Cluster
from tests.support.servers import needs_embedded_postgres, postgres_environ, postgres_folders

root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")

SOMEBODY = Account("somebody", 64123, 64123)


def test_a_folder_is_ours_alone(temporary: Path) -> None:
    folder = ServerFolder(None)
    (folder.path / "data").mkdir()
    assert postgres_folders(temporary) == [folder.path]
    assert folder.path.stat().st_mode & 0o077 == 0
    folder.close()
    assert postgres_folders(temporary) == []


def test_what_a_kill_left_long_ago_goes_unless_its_server_still_runs(temporary: Path) -> None:
    for name, hours, pid in [
        ("young", 1, ""),
        ("old", 48, ""),
        ("ended", 48, "0\n"),
        ("runs", 48, f"{os.getpid()}\n"),
    ]:
        folder = temporary / f"asyncdemo-server-{name}"
        (folder / "data").mkdir(parents=True)
        if pid:
            (folder / "data" / "postmaster.pid").write_text(pid)
        os.utime(folder, (0, time.time() - hours * 3600))
    ServerFolder(None).close()
    assert {path.name for path in postgres_folders(temporary)} == {
        "asyncdemo-server-young",
        "asyncdemo-server-runs",
    }


def test_an_account_reaches_what_is_open_to_all_on_the_whole_way(temporary: Path) -> None:
    (temporary / "bin").mkdir(mode=0o755)
    program = temporary / "bin" / "postgres"
    program.touch(mode=0o755)
    assert SOMEBODY.reaches(program)
    (temporary / "bin").chmod(0o700)
    assert not SOMEBODY.reaches(program)


@root
@needs_embedded_postgres
def test_programs_in_a_folder_of_roots_own_are_copied(temporary: Path) -> None:
    packaged = Path(choose("postgres", postgres_environ()).where)
    private = temporary / "private"
    private.mkdir(mode=0o700)
    install = packaged.parent
    copy = private / install.parent.name / install.name
    shutil.copytree(install, copy, symlinks=True)
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, private / libraries.name)
    cluster = Cluster(copy / "bin")
    try:
        cluster.start()
        with psycopg.connect(
            host="127.0.0.1", port=cluster.port, user="asyncdemo", dbname="postgres"
        ) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        cluster.close()
    assert postgres_folders(temporary) == []
    assert private.stat().st_mode & 0o777 == 0o700


@root
def test_where_the_servers_user_cannot_reach_the_usual_folder_another_is_taken(temporary: Path) -> None:
    temporary.chmod(0o700)
    folder = ServerFolder(SOMEBODY)
    try:
        assert folder.path.parent in {Path("/tmp"), Path("/var/tmp")}
        assert folder.path.stat().st_uid == SOMEBODY.uid
    finally:
        folder.close()
    assert not folder.path.exists()


@root
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells what a process was given")
@pytest.mark.usefixtures("temporary")
def test_the_servers_user_is_given_nothing_of_roots_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMEBODYS_PASSWORD", "correct horse battery staple")
    cluster = Cluster(Path(choose("postgres", postgres_environ()).where))
    try:
        cluster.start()
        given = Path(f"/proc/{cluster.pid}/environ").read_bytes()
        assert b"PATH=" in given
        assert b"battery" not in given
    finally:
        cluster.close()
