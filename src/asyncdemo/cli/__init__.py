"""The command line: one module per command, and the only place that prints or exits."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]

_NOT_ON_WINDOWS = (
    "asyncdemo runs on Linux and macOS. On Windows, use WSL, or follow the lessons on the docs site."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Return its exit code.

    Ctrl-C may come at any time, also while modules are still imported: that takes longest.
    """
    if sys.platform == "win32":  # before any import that needs POSIX
        from asyncdemo.errors import EXIT_MISSING

        print(_NOT_ON_WINDOWS, file=sys.stderr)
        return EXIT_MISSING
    try:
        from asyncdemo.cli.dispatch import run_command

        return run_command(arguments)
    except KeyboardInterrupt:
        from asyncdemo.errors import EXIT_INTERRUPTED

        return EXIT_INTERRUPTED
