"""The command line: one module per command, and the only place that prints or exits.

Only ``main`` turns errors into exit codes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_MISSING, EXIT_OK, AsyncdemoError
from asyncdemo.safe_text import clean_lines

if TYPE_CHECKING:
    from asyncdemo.cli.output import Output

__all__ = ["main"]

_NOT_ON_WINDOWS: Final = (
    "asyncdemo runs on Linux and macOS. On Windows, use WSL, or follow the lessons on the docs site."
)


def main(arguments: Sequence[str] | None = None) -> int:
    if sys.platform == "win32":  # before any import that needs POSIX
        print(_NOT_ON_WINDOWS, file=sys.stderr)
        return EXIT_MISSING
    from asyncdemo.cli.output import Output
    from asyncdemo.cli.signals import ending_by_exception

    output = Output()
    with output.in_place(), ending_by_exception():
        try:
            return output.conclude(_run(arguments, output))
        except (click.Abort, KeyboardInterrupt):
            output.drop()
            return EXIT_INTERRUPTED


def _run(arguments: Sequence[str] | None, output: Output) -> int:
    """Return the exit code. Raises click.Abort and KeyboardInterrupt if it was interrupted."""
    from asyncdemo.cli.app import app

    try:
        code = app.main(args=arguments, prog_name="asyncdemo", standalone_mode=False, obj=output)
    except AsyncdemoError as error:
        return _explain(error)
    except click.ClickException as error:
        object.__setattr__(error, "message", clean_lines(error.message))  # final, and used by ``show``
        error.show()
        return error.exit_code
    return code if isinstance(code, int) else EXIT_OK


def _explain(error: AsyncdemoError) -> int:
    from asyncdemo.cli.terminal import style, wrap_for

    print(style(wrap_for(sys.stderr, f"asyncdemo: {error}"), sys.stderr), file=sys.stderr)
    return error.exit_code
