"""The command line: one module per command, and the only place that prints or exits.

Only ``main`` turns errors into exit codes.
Not here: measuring, drawing, or the contents of lessons.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_MISSING, EXIT_OK, AsyncdemoError

__all__ = ["main", "reader_left"]

_NOT_ON_WINDOWS: Final = (
    "asyncdemo runs on Linux and macOS. On Windows, use WSL, or follow the lessons on the docs site."
)


def main(arguments: Sequence[str] | None = None) -> int:
    if sys.platform == "win32":  # before any import that needs POSIX
        print(_NOT_ON_WINDOWS, file=sys.stderr)
        return EXIT_MISSING
    from asyncdemo.cli.app import app

    try:
        code = app.main(args=arguments, prog_name="asyncdemo", standalone_mode=False)
        if sys.stdout is not None:  # it is None if stdout was closed before we started
            sys.stdout.flush()
    except BrokenPipeError:
        return reader_left()
    except AsyncdemoError as error:
        return _explain(error)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    return code if isinstance(code, int) else EXIT_OK


def _explain(error: AsyncdemoError) -> int:
    from asyncdemo.cli.terminal import style, wrap_for

    print(style(wrap_for(sys.stderr, f"asyncdemo: {error}"), sys.stderr), file=sys.stderr)
    return error.exit_code


def reader_left() -> int:
    """Make ``asyncdemo list | head`` no error. Python would complain when it flushes stdout again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_OK
