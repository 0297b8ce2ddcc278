"""Guards every hook: one that fails is switched off, the others stay on, and the script never notices.

A hook runs in the middle of the script's own calls, so anything it raises would be raised into the script.
Each hook is therefore wrapped by one of the functions here, and does nothing more after a fault. Where an
extra call would cost too much, a ``try`` calls ``Guard.missed`` instead: only the one thing that the hook
would have recorded is lost. Either way, a note in the run says which hook failed, why and since when.

What the script itself raises while a hook happens to run is not a fault, and propagates: KeyboardInterrupt,
SystemExit, exceptions from a signal handler, and those that another thread sends.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from types import CodeType, FrameType, TracebackType
from typing import Any

CAPTURE_DIR = __file__.removesuffix("guard.py")

Hook = Callable[..., Any]

_REFUSED = "an audit hook of the script raised an exception"
_MOST_LOOKS = 20
"""How often signals that come one after the other may keep us from finding out what an error is."""

disguised: set[CodeType] = set()
"""The code of our functions whose frames pass for others, so that the file does not identify them."""


class Guard:
    """Every hook by name, and which of them failed."""

    def __init__(self, report: Callable[[str, str, bool], None]) -> None:
        """``report(name, why, switched_off)`` is called once for each hook that fails. It must not raise."""
        self.names: set[str] = set()
        self.failures: dict[str, str] = {}
        """Hook -> why it was switched off."""
        self._report = report

    def failed(self, name: str, error: BaseException, switched_off: bool = True) -> bool:
        """Switch the hook off. Return False if the error is the script's own, and must be raised again."""
        why = _why(error)
        if why is None:
            return False
        if name not in self.failures:
            self.failures[name] = why
            self._report(name, why, switched_off)
        return True

    def missed(self, name: str, error: BaseException) -> bool:
        """Do what ``failed`` does, for a hook that is tried again the next time."""
        return self.failed(name, error, False)

    def named(self, name: str) -> str:
        """Register one more hook. Return its name, numbered if the same function has several."""
        same = sum(known.partition(" #")[0] == name for known in self.names)
        name = f"{name} #{same + 1}" if same else name
        self.names.add(name)
        return name

    def call(self, name: str, hook: Hook) -> Hook:
        """Wrap a hook whose result nobody uses."""
        return self.value(name, hook, lambda *_: None)

    def value(self, name: str, hook: Hook, without: Hook) -> Hook:
        """Wrap a hook whose result the script gets. ``without`` supplies the result if the hook is off."""
        name, failures, failed = self.named(name), self.failures, self.failed

        def guarded(*arguments: Any) -> Any:
            if name not in failures:
                try:
                    return hook(*arguments)
                except Exception as error:
                    if not failed(name, error):
                        raise
            return without(*arguments)

        return guarded

    def context(self, name: str, hook: Hook) -> Hook:
        """Wrap a hook that returns a context manager, in which the script's code then runs."""
        name, failures, failed = self.named(name), self.failures, self.failed

        def guarded(*arguments: Any) -> _Guarded | _Nothing:
            if name not in failures:
                try:
                    return _Guarded(self, name, hook(*arguments))
                except Exception as error:
                    if not failed(name, error):
                        raise
            return _NOTHING

        return guarded


class _Guarded:
    """Enters and exits a hook's context manager. Called with a value, returns it."""

    __slots__ = ("_context", "_guard", "_name")

    def __init__(self, guard: Guard, name: str, context: Any) -> None:
        self._guard = guard
        self._name = name
        self._context = context

    def __enter__(self) -> _Guarded:
        try:
            self._context.__enter__()
        except BaseException as error:
            if not self._guard.failed(self._name, error):
                # `with` does not call __exit__ if __enter__ raises: end here what it has begun
                self.__exit__(type(error), error, error.__traceback__)
                raise
            self._context = _NOTHING
        return self

    def __call__(self, value: Any) -> Any:
        try:
            self._context(value)
        except Exception as error:
            self._context = _NOTHING
            if not self._guard.failed(self._name, error):
                raise
        return value

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._context.__exit__(kind, error, trace)
        except Exception as fault:
            if not self._guard.failed(self._name, fault):
                raise


class _Nothing:
    """Stands in for a hook that is switched off."""

    def __enter__(self) -> _Nothing:
        return self

    def __call__(self, value: Any) -> Any:
        return value

    def __exit__(self, *exc_info: object) -> None:
        pass


_NOTHING = _Nothing()


def _why(error: BaseException) -> str | None:
    """Return why a hook failed. Return None if the script raised the error, and not the hook.

    Raises what a signal handler raises meanwhile.
    """
    try:
        return None if is_of_the_script(error) else _words(error)
    except Exception as another:  # noqa: BLE001 - of a signal handler, or of an audit hook that refuses this
        latest = another
    for _ in range(_MOST_LOOKS):
        try:
            if not is_of_the_script(latest):
                return _REFUSED
        except Exception as another:  # noqa: BLE001 - the same once more
            latest = another
        else:
            raise latest
    return _REFUSED


def is_of_the_script(error: BaseException) -> bool:
    """Return whether the script, and not the hook, raised the error while a hook was running.

    A signal handler is passed the frame that it interrupts: one of ours, or one that ours has called, such as
    that of a named tuple. An exception that another thread sends is raised in our frame itself: its type
    tells, as ours are built in.
    """
    if not isinstance(error, Exception):
        return True
    link = error.__traceback__
    while link is not None and link.tb_next is not None:
        interrupted, link = link.tb_frame, link.tb_next
        if not _is_own(link.tb_frame) and _was_given(link.tb_frame, interrupted):
            return True
    in_our_frame = link is not None and _is_ours(link.tb_frame)
    return in_our_frame and type(error).__module__ != "builtins"


def hooked_frame() -> FrameType | None:
    """Return the frame of the function whose hook is running: the nearest that is not the tracer's."""
    frame: FrameType | None = _getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(CAPTURE_DIR):  # inlined: a hot path
        frame = frame.f_back
    return frame


def caller_of_hooked() -> FrameType | None:
    """Return the frame that called the function whose hook is running."""
    frame = hooked_frame()
    return None if frame is None else frame.f_back


_getframe = sys._getframe  # the script may replace it


def _is_own(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(CAPTURE_DIR)


def _is_ours(frame: FrameType) -> bool:
    return _is_own(frame) or frame.f_code in disguised


def _was_given(frame: FrameType, what: FrameType) -> bool:
    """Return whether the frame is that of a signal handler, which is passed a number and a frame.

    A hook of ``sys.addaudithook`` may get the frame too, in a tuple of its own. What it raises is no error of
    the script's, which has not made the call.
    """
    for value in frame.f_locals.values():
        if value is what:
            return True
        if type(value) is tuple and any(
            item is what and type(number) is int for number, item in pairwise(value)
        ):
            return True
    return False


def _words(error: BaseException) -> str:
    """The error, and which of our lines raised it. Calls no code of the script: it may be its exception."""
    kind = type(error)
    text = str(error) if kind.__module__ == "builtins" else ""
    place = ""
    link = error.__traceback__
    while link is not None:
        if _is_own(link.tb_frame) and link.tb_frame.f_code.co_filename != __file__:
            file = link.tb_frame.f_code.co_filename.removeprefix(CAPTURE_DIR)
            place = f", at {file}:{link.tb_lineno}"
        link = link.tb_next
    return f"{kind.__name__}{': ' if text else ''}{text}{place}"
