"""Runs a command, and turns errors into exit codes; nothing else does that."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from asyncdemo.cli.output import Output
from asyncdemo.cli.signals import ending_by_exception
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK, AsyncdemoError
from asyncdemo.safe_text import clean_lines


def run_command(arguments: Sequence[str] | None) -> int:
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
