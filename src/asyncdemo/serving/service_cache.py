"""Services that stay up between runs, so that nobody waits for their start twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final, Self

from asyncdemo.services import Services

_POLL_S: Final = 0.02


class ServiceCache:
    """A context manager: a set of services is started on first use; all are stopped on exit."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], _Starting] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._kept:
            self._kept.popitem()[1].close()

    def begin(self, names: Sequence[str]) -> None:
        """Start them in the background, if they are not running, so that a later ``get`` waits less."""
        self._of(tuple(names))

    def get(self, names: Sequence[str], wanted: Callable[[], bool] = lambda: True) -> Services | None:
        """Return them running, restarted if one has died; None once ``wanted``, polled meanwhile, is false.

        Raises MissingError, ServiceError.
        """
        wished = tuple(names)
        starting = self._of(wished)
        while not starting.over(_POLL_S):
            if not wanted():
                return None
        if starting.error is not None:
            del self._kept[wished]
            starting.close()
            raise starting.error
        return starting.services

    def _of(self, names: tuple[str, ...]) -> _Starting:
        kept = self._kept.get(names)
        if kept is not None and kept.over(0) and kept.error is None and kept.services.died() is not None:
            self._kept.pop(names).close()
            kept = None
        if kept is None:
            kept = self._kept[names] = _Starting(names)
        return kept


class _Starting:
    """Services starting in a thread. ``error`` is why they failed to start."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.services = Services(names)
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._start, name="services", daemon=True)
        self._thread.start()

    def over(self, timeout_s: float) -> bool:
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def close(self) -> None:
        self.services.close()
        self._thread.join()

    def _start(self) -> None:
        try:
            self.services.start()
        except BaseException as error:  # noqa: BLE001  (raised again for each caller)
            self.error = error
