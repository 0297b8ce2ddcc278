"""What every server is to the process that hosts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Started:
    """environment: how it is reached. words: what it is, with its version.

    pid: of the server's process, None if it is none of ours. folder: what to remove if it is killed.
    """

    environment: Mapping[str, str]
    words: str
    pid: int | None
    folder: str | None = None


class Server(Protocol):
    def start(self) -> Started:
        """Returns when it answers and is seeded."""

    def watch(self, lost: Callable[[str], None]) -> None:
        """Should it end unasked, ``lost`` is told how, if it is not our own process that ends."""

    def reset(self) -> None:
        """As freshly seeded."""

    def close(self) -> None:
        """End it, and remove what it wrote. May be called twice, and before ``start`` has returned."""
