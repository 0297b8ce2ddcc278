"""Every error a user can meet, and the one table of exit codes.

A message says what happened, where, and what to do about it, in one or two lines.
"""

from __future__ import annotations

__all__ = [
    "EXIT_FAILED",
    "EXIT_INTERRUPTED",
    "EXIT_MISSING",
    "EXIT_OK",
    "EXIT_USAGE",
    "AsyncdemoError",
    "CourseError",
    "MissingError",
    "RunFileError",
    "ScriptError",
    "ServiceError",
    "UsageError",
    "WorkspaceError",
]

EXIT_OK = 0
EXIT_FAILED = 1
"""The check or the script failed."""
EXIT_USAGE = 2
EXIT_MISSING = 3
"""Something of the environment is missing."""
EXIT_INTERRUPTED = 130


class AsyncdemoError(Exception):
    """Base of all; its text is for the user, without a traceback."""

    exit_code = EXIT_FAILED


class UsageError(AsyncdemoError):
    """The command was used wrongly: an unknown lesson, knob, function or option value."""

    exit_code = EXIT_USAGE


class MissingError(AsyncdemoError):
    """A package or program is not there; the text names the command that installs it."""

    exit_code = EXIT_MISSING


class ScriptError(AsyncdemoError):
    """The script cannot be run at all: it is not there, or it is not Python."""


class RunFileError(AsyncdemoError):
    """A stored run cannot be read."""


class CourseError(AsyncdemoError):
    """A lesson's manifest or folder breaks the rules."""


class WorkspaceError(AsyncdemoError):
    """The workspace or the progress kept in it cannot be read or written as things stand."""

    exit_code = EXIT_MISSING


class ServiceError(AsyncdemoError):
    """S3, Redis or PostgreSQL does not start, has died, or cannot be reached."""

    exit_code = EXIT_MISSING
