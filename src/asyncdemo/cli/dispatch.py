"""Runs a command, and turns errors into exit codes; nothing else does that."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from typing import Final

import click

from asyncdemo.cli.output import Output
from asyncdemo.cli.signals import ending_by_exception
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK, AsyncdemoError, MissingError
from asyncdemo.safe_text import clean_lines

_EXHAUSTED: Final = {
    errno.EMFILE: "Raise the limit of this shell, for example: ulimit -n 1024",
    errno.ENFILE: "End other programs that have many files open.",
    errno.EAGAIN: "There may be no more processes. End some, or raise the limit: ulimit -u",
    errno.ENOSPC: "Free some, or close some terminals.",
    errno.ENOMEM: "End other programs, or raise the limit of this shell: ulimit -v",
}
"""What to do if the system has no more of something. It can be noticed anywhere."""


def run_command(arguments: Sequence[str] | None) -> int:
    """Run a command with its output in place. Return its exit code."""
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
    except OSError as error:
        if error.errno not in _EXHAUSTED:
            raise
        return _explain(MissingError(f"{error.strerror}. {_EXHAUSTED[error.errno]}"))
    except click.ClickException as error:
        object.__setattr__(error, "message", clean_lines(error.message))  # final, and used by ``show``
        error.show()
        return error.exit_code
    return code if isinstance(code, int) else EXIT_OK


def _explain(error: AsyncdemoError) -> int:
    from asyncdemo.cli.terminal import style, wrap_for

    print(style(wrap_for(sys.stderr, f"asyncdemo: {error}"), sys.stderr), file=sys.stderr)
    return error.exit_code
