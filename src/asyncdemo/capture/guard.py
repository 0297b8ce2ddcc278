"""The one guard around every hook: a hook that fails is switched off, alone, and the script never sees it.

A hook runs in the middle of the script's own calls, so whatever it raises would be raised into the script.
Around it is therefore one of the wrappers made here: after a fault that hook does nothing any more. Where a
call more would cost too much it is a ``try`` that calls ``Guard.missed``: what is gone is the one thing that
the hook would have recorded. Either way a note in the run says which hook, why and since when, and all other
hooks go on.

What the script itself raises while a hook happens to run is no fault and goes on its way: KeyboardInterrupt,
SystemExit, what a signal handler raises, an exception that another thread sends.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType, TracebackType
from typing import Any

CAPTURE_DIR = __file__.removesuffix("guard.py")

Hook = Callable[..., Any]

disguised: set[CodeType] = set()
"""Of our functions whose frames pass for others: they are known by their code and not by their file."""


class Guard:
    """Knows every hook by name, and which of them failed."""

    def __init__(self, tell: Callable[[str, str, bool], None]) -> None:
        """tell(name, why, switched off) is called once for each hook that fails; it must not raise."""
        self.names: set[str] = set()
        self.failures: dict[str, str] = {}
        """Hook -> why it was switched off."""
        self._tell = tell

    def failed(self, name: str, error: BaseException) -> bool:
        """Switch the hook off. False if the error is the script's own, and is to be raised again."""
        return self._failed(name, error, True)

    def missed(self, name: str, error: BaseException) -> bool:
        """The same of a hook that is tried again the next time."""
        return self._failed(name, error, False)

    def _failed(self, name: str, error: BaseException, switched_off: bool) -> bool:
        if is_of_the_script(error):
            return False
        if name not in self.failures:
            self.failures[name] = why = _words(error)
            self._tell(name, why, switched_off)
        return True

    def named(self, name: str) -> str:
        """The name for one more hook, with a number where several are in the same function."""
        same = sum(known.partition(" #")[0] == name for known in self.names)
        name = f"{name} #{same + 1}" if same else name
        self.names.add(name)
        return name

    def call(self, name: str, hook: Hook) -> Hook:
        """For a hook that gives nothing back."""
        name, failures, failed = self.named(name), self.failures, self.failed

        def guarded(*arguments: Any) -> None:
            if name not in failures:
                try:
                    hook(*arguments)
                except Exception as error:
                    if not failed(name, error):
                        raise

        return guarded

    def value(self, name: str, hook: Hook, without: Hook) -> Hook:
        """For a hook whose result the script gets; ``without`` gives what that is where the hook is off."""
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
        """For a hook that gives a context manager, which the script's code then runs in."""
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
    """Enters and leaves a hook's context manager. Called with a value, gives it back."""

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
                # nobody calls __exit__ of a `with` that is not entered: what it has begun ends here
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
    """In place of a hook that is switched off."""

    def __enter__(self) -> _Nothing:
        return self

    def __call__(self, value: Any) -> Any:
        return value

    def __exit__(self, *exc_info: object) -> None:
        pass


_NOTHING = _Nothing()


def is_of_the_script(error: BaseException) -> bool:
    """Did the script raise it while a hook was being run, and not the hook?

    A signal handler is called with the frame that it interrupts, which is then one of ours. An exception
    that another thread sends is raised in our frame itself: it is told by its type, as ours are built in.
    """
    if not isinstance(error, Exception):
        return True
    link = error.__traceback__
    while link is not None and link.tb_next is not None:
        interrupted, link = link.tb_frame, link.tb_next
        if _is_ours(interrupted) and not _is_own(link.tb_frame) and _was_given(link.tb_frame, interrupted):
            return True
    in_our_frame = link is not None and _is_ours(link.tb_frame)
    return in_our_frame and type(error).__module__ != "builtins"


def hooked_frame() -> FrameType | None:
    """Of the function whose hook is being run: the nearest frame that is not the tracer's."""
    frame: FrameType | None = _getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(CAPTURE_DIR):  # often asked: no call more
        frame = frame.f_back
    return frame


def caller_of_hooked() -> FrameType | None:
    """Of whoever called the function whose hook is being run."""
    frame = hooked_frame()
    return None if frame is None else frame.f_back


_getframe = sys._getframe  # the script may replace it


def _is_own(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(CAPTURE_DIR)


def _is_ours(frame: FrameType) -> bool:
    return _is_own(frame) or frame.f_code in disguised


def _was_given(frame: FrameType, what: FrameType) -> bool:
    for value in frame.f_locals.values():
        if value is what or (type(value) is tuple and any(item is what for item in value)):
            return True
    return False


def _words(error: BaseException) -> str:
    """What it is and at which of our lines. Calls nothing of the script's: the exception may be its own."""
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
