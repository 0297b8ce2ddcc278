"""Runs one of your functions under the tracer, in its own process, and returns what was seen.

For test suites that assert concurrency; ``testing.plugin`` offers it as a fixture.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

from asyncdemo.errors import UsageError
from asyncdemo.model import Run
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Call, Options, Stdout, Target, record
from asyncdemo.testing.checks import Seen

__tracebackhide__ = True
"""pytest shows the line of the test, not ours."""

__all__ = ["Observed", "make_observed", "observe", "target_of"]


class Observed(Seen):
    """What was seen of a run of a function (``checks.Seen``), and what the function returned.

    Attributes:
        result: What it returned. None also for anything but plain values, which alone leave the other
            process.
    """

    def __init__(self, run: Run, *, stdout: str, stderr: str, functions: Sequence[str]) -> None:
        super().__init__(run, stdout=stdout, stderr=stderr, functions=functions)
        self.result: Any = None if run.result is None else ast.literal_eval(run.result)


def observe(
    function: Callable[..., Any],
    *arguments: Any,
    lanes: Iterable[Callable[..., Any] | str] = (),
    virtual: bool = True,
    timeout_s: float = 10.0,
    threshold_s: float = 0.05,
    ends_well: bool = True,
) -> Observed:
    """Call ``function(*arguments)`` in a new process under the tracer; a coroutine is run until it ends.

    Args:
        function: A function at the top level of an importable module or file. The new process imports it
            again, so it sees nothing that this process has changed (fixtures, patches).
        arguments: Plain values: numbers, texts, None, and lists, tuples, dicts and sets of them.
        lanes: Functions, of any module, whose calls the sentences will be about; names are looked up in the
            function's own module. By default, the sentences are about tasks and threads, by the function that
            they run.
        virtual: Let time jump to the next timer instead of passing. It goes on in real time as soon as a
            thread, a socket or a subprocess is used.
        timeout_s: The limit in real time, after which the process is stopped.
        threshold_s: A step that holds the loop longer than this is blocking.
        ends_well: Raise CheckFailed if it does not end properly, with its stderr as a note.

    Raises:
        UsageError: If the function cannot be imported, or the arguments are not plain.
        CheckFailed: If the function does not end properly, unless ``ends_well`` is false.
    """
    target = target_of(function, arguments, lanes)
    output = OutputBuffer()
    options = Options(
        name=function.__qualname__,
        virtual=virtual,
        timeout_s=timeout_s,
        threshold_s=threshold_s,
        stdout=Stdout.CAPTURE,
    )
    seen = make_observed(target, record(target, options, output), output)
    if ends_well:
        try:
            seen.ends_well()
        except AssertionError as failed:
            if seen.stderr:
                failed.add_note(seen.stderr)
            raise
    return seen


def target_of(
    function: Callable[..., Any], arguments: tuple[Any, ...], lanes: Iterable[Callable[..., Any] | str]
) -> Target:
    """Return the target for a recording. Raises UsageError."""
    module, file = _home(function)
    call = Call(
        module=module,
        function=function.__qualname__,
        arguments=_literal(arguments),
        lanes=_by_module(lanes, module),
        path=tuple(sys.path),
    )
    return Target(file, call=call)


def make_observed(target: Target, run: Run, output: OutputBuffer) -> Observed:
    """Return what the sentences are about."""
    lanes = {} if target.call is None else target.call.lanes
    functions = [name for names in lanes.values() for name in names]
    return Observed(run, stdout=output.stdout, stderr=output.stderr, functions=functions)


def _home(function: Callable[..., Any]) -> tuple[str, str]:
    """Return (module, file) of a function. Raises UsageError if another process could not import it."""
    if not isinstance(function, FunctionType):
        raise UsageError(f"{function!r} is not a function, so it cannot be called in its own process.")
    if "<" in function.__qualname__:
        raise UsageError(
            f"{function.__qualname__} is made inside another function, so no other process can import it. "
            "Move it to the top of its module."
        )
    file = inspect.getsourcefile(function)
    if file is None:
        raise UsageError(f"There is no source file for {function.__qualname__}.")
    # As __main__, it would run the whole script in the other process, including this call.
    return Path(file).stem if function.__module__ == "__main__" else function.__module__, file


def _literal(arguments: tuple[Any, ...]) -> str:
    text = repr(arguments)
    try:
        same = bool(ast.literal_eval(text) == arguments)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        same = False
    if not same:
        raise UsageError(f"The arguments {text[:80]} are not all plain values, so they cannot be sent.")
    return text


def _by_module(lanes: Iterable[Callable[..., Any] | str], own: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for lane in lanes:
        if isinstance(lane, str):
            found.setdefault(own, []).append(lane)
        else:
            module, _ = _home(lane)
            found.setdefault(module, []).append(lane.__qualname__)
    return found
