"""Runs the command line as a user would, without a terminal: in its own process, or faster in this one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import chdir, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from asyncdemo.cli import main
from tests.support.streams import own_streams

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """stdout, which must be one JSON value and nothing else."""
        return json.loads(self.out)


def environment(**changes: str) -> dict[str, str]:
    """Ours, and a path on which asyncdemo is found without being installed."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), **changes}


def asyncdemo_command(*arguments: str | Path, module: str = "asyncdemo") -> list[str]:
    return [sys.executable, "-m", module, *map(str, arguments)]


def asyncdemo(*arguments: str | Path, cwd: Path | None = None, stdin: str = "", **variables: str) -> Done:
    return program(*asyncdemo_command(*arguments), cwd=cwd, stdin=stdin, **variables)


def program(*command: str | Path, cwd: Path | None = None, stdin: str = "", **variables: str) -> Done:
    """Any command in its own process, with the environment of ours."""
    done = subprocess.run(
        command,
        input=stdin,
        cwd=cwd,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def interrupted(
    *arguments: str | Path, when: Callable[[], object], cwd: Path | None = None, **variables: str
) -> Done:
    """In its own process, which gets a Ctrl-C as soon as something is so."""
    process = subprocess.Popen(
        asyncdemo_command(*arguments),
        cwd=cwd,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not when() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return Done(process.returncode, out, err)


def in_process(
    *arguments: str | Path, cwd: Path | None = None, stdin: str | bytes = "", **variables: str
) -> Done:
    """The same in this process, which is much faster. Not for: signals, closed streams, another path."""
    with (
        patch.dict(os.environ, variables),
        patch.object(sys, "orig_argv", [sys.executable, "-m", "asyncdemo"]),
        nullcontext() if cwd is None else chdir(cwd),
        own_streams(stdin.encode() if isinstance(stdin, str) else stdin) as said,
    ):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:  # completion, which click takes care of
            code = int(ended.code or 0)
    return Done(code, said.out.decode("utf-8", "replace"), said.err.decode("utf-8", "replace"))
