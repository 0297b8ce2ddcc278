"""What to say to a command that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


def suggest_command(typed: str, commands: Iterable[str]) -> str:
    if Path(typed).suffix == ".py" and Path(typed).exists():
        return f"There is no command {typed!r}. To watch that script: asyncdemo trace {typed}"
    near = difflib.get_close_matches(typed, commands, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]!r}?" if near else "`asyncdemo --help` shows them all."
    return f"There is no command {typed!r}. {hint}"
