"""Several services as one: started at once, reset together, stopped whatever happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Final, Self

from asyncdemo.errors import MissingError, UsageError

__all__ = ["NAMES", "Services"]

NAMES: Final = ("s3", "redis", "postgres")


class Services:
    """A context manager: started on entry, stopped on exit."""

    def __init__(self, names: Sequence[str]) -> None:
        if unknown := [name for name in names if name not in NAMES]:
            raise UsageError(f"There is no service {unknown[0]!r}; there are {', '.join(NAMES)}.")
        self.names: Final = tuple(dict.fromkeys(names))
        self._environment: dict[str, str] = {}

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def environment(self) -> Mapping[str, str]:
        """How they are reached, as the programs of this world expect it; for the child only."""
        return self._environment

    def start(self) -> None:
        """All at once, until each answers and is seeded. Does nothing if they run already.

        Raises MissingError with the command that installs what is missing, or ServiceError with the
        service's own words.
        """
        if self.names:
            raise MissingError("Services cannot be started yet.")

    def reset(self) -> None:
        """Everything as freshly seeded."""

    def died(self) -> str | None:
        """A sentence, if one has ended since it was started."""
        return None

    def kill(self, name: str) -> None:
        """As the system would, without a warning: for tests of faults."""

    def close(self) -> None:
        """Stop all of them, and remove what they wrote. May be called twice."""
