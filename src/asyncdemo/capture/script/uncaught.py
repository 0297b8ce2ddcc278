"""Describes the uncaught error that ended the script, and the line of the script that it came from.

Attributes are read through the types, so that no code of the script's own errors runs.
Not here: printing it, which the interpreter does with the script's own hook.
"""

from types import FrameType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.frames import is_own
from asyncdemo.capture.recorder import Recorder

_MOST_LETTERS = 300
_Error: Any = BaseException
_Group: Any = BaseExceptionGroup
_args_of, _traceback_of = _Error.args.__get__, _Error.__traceback__.__get__
_members_of = _Group.exceptions.__get__


def uncaught(error: BaseException, recorder: Recorder) -> wire.Uncaught:
    """Describe the error, or the first one in a group. Its text is left out if it is not a string."""
    in_group = issubclass(type(error), BaseExceptionGroup)
    while issubclass(type(error), BaseExceptionGroup):
        error = _members_of(error)[0]
    raised_in, line, entry = "", None, _traceback_of(error)
    while entry is not None:
        frame: FrameType = entry.tb_frame
        code = frame.f_code
        if not is_own(code.co_filename):
            raised_in = code.co_qualname
            if not recorder.origins.is_stdlib(code.co_filename):
                line = (code.co_filename, entry.tb_lineno, code.co_qualname)
        entry = entry.tb_next
    arguments = _args_of(error)
    text = arguments[0][:_MOST_LETTERS] if len(arguments) == 1 and type(arguments[0]) is str else ""
    site = None if line is None else recorder.site(*line)
    kind = type(error)
    return wire.Uncaught(kind.__name__, text, in_group, kind.__module__ == "__main__", raised_in, site)
