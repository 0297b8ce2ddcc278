"""What is called in place of a built-in function, which has no code object to rewrite.

Not for: functions of Python (``instrument``), methods of built-in types (``calls``).
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any


class StandIn:
    """Answers as the function that it stands for to everything else but a call.

    Not a function, because a class that has it as an attribute would bind it.
    """

    __slots__ = ("__weakref__", "_call", "_original")
    if TYPE_CHECKING:  # else they would be found as the annotations of what it stands for
        _call: Callable[..., Any]
        _original: Any

    def __new__(cls, *arguments: Any) -> StandIn:
        """Of ``(original, call)``."""
        if len(arguments) != len(("original", "call")):  # what a class that derives from it comes to
            raise TypeError("cannot create 'builtin_function_or_method' instances")
        made = object.__new__(cls)
        _set_original(made, arguments[0])
        _set_call(made, arguments[1])
        return made

    def __call__(self, /, *arguments: Any, **options: Any) -> Any:
        return self._call(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._original, name, value)  # raises

    def __delattr__(self, name: str) -> None:
        delattr(self._original, name)  # raises

    def __repr__(self) -> str:
        return repr(self._original)

    def __dir__(self) -> list[str]:
        return dir(self._original)

    def __copy__(self) -> StandIn:
        return self

    def __deepcopy__(self, memo: object) -> StandIn:
        return self

    def __reduce__(self) -> str | tuple[Any, ...]:
        original = self._original
        found = vars(sys.modules[original.__module__]).get(original.__qualname__)
        # by its name in the module where it stands; else by the original's, which copied is itself
        return str(original.__qualname__) if found is self else (copy.copy, (original,))

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._original)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._original.__doc__  # type: ignore[no-any-return]


_slots: Any = vars(StandIn)
_set_original, _set_call = _slots["_original"].__set__, _slots["_call"].__set__
StandIn.__module__ = property(lambda self: self._original.__module__)  # type: ignore[assignment]
StandIn.__name__ = StandIn.__qualname__ = "builtin_function_or_method"
