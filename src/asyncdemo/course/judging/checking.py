"""The check of an exercise: a course's own code, loaded and run so that it can't block the caller.

It runs in this process, because it needs the recording, but in its own thread with a time limit. Users trust
a course's code as they trust any program that they install. All its errors are reported as the course's.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Final, TypeVar

from asyncdemo.course.judging.verdict import Check
from asyncdemo.errors import CourseError
from asyncdemo.testing.checks import CheckFailed

Result = TypeVar("Result")

_LIMIT_S: Final = 20.0
_POLL_S: Final = 0.01


class Stopped(Exception):
    """The caller no longer wants the verdict."""


def load_checks(path: Path, poll: Callable[[], bool]) -> tuple[Check, Check | None]:
    """Return ``check`` of a check.py, and ``check_schedule`` if it has one.

    They raise CheckFailed if a sentence does not hold, and as this does, CourseError if the code does not
    work, Stopped.
    """

    def guarded(check: Check) -> Check:
        return lambda seen: _aside(path, lambda: check(seen), poll)

    check, check_schedule = _aside(path, lambda: imported_checks(path), poll)
    return guarded(check), None if check_schedule is None else guarded(check_schedule)


def imported_checks(path: Path) -> tuple[Check, Check | None]:
    """Import a check.py in this thread. Raises CourseError and whatever the code raises."""
    name = f"asyncdemo_check_{abs(hash(path))}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it cannot be read as Python")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look it up there
    writing, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the course may be read-only
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writing
    check, check_schedule = getattr(module, "check", None), getattr(module, "check_schedule", None)
    if not callable(check):
        raise CourseError(f"{path}: has no function check(seen)")
    return check, check_schedule if callable(check_schedule) else None


def as_reported(path: Path, error: BaseException) -> BaseException:
    """Return whatever a check's code raised as the error to report."""
    if isinstance(error, CheckFailed | CourseError):
        return error
    return CourseError(f"{path}: the check itself failed: {type(error).__name__}: {error}{_where(error)}")


def _where(error: BaseException) -> str:
    """Return `` (check.py:3)``; "" if the error names the place, or comes from Python's own import."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    if isinstance(error, SyntaxError) or place.filename.startswith("<frozen"):
        return ""
    return f" ({Path(place.filename).name}:{place.lineno})"


def _aside(path: Path, work: Callable[[], Result], poll: Callable[[], bool]) -> Result:
    """Run a course's code in its own thread. Raises what ``as_reported`` makes of its error, Stopped."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  (if the check exits, that is a mistake of the check, too)
            future.set_exception(error)

    threading.Thread(target=run, name="check", daemon=True).start()
    limit = time.monotonic() + _LIMIT_S
    while not wait([future], _POLL_S).done:
        if not poll():
            raise Stopped
        if time.monotonic() > limit:
            raise CourseError(f"{path}: the check was still running after {_LIMIT_S:.0f} s")
    raised = future.exception()
    if raised is None:
        return future.result()
    error = as_reported(path, raised)
    raise error from (None if error is raised else raised)
