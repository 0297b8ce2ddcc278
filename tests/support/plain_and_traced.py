"""Runs a script as plain ``python`` and under the tracer, with the same pipes, to compare the two.

The interpreter is that of the tests, or the one that ``ASYNCDEMO_TEST_PYTHON`` names: the tracer needs
nothing but the standard library, so other versions can be tried without installing anything in them.
"""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

from asyncdemo.model import Run
from asyncdemo.recording.runner import Options, Target, record
from tests.support.streams import own_pipes

PYTHON = os.environ.get("ASYNCDEMO_TEST_PYTHON", sys.executable)
LIMIT_S = 60.0

_SRC = Path(__file__).parents[2] / "src"

# For another interpreter: records with its process' own stdin, stdout and stderr, and saves the run.
_TRACE = """\
import pickle, sys
from pathlib import Path
src, wanted, saved = sys.argv[1:]
sys.path.insert(0, src)
from asyncdemo.recording.runner import record
Path(saved).write_bytes(pickle.dumps(record(*pickle.loads(Path(wanted).read_bytes()))))
"""


@dataclass(frozen=True)
class Seen:
    """What somebody in front of the script sees of it."""

    exit_code: int | None
    stdout: str
    stderr: str

    @classmethod
    def of(cls, exit_code: int | None, stdout: bytes, stderr: bytes) -> Seen:
        return cls(exit_code, _without_addresses(stdout), _without_addresses(stderr))


def plain(
    *target: str,
    folder: Path,
    stdin: bytes = b"",
    flags: Sequence[str] = (),
    environment: dict[str, str] | None = None,
) -> Seen:
    """``python <target>`` in ``folder``; target: ``script.py args`` or ``-m module args``."""
    return Seen.of(*_run([PYTHON, *flags, *target], folder, stdin, environment))


def traced(
    *target: str,
    folder: Path,
    stdin: bytes = b"",
    flags: Sequence[str] = (),
    lanes: Sequence[str] = (),
    virtual: bool = False,
    follow: bool = False,
    knobs: Mapping[str, str] | None = None,
    environment: dict[str, str] | None = None,
) -> tuple[Seen, Run]:
    """The same under the tracer, with what it recorded."""
    module = target[1] if target[0] == "-m" else None
    given = Target(None if module else target[0], module, target[2:] if module else target[1:])
    options = Options(
        lanes=tuple(lanes), flags=tuple(flags), virtual=virtual, follow=follow, knobs=dict(knobs or {})
    )
    if sys.executable == PYTHON:
        with patch.dict(os.environ, environment or {}), chdir(folder), own_pipes(stdin) as said:
            run = record(given, options)
        return Seen.of(run.exit_code, said.out, said.err), run
    with tempfile.TemporaryDirectory() as kept:
        saved, wanted = Path(kept, "run"), Path(kept, "wanted")
        wanted.write_bytes(pickle.dumps((given, options)))
        command = [PYTHON, "-c", _TRACE, *map(os.fspath, (_SRC, wanted, saved))]
        code, stdout, stderr = _run(command, folder, stdin, environment)
        assert code == 0 and saved.exists(), f"not recorded: {code} {stderr.decode()}"
        run = pickle.loads(saved.read_bytes())
    return Seen.of(run.exit_code, stdout, stderr), run


def alike(
    folder: Path,
    source: str,
    *arguments: str,
    stdin: bytes = b"",
    environment: dict[str, str] | None = None,
    lanes: Sequence[str] = (),
    virtual: bool = False,
) -> tuple[Seen, Run]:
    """Runs ``script.py`` with this text both ways, and asserts that nobody sees a difference."""
    (folder / "script.py").write_text(source.lstrip("\n"), encoding="utf-8")
    target = "script.py", *arguments
    seen, run = traced(
        *target, folder=folder, stdin=stdin, environment=environment, lanes=lanes, virtual=virtual
    )
    assert seen == plain(*target, folder=folder, stdin=stdin, environment=environment)
    return seen, run


def has(module: str) -> bool:
    """Can the interpreter under test import it?"""
    if sys.executable == PYTHON:
        package = module.rpartition(".")[0]
        return (not package or has(package)) and find_spec(module) is not None
    found = subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False)
    return found.returncode == 0


def _run(
    command: Sequence[str],
    folder: Path,
    stdin: bytes,
    environment: dict[str, str] | None,
) -> tuple[int, bytes, bytes]:
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(stdin, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, stdout, stderr


def _without_addresses(output: bytes) -> str:
    """What differs from run to run: addresses, the time of a timer, how much of what was sent has come."""
    text = output.decode("utf-8", "surrogateescape")
    text = re.sub(r"when=[0-9.]+", "when=", re.sub(r"0x[0-9a-f]{6,}", "0x", text))
    return re.sub(r"\breading=(True|False) ", "reading=", text)
