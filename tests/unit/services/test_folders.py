"""Folders of servers: gone with them, and reached by whom they run as."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import psutil
import psycopg
import pytest

from asyncdemo.services import Services, choose
from asyncdemo.services.accounts import Account
from asyncdemo.services.folders import ServerFolder
from asyncdemo.services.hosted import Hosted
from asyncdemo.services.postgres.cluster import Cluster
from tests.support.servers import (
    MARK,
    eventually,
    host_of,
    marked_processes,
    needs_embedded_postgres,
    postgres_environ,
    postgres_folders,
)

root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")

SOMEBODY = Account("somebody", 64123, 64123)


def test_a_folder_is_ours_alone(temporary: Path) -> None:
    folder = ServerFolder(None)
    (folder.path / "data").mkdir()
    assert postgres_folders(temporary) == [folder.path]
    assert folder.path.stat().st_mode & 0o077 == 0
    folder.close()
    assert postgres_folders(temporary) == []


def left_folder(temporary: Path, name: str, **changes: object) -> Path:
    """A folder whose owner has ended; ``changes`` are made in its record."""
    folder = ServerFolder(None)
    (folder.own / "file").touch()
    record = json.loads((folder.path / "owner.json").read_text())
    record["owner"][1] += 1000  # when it started: its id belongs to another process now
    (folder.path / "owner.json").write_text(json.dumps(record | changes))
    return folder.path.rename(temporary / f"asyncdemo-server-{name}")


def age(folder: Path, hours: float) -> None:
    os.utime(folder, (0, time.time() - hours * 3600))


def test_folder_of_an_ended_process_is_removed_at_the_next_start(temporary: Path) -> None:
    left_folder(temporary, "left")
    kept = ServerFolder(None)
    age(kept.path, 48)
    ServerFolder(None).close()
    assert postgres_folders(temporary) == [kept.path]


def test_only_what_is_surely_ours_is_removed(temporary: Path) -> None:
    young = [
        left_folder(temporary, "of-a-container", pids="pid:[1]"),
        left_folder(temporary, "nonsense", boot="?", servers=7),
        left_folder(temporary, "with-a-fifo", boot="?"),
    ]
    (young[2] / "owner.json").unlink()
    os.mkfifo(young[2] / "owner.json")  # reading it would wait for a writer
    elsewhere = left_folder(temporary, "elsewhere", node="elsewhere")
    old = left_folder(temporary, "before-the-start", boot="earlier")
    for folder in (elsewhere, old):
        age(folder, 48)
    ServerFolder(None).close()
    assert set(postgres_folders(temporary)) == {*young, elsewhere}


def test_link_is_not_followed(temporary: Path) -> None:
    target = left_folder(temporary, "target").rename(temporary / "target")
    (temporary / "asyncdemo-server-link").symlink_to(target)
    ServerFolder(None).close()
    assert (target / "own" / "file").exists()


@root
def test_folder_of_another_user_is_left_alone(temporary: Path) -> None:
    folder = left_folder(temporary, "foreign")
    os.chown(folder, SOMEBODY.uid, SOMEBODY.gid)
    age(folder, 48)
    ServerFolder(None).close()
    assert folder.exists()


def test_only_a_server_that_works_in_the_folder_is_killed(temporary: Path) -> None:
    idle = [sys.executable, "-c", "import time; time.sleep(600)"]
    left = left_folder(temporary, "with-servers")
    with ExitStack() as stack:
        servers = []
        for place in (left / "own", Path("/")):
            servers.append(subprocess.Popen(idle, cwd=place))
            stack.callback(servers[-1].wait)
            stack.callback(servers[-1].kill)
        record = json.loads((left / "owner.json").read_text())
        record["servers"] = [[server.pid, psutil.Process(server.pid).create_time()] for server in servers]
        (left / "owner.json").write_text(json.dumps(record))
        ServerFolder(None).close()
        assert [server.poll() is None for server in servers] == [False, True]
        assert not left.exists()


@root
def test_a_servers_user_owns_nothing_but_its_own_folder(temporary: Path) -> None:
    folder = ServerFolder(SOMEBODY)
    owners = {path.name: path.stat().st_uid for path in (folder.path, *folder.path.iterdir())}
    assert owners == {folder.path.name: 0, "own": SOMEBODY.uid, "owner.json": 0}
    assert folder.path.stat().st_mode & 0o777 == 0o711
    folder.close()


@root
@pytest.mark.usefixtures("temporary")
def test_no_link_of_the_servers_user_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its user swaps links to root's files in, wherever a file of the server can be expected."""
    victim = tmp_path / "roots.conf"
    victim.write_text("root's")
    owner = victim.stat().st_uid
    run = Cluster._run

    def hostile_run(cluster: Cluster, name: str, *arguments: str | Path, said: str = "") -> None:
        run(cluster, name, *arguments, said=said)
        if name == "initdb":
            for file in (cluster._data / "pg_hba.conf", cluster._data / "pg_ident.conf"):
                file.unlink()
                file.symlink_to(victim)
            (cluster._data.parent / "programs").symlink_to(tmp_path)

    monkeypatch.setattr(Cluster, "_run", hostile_run)
    cluster = Cluster(Path(choose("postgres", postgres_environ()).where))
    try:
        cluster.start()
    finally:
        cluster.close()
    assert (victim.read_text(), victim.stat().st_uid) == ("root's", owner)
    assert tmp_path.stat().st_uid == owner


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ipcs lists segments differently")
def test_what_a_killed_host_leaves_is_removed_at_the_next_start(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed together with the program that it serves: neither can clean up."""
    mark = secrets.token_hex()
    monkeypatch.setenv(MARK, mark)
    segments = shared_memory()
    with Services(["postgres"], postgres_environ()) as services:
        server = services.pid("postgres")
        assert server is not None
        ours = shared_memory() - segments
        # Any file there would stay.
        assert "/dev/shm" not in Path(f"/proc/{server}/maps").read_text()
        with monkeypatch.context() as patch:
            patch.setattr(Hosted, "_end_orphans", lambda _: None)  # the program is gone, too
            os.kill(host_of(mark), signal.SIGKILL)
            services.close()
        assert ours and psutil.pid_exists(server) and postgres_folders(temporary)
        ServerFolder(None).close()
    assert eventually(lambda: not marked_processes(mark))
    assert not postgres_folders(temporary)
    assert not shared_memory() & ours


def shared_memory() -> set[str]:
    said = subprocess.run(["ipcs", "-m"], capture_output=True, text=True, check=True).stdout
    return {words[1] for line in said.splitlines() if len(words := line.split()) > 5 and words[1].isdigit()}


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
def test_folder_unreachable_for_the_servers_user_is_replaced(temporary: Path) -> None:
    temporary.chmod(0o700)
    folder = ServerFolder(SOMEBODY)
    try:
        assert folder.path.parent in {Path("/tmp"), Path("/var/tmp")}
        assert folder.own.stat().st_uid == SOMEBODY.uid
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
