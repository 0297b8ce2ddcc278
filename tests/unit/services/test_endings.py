"""However a program ends, nothing that it started goes on, and no folder is left."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from asyncdemo.services import Services
from tests.support.pairs import crossed
from tests.support.servers import (
    KINDS,
    MARK,
    environ_of,
    eventually,
    host_of,
    marked_processes,
    postgres_environ,
    postgres_folders,
    python_path,
)

pytestmark = pytest.mark.slow

START = "from asyncdemo.services import Services\nservices = Services({names!r})\nservices.start()\n"
ENDINGS = {
    "closes": "services.close()",
    "forgets to close": "",
    "fails": "raise RuntimeError",
    "exits": "raise SystemExit(3)",
    "ends immediately": "import os; os._exit(0)",
    "ends with a thread": "import os, threading; threading.Thread(target=input).start(); os._exit(1)",
}
# However it waits for its end.
WAIT = "print('up', flush=True)\nimport time\ntime.sleep(600)"
SIGNALS = ["SIGKILL", "SIGINT", "SIGTERM", "SIGHUP"]
BOTH = ["redis", "postgres"]


def program(mark: str, script: str, names: list[str], environ: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", START.format(names=names) + script],
        env={**os.environ, **environ, "PYTHONPATH": python_path(), MARK: mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )


def nothing_left(mark: str, temporary: Path) -> bool:
    return eventually(lambda: not marked_processes(mark)) and not postgres_folders(temporary)


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_a_program_that_ends_leaves_nothing(ending: str, temporary: Path) -> None:
    mark = secrets.token_hex()
    with program(mark, ending, BOTH, postgres_environ()) as started:
        assert started.wait(60) in {0, 1, 3}
    assert nothing_left(mark, temporary)


@pytest.mark.parametrize(
    ("service", "kind", "name"), crossed(KINDS, [pytest.param(name, id=name) for name in SIGNALS])
)
def test_a_program_that_is_ended_by_a_signal_leaves_nothing(
    service: str, kind: str, name: str, temporary: Path
) -> None:
    mark = secrets.token_hex()
    with program(mark, WAIT, [service], environ_of(service, kind)) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "up\n"
        assert len(marked_processes(mark)) > 1
        started.send_signal(getattr(signal, name))
        started.wait(60)
    assert nothing_left(mark, temporary)


@pytest.mark.parametrize("after", range(6))
def test_program_killed_while_services_start_leaves_nothing(after: int, temporary: Path) -> None:
    mark = secrets.token_hex()
    with program(mark, WAIT, ["s3", *BOTH], postgres_environ()) as started:
        # As many processes as there are at some moment of the start; of the last, when all has started.
        eventually(lambda: len(marked_processes(mark)) > after, within_s=5)
        os.killpg(started.pid, signal.SIGKILL)
        started.wait(60)
    assert nothing_left(mark, temporary)


def test_a_ctrl_c_of_the_terminal_does_not_reach_them(temporary: Path) -> None:
    mark = secrets.token_hex()
    script = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{WAIT}"
    with program(mark, script, BOTH, postgres_environ()) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "up\n"
        before = set(marked_processes(mark))
        os.killpg(started.pid, signal.SIGINT)
        assert set(marked_processes(mark)) == before
        started.kill()
    assert nothing_left(mark, temporary)


@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)])
def test_a_host_that_is_ended_takes_its_server_along(
    number: int, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = secrets.token_hex()
    monkeypatch.setenv(MARK, mark)
    with Services(["postgres"], postgres_environ()) as services:
        os.kill(host_of(mark), number)
        assert eventually(lambda: services.died() is not None)
        assert "PostgreSQL has died" in str(services.died())
    assert nothing_left(mark, temporary)


def test_a_failure_of_one_ends_the_others(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = secrets.token_hex()
    monkeypatch.setenv(MARK, mark)
    from asyncdemo.errors import ServiceError

    environ = {"ASYNCDEMO_REDIS_URL": "redis://127.0.0.1:1", **postgres_environ()}
    with pytest.raises(ServiceError, match="Redis at redis://127"):
        Services(["s3", "postgres", "redis"], environ).start()
    assert nothing_left(mark, temporary)
