"""The rig's thread: it measures the wanted settings, and starts over when they change.

Not here: a single measurement (see ``testbed``), or the screen (see ``tui.rig``).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Self

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness.protocol.bench import Interrupted
from asyncdemo.lab.results.rigging import Outcome, Rigging

if TYPE_CHECKING:
    from asyncdemo.lab.rig.testbed import Testbed

_QUIET_S: Final = 0.6
"""How long settings must stay unchanged: on the way from 4 to 19 workers, nobody wants 6."""


@dataclass(frozen=True, slots=True)
class State:
    """``doing`` is the current step; "" if there is nothing to do. ``now`` is the latest measurement.

    ``tried`` has the complete ones, in order. ``trouble`` says why nothing can be measured at all.
    """

    doing: str = ""
    now: Outcome | None = None
    tried: tuple[Outcome, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""


class Session:
    """A context manager. On exit, all servers are stopped; one that is still starting is waited for."""

    def __init__(
        self, opened: Callable[[Callable[[str], None]], AbstractContextManager[Testbed]], wanted: Rigging
    ) -> None:
        """``opened`` takes a function to report progress; it is entered and left in the session's thread."""
        self._opened = opened
        self._lock = threading.Condition()
        self._wanted: Rigging | None = wanted
        self._changes = 0
        self._ending = False
        self._state = State(doing="starting")
        self._thread = threading.Thread(target=self._work, name="rig", daemon=True)

    @property
    def state(self) -> State:
        with self._lock:
            return self._state

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def want(self, rigging: Rigging | None) -> None:
        """Measure this, or nothing. What is being measured is dropped, even if it is the same."""
        with self._lock:
            self._wanted = rigging
            self._changes += 1
            self._update(now=None)
            self._lock.notify_all()

    def stop(self) -> bool:
        """Drop the current measurement and want nothing. Return whether there was anything to drop."""
        with self._lock:
            active = not self.is_over and (self._wanted is not None or bool(self._state.doing))
            if active:
                self.want(None)
            return active

    def end(self) -> None:
        """Ask the thread to end, without waiting. ``is_over`` is true once everything has stopped."""
        with self._lock:
            self._ending = True
            self._lock.notify_all()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.end()
        self._thread.join()

    # -- in the thread --------------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            with self._opened(self._say) as testbed:
                self._update(missing=dict(testbed.missing))
                while (following := self._next()) is not None:
                    self._measure(testbed, *following)
        except AsyncdemoError as error:
            self._update(trouble=str(error))
        finally:
            self._say("")

    def _next(self) -> tuple[Rigging, int] | None:
        """Wait until a rigging has stayed wanted for a moment. Return it and its change count; None: end."""
        with self._lock:
            while not self._ending:
                seen = self._changes
                if self._wanted is None:
                    self._say("")
                    self._lock.wait()
                elif not self._lock.wait(_QUIET_S) and seen == self._changes:
                    chosen, self._wanted = self._wanted, None
                    return chosen, seen
            return None

    def _measure(self, testbed: Testbed, chosen: Rigging, since: int) -> None:
        def outdated() -> bool:
            return self._ending or self._changes != since

        def tell(outcome: Outcome, is_last: bool = False) -> None:
            with self._lock:
                if not outdated():
                    tried = (*self._state.tried, outcome) if is_last else self._state.tried
                    self._update(now=outcome, tried=tried)

        with contextlib.suppress(Interrupted):
            tell(testbed.measure(chosen, self._say, tell, outdated), is_last=True)

    def _say(self, doing: str) -> None:
        self._update(doing=doing)

    def _update(self, **changed: object) -> None:
        with self._lock:
            self._state = replace(self._state, **changed)  # type: ignore[arg-type]
