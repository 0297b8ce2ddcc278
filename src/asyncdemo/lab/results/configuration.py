"""The knobs of the stack, their values in the article, and what waiting alone allows with them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from asyncdemo.lab.results import laws
from asyncdemo.lab.results.published import load_article

_SYNC_A_PROCESSOR: Final = 3
"""The article has 19 sync workers on 6 processors: 3 for each, plus one."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The workers of a server that handle one request at a time (``workers_sync``) or many
    (``workers_async``).

    ``sessions`` is pgbouncer's limit, for all workers or ``per_worker``. ``delay_ms`` is the query's.
    """

    workers_sync: int
    workers_async: int
    sessions: int
    delay_ms: float
    clients: int
    per_worker: bool = False

    def __post_init__(self) -> None:
        counts = (self.workers_sync, self.workers_async, self.sessions, self.clients)
        if min(counts) < 1 or self.delay_ms < 0:
            raise ValueError(f"{self}: workers, sessions and clients are at least 1, a delay at least 0")

    def workers(self, is_sync: bool) -> int:
        return self.workers_sync if is_sync else self.workers_async

    def sessions_of(self, is_sync: bool) -> int:
        return self.sessions * (self.workers(is_sync) if self.per_worker else 1)

    @property
    def knobs(self) -> Mapping[str, int | float]:
        """What contestants of the stack are started with; the clients belong to the setting."""
        name = "sessions_per_worker" if self.per_worker else "sessions"
        return {
            "workers_sync": self.workers_sync,
            "workers_async": self.workers_async,
            name: self.sessions,
            "delay_ms": int(self.delay_ms) if self.delay_ms == int(self.delay_ms) else self.delay_ms,
        }

    def limits(self, is_sync: bool, is_pooled: bool = True) -> dict[str, int]:
        """Return limit name -> how many requests may wait at a time. ``is_pooled``: pgbouncer is used."""
        return {
            **({"workers": self.workers_sync} if is_sync else {}),
            **({"sessions": self.sessions_of(is_sync)} if is_pooled else {}),
            "clients": self.clients,
        }

    def slots(self, is_sync: bool, is_pooled: bool = True) -> int:
        return min(self.limits(is_sync, is_pooled).values())

    def bound_per_s(self, is_sync: bool, is_pooled: bool = True) -> float | None:
        """Return the most requests per second; None if the query does not wait."""
        if not self.delay_ms:
            return None
        return laws.bound_per_s(self.delay_ms, clients=self.slots(is_sync, is_pooled))

    def bound_words(self, is_sync: bool, is_pooled: bool = True) -> str:
        """Return its arithmetic: "min(19 workers, 100 sessions, 100 clients) / 20 ms = 950/s"."""
        bound = self.bound_per_s(is_sync, is_pooled)
        if bound is None:
            return "no delay, no bound"
        parts = (f"{limit} {name}" for name, limit in self.limits(is_sync, is_pooled).items())
        return f"min({', '.join(parts)}) / {self.delay_ms:g} ms = {bound:,.0f}/s"


def _setting(name: str, key: str) -> float:
    return load_article("twenty-one-pairs").find(f"settings.{key}@{name}").number


def _of_article(name: str) -> Configuration:
    return Configuration(
        workers_sync=int(_setting(name, "workers_sync")),
        workers_async=int(_setting(name, "workers_async")),
        sessions=int(_setting(name, "sessions")),
        delay_ms=_setting(name, "delay"),
        clients=int(_setting(name, "clients")),
    )


_MINE: Final = _of_article("My Benchmark")
CONFIGURATIONS: Final[Mapping[str, Configuration]] = {
    "mine": _MINE,
    "better-async": _of_article("Better Async"),
    "better-sync": _of_article("Better Sync"),
    # the article says "Variable", "4 per worker" and "None"; the workers are those of the others
    "original": replace(
        _MINE, sessions=4, per_worker=True, delay_ms=0, clients=int(_setting("Original", "clients"))
    ),
}
"""The article's settings."""


def fitted(processors: int) -> Configuration:
    """Return the article's own, with the workers that it found best: one a processor; sync: 3, plus one."""
    return replace(_MINE, workers_sync=processors * _SYNC_A_PROCESSOR + 1, workers_async=processors)
