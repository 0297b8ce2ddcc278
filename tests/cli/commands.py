"""Runs the command line as a user would: in a process of its own, without a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "Done", "asyncdemo", "asyncdemo_command", "environment"]

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
    done = subprocess.run(
        asyncdemo_command(*arguments),
        input=stdin,
        cwd=cwd,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
