"""Opens a file in the editor that the environment names, and waits until it is closed."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from asyncdemo.errors import UsageError

__all__ = ["edit", "editor_command"]

_LOOK_S = 0.1


def editor_command(environment: Mapping[str, str] = os.environ) -> list[str]:
    """$VISUAL, else $EDITOR, with its arguments. Raises UsageError if neither is set, or makes no sense."""
    named = environment.get("VISUAL", "").strip() or environment.get("EDITOR", "").strip()
    if not named:
        raise UsageError(
            "Neither $VISUAL nor $EDITOR is set. For example: export EDITOR=nano. "
            "Or open the file in any editor: it is checked when you save it."
        )
    try:
        return shlex.split(named)
    except ValueError as error:
        raise UsageError(f"The editor {named!r} cannot be read as a command: {error}.") from None


def edit(command: Sequence[str], file: Path, must_end: Callable[[], bool]) -> None:
    """Raises UsageError if there is no such editor. must_end: asked now and then, whether to end it."""
    try:
        process = subprocess.Popen([*command, os.fspath(file)])
    except OSError as error:
        raise UsageError(f"The editor {command[0]!r} cannot be started: {error.strerror or error}.") from None
    asked = False
    while True:
        try:
            process.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            if must_end() and not asked:
                asked = True
                process.terminate()
        else:
            return
