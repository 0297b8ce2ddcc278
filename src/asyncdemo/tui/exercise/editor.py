"""Opens a file at a line, in the editor that the environment names."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from asyncdemo.bounded import read_text
from asyncdemo.course.workspace.workspace import MOST_BYTES
from asyncdemo.errors import UsageError

_PLUS: Final = {"vi", "vim", "nvim", "nano", "emacs", "micro", "joe", "ne", "kak", "ed", "mg"}
_GOTO: Final = {"code", "code-insiders", "codium", "cursor", "windsurf"}
_COLON: Final = {"hx", "helix", "subl", "zed"}
_WINDOWS: Final = _GOTO | {"subl", "zed"}
"""Editors with their own window, which don't use the terminal."""


def has_window(editor: Sequence[str]) -> bool:
    return Path(editor[0]).name in _WINDOWS


def command_for(editor: Sequence[str], file: Path, line: int) -> list[str]:
    """Return the command for the file, at the line if this editor is known to support that."""
    program = Path(editor[0]).name
    if program in _PLUS:
        return [*editor, f"+{line}", str(file)]
    if program in _GOTO:
        return [*editor, "--goto", f"{file}:{line}"]
    return [*editor, f"{file}:{line}" if program in _COLON else str(file)]


def open_in(editor: Sequence[str], file: Path, line: int = 1) -> None:
    """Open the file. Wait until it is closed, unless the editor has its own window. Raises UsageError."""
    command = command_for(editor, file, line)
    try:
        if has_window(editor):
            # The program only notifies the editor, and exits in a moment.
            asked = [word for word in command if word not in ("--wait", "-w")]
            subprocess.run(asked, check=False, capture_output=True, stdin=subprocess.DEVNULL)
        else:
            subprocess.run(command, check=False)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"Cannot start the editor {editor[0]!r}: {reason}.") from None


def find_editor(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the words of $VISUAL, else $EDITOR, else VS Code in its own terminal. Raises UsageError."""
    named = environment.get("VISUAL", "").strip() or environment.get("EDITOR", "").strip()
    if not named and environment.get("TERM_PROGRAM") == "vscode" and shutil.which("code"):
        named = "code"
    if not named:
        raise UsageError(
            "Neither $VISUAL nor $EDITOR is set. For example: export EDITOR=nano. "
            "Or open the file in any editor: it is checked when you save it."
        )
    try:
        return shlex.split(named)
    except ValueError as error:
        raise UsageError(f"The editor {named!r} cannot be read as a command: {error}.") from None


def line_to_look_at(file: Path, message: str) -> int:
    """Return the line that the message names, or else the first TODO's; counted from 1."""
    named = re.search(rf"(?:{re.escape(file.name)}:|in line )(\d+)", message)
    if named:
        return int(named[1])
    try:
        lines = read_text(file, MOST_BYTES, "replace").splitlines()
    except OSError:
        return 1
    return next((number for number, line in enumerate(lines, 1) if "TODO" in line), 1)
