"""Every error that a user can meet, and the only table of exit codes.

A message says what happened, where, and what to do about it, in one or two lines.
"""

from __future__ import annotations

from typing import Final

from asyncdemo.safe_text import clean_lines

__all__ = [
    "EXIT_CODES",
    "EXIT_FAILED",
    "EXIT_INTERRUPTED",
    "EXIT_MISSING",
    "EXIT_OK",
    "EXIT_USAGE",
    "AsyncdemoError",
    "CourseError",
    "LabFileError",
    "MissingError",
    "RunFileError",
    "ScriptError",
    "ServiceError",
    "UsageError",
    "WorkspaceError",
]

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_MISSING = 3
EXIT_INTERRUPTED = 130

EXIT_CODES: Final = {
    EXIT_OK: "fine",
    EXIT_FAILED: "the script or the check failed",
    EXIT_USAGE: "wrong use, or a script or lesson that does not exist",
    EXIT_MISSING: "something required is missing from the environment",
    EXIT_INTERRUPTED: "interrupted",
}
"""What each code means."""


class AsyncdemoError(Exception):
    """Base class of all; its message is for the user, who sees no traceback.

    Attributes:
        exit_code (int): The exit code of the command that raised it; see ``EXIT_CODES``.
    """

    exit_code = EXIT_FAILED

    def __str__(self) -> str:
        """Return the message, which may contain names of files and words of others, safe to show."""
        return clean_lines(super().__str__())


class UsageError(AsyncdemoError):
    """The command was used wrongly: an unknown lesson, knob, function or option value."""

    exit_code = EXIT_USAGE


class MissingError(AsyncdemoError):
    """A package or program is missing; the message names the command that installs it."""

    exit_code = EXIT_MISSING


class ScriptError(AsyncdemoError):
    """The script cannot be run at all: it does not exist, or it is not Python."""


class RunFileError(AsyncdemoError):
    """A stored run cannot be read."""


class CourseError(AsyncdemoError):
    """A lesson's manifest or folder breaks the rules."""


class LabFileError(AsyncdemoError):
    """A record of the lab, or a file of published figures, cannot be read."""


class WorkspaceError(AsyncdemoError):
    """The workspace or the progress kept in it cannot be read or written at the moment."""

    exit_code = EXIT_MISSING


class ServiceError(AsyncdemoError):
    """A service, such as Redis, does not start, has died, or cannot be reached."""

    exit_code = EXIT_MISSING
