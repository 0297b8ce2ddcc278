"""Opens a file at a line, in the editor that the environment names.

Not here: lending it the terminal (see ``pane``).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.errors import UsageError

_PLUS: Final = {"vi", "vim", "nvim", "nano", "emacs", "micro", "joe", "ne", "kak", "ed", "mg"}
_GOTO: Final = {"code", "code-insiders", "codium", "cursor", "windsurf"}
_COLON: Final = {"hx", "helix", "subl", "zed"}
_WINDOWS: Final = _GOTO | {"subl", "zed"}
"""Editors with their own window, which don't use the terminal."""


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor. ``words`` is the command with its own arguments."""

    words: tuple[str, ...]

    @property
    def has_window(self) -> bool:
        return self._program in _WINDOWS

    @property
    def _program(self) -> str:
        return Path(self.words[0]).name

    def command(self, file: Path, line: int) -> list[str]:
        """Return the command for the file, at the line if this editor is known to support that."""
        if self._program in _PLUS:
            return [*self.words, f"+{line}", str(file)]
        if self._program in _GOTO:
            return [*self.words, "--goto", f"{file}:{line}"]
        return [*self.words, f"{file}:{line}" if self._program in _COLON else str(file)]

    def open(self, file: Path, line: int = 1) -> None:
        """Open the file. Wait until it is closed, unless the editor has its own window. Raises UsageError."""
        command = self.command(file, line)
        try:
            if self.has_window:
                # The program only notifies the editor, and exits in a moment.
                asked = [word for word in command if word not in ("--wait", "-w")]
                subprocess.run(asked, check=False, capture_output=True, stdin=subprocess.DEVNULL)
            else:
                subprocess.run(command, check=False)
        except OSError as error:
            name = self.words[0]
            raise UsageError(f"The editor {name!r} cannot be started: {error.strerror or error}.") from None


def find_editor(environment: Mapping[str, str] = os.environ) -> Editor:
    """Return $VISUAL, else $EDITOR, else VS Code in its own terminal. Raises UsageError."""
    named = environment.get("VISUAL", "").strip() or environment.get("EDITOR", "").strip()
    if not named and environment.get("TERM_PROGRAM") == "vscode" and shutil.which("code"):
        named = "code"
    if not named:
        raise UsageError(
            "Neither $VISUAL nor $EDITOR is set. For example: export EDITOR=nano. "
            "Or open the file in any editor: it is checked when you save it."
        )
    try:
        return Editor(tuple(shlex.split(named)))
    except ValueError as error:
        raise UsageError(f"The editor {named!r} cannot be read as a command: {error}.") from None


def line_to_look_at(file: Path, message: str) -> int:
    """Return the line that the message names, or else the first TODO's; counted from 1."""
    named = re.search(rf"(?:{re.escape(file.name)}:|in line )(\d+)", message)
    if named:
        return int(named[1])
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 1
    return next((number for number, line in enumerate(lines, 1) if "TODO" in line), 1)
