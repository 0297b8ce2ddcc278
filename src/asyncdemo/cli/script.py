"""A script to run under the tracer, as the command line names it: for ``trace`` and ``schedules``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from asyncdemo.cli.options import set_option
from asyncdemo.cli.overwrite import check_recording
from asyncdemo.course.content.knobs import settings
from asyncdemo.errors import UsageError
from asyncdemo.recording.options import interpreter_flags
from asyncdemo.recording.runner import Options, Target

_ONLY_BEFORE = {"-m", "-h", "--help"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptRequest:
    """What to run and how, and what to do with the recording."""

    lanes: tuple[str, ...]
    as_module: bool
    set_to: tuple[str, ...]
    plain: bool
    as_json: bool
    save_to: Path | None
    timeout_s: float | None
    script: str
    args: tuple[str, ...]

    @property
    def target(self) -> Target:
        """The script, or the module."""
        if self.as_module:
            return Target(None, self.script, self.args)
        return Target(self.script, None, self.args)

    def options(self, **more: Any) -> Options:
        """Return the options of the recording. Raise UsageError if it could not be saved."""
        if self.save_to is not None:
            if not self.save_to.parent.is_dir():
                raise UsageError(f"--save {self.save_to}: there is no folder {self.save_to.parent}.")
            check_recording(self.save_to, f"--save {self.save_to}")
        flags, refused = interpreter_flags(sys.orig_argv)
        if refused:
            click.echo(f"{' '.join(refused)} is not passed on: {self.script} runs without it.", err=True)
        return Options(
            lanes=tuple(name for names in self.lanes for name in names.split(",") if name),
            knobs=settings(self.set_to),
            timeout_s=self.timeout_s,
            flags=flags,
            **more,
        )


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_SHARED: list[Decorator] = [
    click.option(
        "--lane",
        "lanes",
        metavar="FUNC",
        multiple=True,
        help="Show a row for each call of this function, not for each task and thread. For several: "
        "`--lane fetch,parse`.",
    ),
    click.option(
        "-m", "as_module", is_flag=True, help="SCRIPT is the name of a module, as with `python -m`."
    ),
    set_option,
]
_SAVE = click.option(
    "--save",
    "save_to",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the recording to FILE, for `asyncdemo show`. "
    "An older recording is overwritten; any other file of that name is not.",
)
_ARGUMENTS: list[Decorator] = [
    click.argument("script"),
    click.argument("args", nargs=-1, type=click.UNPROCESSED),
]


def script_options(*own: Decorator, limit: str) -> Decorator:
    """Return a decorator that adds the options of a script, with a command's ``own`` in the middle.

    Args:
        own: The command's own options.
        limit: A sentence that says how long a run may take by default.
    """

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        options: list[Decorator] = [*_SHARED, *own, _SAVE, _timeout(limit), *_ARGUMENTS]
        for option in reversed(options):
            function = option(function)
        return function

    return add


def _timeout(limit: str) -> Decorator:
    return click.option(
        "--timeout",
        "timeout_s",
        metavar="SECONDS",
        type=click.FloatRange(min=0, min_open=True),
        help=f"Stop SCRIPT if it takes longer than this. {limit}",
    )


class ScriptCommand(click.Command):
    """Accepts its options after SCRIPT, too; from the first other word on, everything is the script's."""

    allow_interspersed_args = False

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Put the options that follow SCRIPT before it."""
        return super().parse_args(context, self._own_options_first(context, args))

    def hint_misplaced(self, request: ScriptRequest) -> None:
        """Print a hint if a script that failed got one of our options: it was probably meant for us."""
        ours = {option for parameter in self.params for option in parameter.opts if option.startswith("-")}
        misplaced = [arg for arg in request.args if arg.partition("=")[0] in ours]
        if misplaced:
            click.echo(
                f"{misplaced[0]} was passed to {request.script}. Options of {self.name} go before the script "
                "or right after it.",
                err=True,
            )

    def _own_options_first(self, context: click.Context, args: list[str]) -> list[str]:
        options = [item for item in self.get_params(context) if isinstance(item, click.Option)]
        before = {name: not option.is_flag for option in options for name in option.opts}
        # After the script, these are for it, like after `python SCRIPT`.
        after = {name: takes for name, takes in before.items() if name not in _ONLY_BEFORE}
        script = _end_of_options(args, 0, before)
        if script >= len(args) or args[script].startswith("-"):
            return args
        end = _end_of_options(args, script + 1, after)
        own = [*args[:script], *args[script + 1 : end]]
        if end > len(args):
            return own  # the last option lacks its value: click reports it
        rest = args[end + 1 :] if args[end : end + 1] == ["--"] else args[end:]
        return [*own, "--", args[script], *rest]


def _end_of_options(args: list[str], start: int, takes_value: Mapping[str, bool]) -> int:
    """Return the index of the first word from ``start`` on that is neither an option nor its value."""
    at = start
    while at < len(args):
        name, has_value, _ = args[at].partition("=")
        if name not in takes_value:
            break
        at += 2 if takes_value[name] and not has_value else 1
    return at
