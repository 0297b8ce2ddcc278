"""The measuring instruments: contestants are started with every worker ready, loaded, watched, and stopped.

This module defines what can be measured: anything that can be started with given knobs and answers on a port
until it is stopped. ``protocol`` is the procedure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self

from asyncdemo.errors import EXIT_MISSING, AsyncdemoError
from asyncdemo.lab.results.trial import TrialOutcome

__all__ = ["Knobs", "NotStarted", "PortKept", "Startable", "Started", "Unavailable"]


Knobs = Mapping[str, int | float | str]
""""workers", "backlog" and "loop" are for the server. All others are for the app, which finds them
in its environment: ``delay_ms`` as ``LAB_DELAY_MS``.
"""


class NotStarted(AsyncdemoError):
    """The contestant failed before every worker answered. The message includes its last lines of output."""

    def __init__(self, problem: str, outcome: TrialOutcome = TrialOutcome.NOT_STARTED) -> None:
        """``outcome`` is NOT_STARTED (its port is taken, or a program is missing), HUNG or DIED."""
        super().__init__(problem)
        self.outcome = outcome


class PortKept(AsyncdemoError):
    """Raised on leaving the ``with`` of a ``Started``: it has been stopped, but its port is not free."""

    outcome = TrialOutcome.PORT_KEPT


class Unavailable(AsyncdemoError):
    """Not available on this machine. ``why`` is a sentence; ``successor`` is today's alternative, or ""."""

    exit_code = EXIT_MISSING
    outcome = TrialOutcome.NOT_STARTED
    """Of a trial, if it was available when it was visited, perhaps with other knobs."""

    def __init__(self, why: str, successor: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.successor = successor


class Started(Protocol):
    """A context manager. On exit, it is stopped together with everything that it started.

    Exiting raises PortKept if the port is not free by then, unless another exception is being raised.
    """

    @property
    def port(self) -> int: ...

    @property
    def command(self) -> str:
        """The exact command for display, without folders, and with PORT for the port."""

    def pids(self) -> tuple[int, ...]:
        """Return all of its current processes; none of them is asyncdemo's own."""

    def workers(self) -> tuple[int, ...]:
        """Return the processes that answered at the start and still run. A master is not among them."""

    def died(self) -> str:
        """Describe how it, or what it stands behind, ended unasked; "" while it runs."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None: ...


class Startable(Protocol):
    @property
    def name(self) -> str: ...

    def start(self, knobs: Knobs) -> Started:
        """Return once every worker has answered. Raises NotStarted or Unavailable."""
