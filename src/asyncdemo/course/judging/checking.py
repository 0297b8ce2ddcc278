"""The check of an exercise: a course's own code, loaded and run so that it cannot keep us.

It runs in this process, as it needs what was recorded, but in a thread of its own that is not waited for
longer than its limit. A course is code that one trusts as one trusts any program that one installs; its
mistakes are told as the course's, whatever they are.
Not for: the exercise (``judging``), whose code runs in a process with limits.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

from asyncdemo.course.judging.verdict import Check
from asyncdemo.errors import CourseError
from asyncdemo.testing.checks import CheckFailed, Seen

Result = TypeVar("Result")

_LIMIT_S: Final = 20.0
_POLL_S: Final = 0.01


class Stopped(Exception):
    """Whoever asked for the verdict does not want it any more."""


def load_check(path: Path, poll: Callable[[], bool]) -> tuple[Check, Check | None]:
    """The function ``check`` of a check.py, and ``check_schedule`` if it has one.

    Raises CourseError, Stopped.
    """
    return _Aside(path, lambda: imported_checks(path)).result(poll)


def run_check(path: Path, check: Check, seen: Seen, poll: Callable[[], bool]) -> None:
    """Raises CheckFailed if a sentence does not hold, CourseError if the check does not work, Stopped."""
    _Aside(path, lambda: check(seen)).result(poll)


def imported_checks(path: Path) -> tuple[Check, Check | None]:
    """As ``load_check``, in this thread. Raises CourseError and whatever the code raises."""
    name = f"asyncdemo_check_{abs(hash(path))}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it cannot be read as Python")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look for it there
    writing, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the course may be read-only
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writing
    check, check_schedule = getattr(module, "check", None), getattr(module, "check_schedule", None)
    if not callable(check):
        raise CourseError(f"{path}: has no function check(seen)")
    return check, check_schedule if callable(check_schedule) else None


def told(path: Path, error: BaseException) -> BaseException:
    """Whatever the code of a check raised, as it is told."""
    if isinstance(error, CheckFailed | CourseError):
        return error
    return CourseError(f"{path}: the check itself failed: {type(error).__name__}: {error}{_where(error)}")


def _where(error: BaseException) -> str:
    """`` (check.py:3)``; "" for what says it itself, or comes from Python's own import."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    if isinstance(error, SyntaxError) or place.filename.startswith("<frozen"):
        return ""
    return f" ({Path(place.filename).name}:{place.lineno})"


class _Aside(Generic[Result]):
    """Work of a course's code in a thread of its own."""

    def __init__(self, path: Path, work: Callable[[], Result]) -> None:
        self._path = path
        self._work = work
        self._returned: list[Result] = []
        self._raised: BaseException | None = None

    def result(self, poll: Callable[[], bool]) -> Result:
        thread = threading.Thread(target=self._run, name="check", daemon=True)
        thread.start()
        limit = time.monotonic() + _LIMIT_S
        while thread.is_alive():
            thread.join(_POLL_S)
            if not poll():
                raise Stopped
            if time.monotonic() > limit:
                raise CourseError(f"{self._path}: the check was not over after {_LIMIT_S:.0f} s")
        if self._raised is None:
            return self._returned[0]
        error = told(self._path, self._raised)
        raise error from (None if error is self._raised else self._raised)

    def _run(self) -> None:
        try:
            self._returned.append(self._work())
        except BaseException as error:  # noqa: BLE001  (an exit of the check is a mistake of the check, too)
            self._raised = error
