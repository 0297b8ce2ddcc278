"""The interface of every server to its host process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    """A server that has started. ``environment`` says how to reach it, ``words`` what it is and its version.

    ``pid`` is the server's process, None if it is not ours.
    """

    environment: Mapping[str, str]
    words: str
    pid: int | None


class Server:
    """By default one that ends with our own process, or is not ours, and leaves nothing behind."""

    def start(self) -> Started:
        """Start it; return when it answers and is seeded."""
        raise NotImplementedError

    def reset(self) -> None:
        """Return it to its freshly seeded state."""
        raise NotImplementedError

    def watch(self, lost: Callable[[str], None]) -> None:
        """Call ``lost`` with how the server ended, if it ends unasked and not with our own process."""

    def close(self) -> None:
        """End it and remove what it wrote. May be called twice, and before ``start`` has returned."""
