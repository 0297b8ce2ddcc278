"""A callable that replaces a built-in function, which has no code object to rewrite."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any


def forget_annotations(kind: type) -> None:
    """Delete the annotations of a class, which would be an attribute of its instances."""
    if "__annotations__" in vars(kind):
        del kind.__annotations__


class StandIn:
    """Behaves like the function that it replaces, except when called.

    It is not a function, because a class that has it as an attribute would bind it. What is called is read
    from a property, so that no frame of ours is between: a signal handler could raise there.
    """

    __slots__ = ("__weakref__", "_call", "_original")
    if TYPE_CHECKING:  # else they would show up as annotations of the replaced function
        _call: Callable[..., Any]
        _original: Any

    def __new__(cls, *arguments: Any) -> StandIn:
        """Make one from ``(original, call)``."""
        if len(arguments) != len(("original", "call")):  # from a class that derives from it
            raise TypeError("cannot create 'builtin_function_or_method' instances")
        made = object.__new__(cls)
        _set_original(made, arguments[0])
        _set_call(made, arguments[1])
        return made

    __call__ = property(attrgetter("_call"))

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
        # by its name in its module; else by the original's, whose copy is the same object
        return str(original.__qualname__) if found is self else (copy.copy, (original,))

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._original)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._original.__doc__  # type: ignore[no-any-return]


_slots: Any = vars(StandIn)
_set_original, _set_call = _slots["_original"].__set__, _slots["_call"].__set__
forget_annotations(StandIn)
StandIn.__module__ = property(lambda self: self._original.__module__)  # type: ignore[assignment]
StandIn.__name__ = StandIn.__qualname__ = "builtin_function_or_method"


def stand_in_type(name: str, call: property) -> type[StandIn]:
    """Return a type of stand-ins for methods of one object each, which keep what they need in ``_state``.

    ``call`` supplies what is called. The original method is the attribute ``name`` of ``_state.methods``.
    """
    namespace = {
        "__slots__": ("_state",),
        "__doc__": vars(StandIn)["__doc__"],
        "__module__": vars(StandIn)["__module__"],
        "__call__": call,
        "_original": property(attrgetter(f"_state.methods.{name}")),
    }
    return type(StandIn.__name__, (StandIn,), namespace)


def method_of(kind: type[StandIn], state: object) -> StandIn:
    """Make a stand-in of such a type."""
    made = object.__new__(kind)
    vars(kind)["_state"].__set__(made, state)
    return made
