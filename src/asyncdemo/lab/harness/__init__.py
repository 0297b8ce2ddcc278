"""What measures: contestants are started with every worker at work, loaded, watched, and ended.

Here is what can be measured: something that is started under given knobs, and answers on a port until it is
stopped. ``protocol`` is the order in which that happens.
Not for: the programs (``lab.servers``), what is measured (``lab.experiments``), or what it comes to
(``lab.results``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self

from asyncdemo.errors import EXIT_MISSING, AsyncdemoError
from asyncdemo.lab.results.trial import TrialOutcome

__all__ = ["Knobs", "NotStarted", "PortKept", "Startable", "Started", "Unavailable"]


Knobs = Mapping[str, int | float | str]
""""workers", "threads", "backlog" and "loop" are the server's; any other is the app's, which
finds it in its environment: ``delay_ms`` as ``LAB_DELAY_MS``.
"""


class NotStarted(AsyncdemoError):
    """It did not come to the point where every worker answers. The text has the last lines that it wrote."""

    def __init__(self, problem: str, outcome: TrialOutcome = TrialOutcome.NOT_STARTED) -> None:
        """outcome: NOT_STARTED (its port is somebody else's, a program is not there), HUNG or DIED."""
        super().__init__(problem)
        self.outcome = outcome


class PortKept(AsyncdemoError):
    """Raised by the end of the ``with`` of a ``Started``: it has been stopped, and its port is not free."""

    outcome = TrialOutcome.PORT_KEPT


class Unavailable(AsyncdemoError):
    """It cannot be had on this machine. why: in words. successor: what one would take today, or ""."""

    exit_code = EXIT_MISSING

    def __init__(self, why: str, successor: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.successor = successor


class Started(Protocol):
    """A context manager: at its end it is stopped, with everything that it started.

    The end raises PortKept if the port is not free then, unless another exception is on its way.
    """

    @property
    def port(self) -> int: ...

    @property
    def command(self) -> str:
        """The exact command, to be shown: without folders, and with PORT for the port."""

    def pids(self) -> tuple[int, ...]:
        """All processes of it that there are now; none of them is asyncdemo's own."""

    def workers(self) -> tuple[int, ...]:
        """Those of them that answered when it started, and are still there: no master is among them."""

    def died(self) -> str:
        """How it ended unasked, in words, or what it stands behind; "" while it runs."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None: ...


class Startable(Protocol):
    @property
    def name(self) -> str: ...

    def start(self, knobs: Knobs) -> Started:
        """Returns when every worker has answered. Raises NotStarted, or Unavailable."""
