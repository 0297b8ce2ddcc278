"""``asyncdemo services``: the servers that lessons need, for a program that you run by hand."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

import click

from asyncdemo.cli.terminal import wrap_for
from asyncdemo.errors import ServiceError, UsageError
from asyncdemo.services import NAMES, Services

_POLL_S: Final = 0.1
_GRACE_S: Final = 5.0
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)


class _WithCommand(click.Command):
    """Separates the command after ``--``; click would drop the mark and not distinguish the two."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        mark = args.index("--") if "--" in args else len(args)
        context.meta[__name__] = args[mark + 1 :]
        return super().parse_args(context, args[:mark])

    def collect_usage_pieces(self, context: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(context), "[-- COMMAND ...]"]


_HELP: Final = f"""
Start services for COMMAND, set its environment so that it finds them, and stop them when it ends.

NAME is {", ".join(NAMES[:-1])} or {NAMES[-1]}. The exit code is that of COMMAND. Without a COMMAND, this
prints the environment and runs until Ctrl-C.

\b
asyncdemo services redis -- python lessons/05-pools/18-redis-pools/tasks_blocking.py
asyncdemo services s3 postgres
"""


@click.command("services", cls=_WithCommand, options_metavar="", help=_HELP)
@click.argument("names", metavar="NAME...", nargs=-1, type=click.Choice(NAMES), required=True)
@click.pass_context
def command(context: click.Context, names: Sequence[str]) -> None:
    """Start services, and run the command after ``--`` or stay."""
    _end_in_order()
    words: list[str] = context.meta[__name__]
    with Services(names) as services:
        if words:
            context.exit(_run(words, services))
        _show(services)
        _stay(services)


def _end_in_order() -> None:
    """Turn signals that would end us into exceptions, so that what we started ends with us."""

    def leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  (a handler's signature)
        raise click.exceptions.Exit(128 + number)

    for number in _ENDING:
        signal.signal(number, leave)


def _run(words: Sequence[str], services: Services) -> int:
    """Return its exit code; 128 plus the number of the signal that ended it, like shells."""
    # Ctrl-C is for the command to handle. A handler is not inherited, as ignoring would be.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)  # noqa: ARG005  (a handler's signature)
    try:
        process = subprocess.Popen(words, env=_environment(services.environment))
    except OSError as error:
        raise UsageError(f"Cannot run {words[0]}: {error.strerror}.") from None
    try:
        _wait(process, services)
    finally:
        _end(process)
        signal.signal(signal.SIGINT, before)
    code = process.returncode
    return code if code >= 0 else 128 - code


def _wait(process: subprocess.Popen[bytes], services: Services) -> None:
    """Wait, and report services that die meanwhile. What that means is up to the command."""
    reported = False
    while True:
        try:
            process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            pass
        else:
            return
        if not reported and (death := services.died()):
            click.echo(wrap_for(sys.stderr, f"asyncdemo: {death}"), err=True)
            reported = True


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment(services: Mapping[str, str]) -> dict[str, str]:
    """Return our environment and theirs. ``python`` is ours, unless another environment is active."""
    environment = {**os.environ, **services}
    if "VIRTUAL_ENV" not in os.environ:
        folders = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
        environment["PATH"] = os.pathsep.join(folders)
    return environment


def _show(services: Services) -> None:
    """Print lines that a shell can read, with comments about them."""
    for name, words in services.words.items():
        click.echo(f"# {name}: {words}")
    for name, value in services.environment.items():
        click.echo(f"export {name}={shlex.quote(value)}")
    click.echo("# until Ctrl-C")


def _stay(services: Services) -> None:
    sys.stdout.flush()
    while not (death := services.died()):
        time.sleep(_POLL_S)
    raise ServiceError(death)
