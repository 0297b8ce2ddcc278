"""The rig: its knobs, what waiting and processors allow with them, and the result of a measurement. Pure.

One job, two servers, one database: whoever sets the knobs chooses the winner. Not here: measuring (see
``lab.rig``), or display (see ``render.terminal.rig``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from asyncdemo.errors import UsageError
from asyncdemo.lab.results.configuration import CONFIGURATIONS, Configuration
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.ratio import Ratio

OURS: Final = "asyncdemo.load"
"""The engine name of our own load client."""
BEWARE: Final = frozenset({"aiohttp", "httpx"})
"""Load clients that spend more on a request than many servers do."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two servers. ``pair`` is its name in the stack."""

    name: str
    is_sync: bool
    pair: str
    title: str


SIDES: Final = (
    Side("sync", True, "flask-gunicorn", "Flask on Gunicorn"),
    Side("async", False, "starlette-uvicorn", "Starlette on uvicorn"),
)


@dataclass(frozen=True, slots=True)
class Knob:
    """Keys select ``steps``; values from ``low`` to ``high`` can be typed. Without steps: the load client."""

    name: str
    title: str
    unit: str
    field: str
    low: int = 0
    high: int = 0
    steps: tuple[int, ...] = ()


KNOBS: Final = (
    Knob("workers", "workers, sync", "", "workers_sync", 1, 64, (1, 2, 4, 6, 8, 12, 19, 24, 32, 48, 64)),
    Knob("async-workers", "workers, async", "", "workers_async", 1, 32, (1, 2, 3, 4, 6, 8, 12, 16)),
    Knob("sessions", "database sessions", "", "sessions", 1, 200, (1, 2, 4, 8, 12, 19, 24, 50, 100, 200)),
    Knob("delay", "query delay", "ms", "delay_ms", 0, 1000, (0, 1, 2, 5, 10, 20, 40, 80, 160, 320)),
    Knob("clients", "clients", "", "clients", 1, 1000, (1, 2, 4, 8, 12, 19, 24, 50, 100, 200, 400)),
    Knob("client", "load client", "", ""),
)


@dataclass(frozen=True, slots=True)
class Machine:
    """What limits the rig besides its knobs.

    ``processors`` is how many a server may use. ``is_pooled``: pgbouncer is used. ``cpu_ms`` maps a side's
    name to its measured CPU time for a request; without it, the processors' limit is unknown.
    """

    processors: int
    is_pooled: bool = True
    cpu_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rigging:
    """The settings of the rig. ``client`` is the engine name of the load client."""

    configuration: Configuration
    client: str = OURS

    def value(self, knob: Knob) -> str:
        return f"{getattr(self.configuration, knob.field):g}" if knob.steps else client_name(self.client)

    def with_value(self, knob: Knob, value: int) -> Rigging:
        change: dict[str, Any] = {knob.field: value}
        return replace(self, configuration=replace(self.configuration, **change))

    def stepped(self, knob: Knob, by: int, clients: Sequence[str]) -> Rigging:
        """Go one step up (1) or down (-1), if there is one. ``clients`` are the available load clients."""
        if not knob.steps:
            place = clients.index(self.client) + by
            return replace(self, client=clients[max(0, min(place, len(clients) - 1))])
        now = getattr(self.configuration, knob.field)
        beyond = [step for step in knob.steps if (step > now if by > 0 else step < now)]
        if not beyond:
            return self
        return self.with_value(knob, min(beyond) if by > 0 else max(beyond))

    def idle(self, knob: Knob, machine: Machine, clients: Sequence[str]) -> str:
        """Return why the knob has no effect here, or "". ``clients`` are the available load clients."""
        if knob.name == "sessions" and not machine.is_pooled:
            return "no effect: pgbouncer, which limits them, is not installed"
        if not knob.steps and len(clients) < 2:
            return "no effect: no other load client is installed"
        return ""

    def bound_per_s(self, side: Side, machine: Machine) -> float | None:
        """Return the most requests per second; None if no limit is known."""
        waiting = self.configuration.bound_per_s(side.is_sync, machine.is_pooled)
        bounds = (waiting, self.computing_per_s(side, machine))
        return min((bound for bound in bounds if bound is not None), default=None)

    def computing_per_s(self, side: Side, machine: Machine) -> float | None:
        """Return the processors' limit; None until the CPU time for a request has been measured.

        A worker computes on one processor at a time. Other users, such as the database, lower the limit.
        """
        cpu_ms = machine.cpu_ms.get(side.name)
        workers = self.configuration.workers(side.is_sync)
        return None if not cpu_ms else min(workers, machine.processors) / cpu_ms * 1000

    def computing_words(self, side: Side, machine: Machine) -> str:
        """Return the arithmetic of the processors' limit, as far as it is known."""
        workers, processors = self.configuration.workers(side.is_sync), machine.processors
        limits = (
            f"min({workers} worker{'s' * (workers != 1)}, {processors} processor{'s' * (processors != 1)})"
        )
        bound = self.computing_per_s(side, machine)
        if bound is None:
            return f"{limits} / ? ms (not measured yet)"
        return f"{limits} / {machine.cpu_ms[side.name]:.3g} ms = {bound:,.0f}/s"

    def binding(self, side: Side, machine: Machine) -> tuple[str, ...]:
        """Return the lowest of the limits; several if they tie, none if none is known."""
        chosen = self.configuration
        waiting = chosen.bound_per_s(side.is_sync, machine.is_pooled)
        computing = self.computing_per_s(side, machine)
        if computing is not None and (waiting is None or computing < waiting):
            return ("processors" if machine.processors <= chosen.workers(side.is_sync) else "workers",)
        if waiting is None:
            return ()
        limits = chosen.limits(side.is_sync, machine.is_pooled)
        return tuple(name for name, limit in limits.items() if limit == min(limits.values()))

    def bound_ratio(self, machine: Machine) -> float | None:
        """Return async to sync, if both reached their bound."""
        sync, other = (self.bound_per_s(side, machine) for side in SIDES)
        return None if sync is None or other is None else other / sync


@dataclass(frozen=True, slots=True)
class Preset:
    """``published`` is Starlette on uvicorn to Flask on Gunicorn; None if the article doesn't give it."""

    title: str
    configuration: Configuration
    published: float | None


def _presets() -> Mapping[str, Preset]:
    table = load_article("twenty-one-pairs").table("reconfigured")
    row = table.row("Starlette · Uvicorn")
    named = (
        ("mine", "the article's own", "mine"),
        ("better-async", "better async", "better_async"),
        ("better-sync", "better sync", "better_sync"),
        ("original", "as before it", ""),
    )
    return {
        str(key): Preset(title, CONFIGURATIONS[name], table.figure(row, column).value if column else None)
        for key, (name, title, column) in enumerate(named, start=1)
    }


PRESETS: Final = _presets()
"""Key -> a configuration of the article, under the article's name."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The measurement of one rigging. ``per_s``: a side's name -> its median. ``ratio`` is async to sync.

    ``refused`` has one sentence for each kind of invalid rounds, about the worst. ``rounds`` are planned,
    ``done`` completed. ``failed`` is why nothing was measured. ``cpu_ms``: side -> CPU time for a request.
    """

    rigging: Rigging
    rounds: int
    per_s: Mapping[str, float]
    ratio: Ratio | None = None
    refused: Mapping[FlagKind, str] = field(default_factory=dict)
    failed: str = ""
    done: int = 0
    cpu_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def winner(self) -> str:
        """Return "sync", "async", "no ranking", "refused" if no round is valid, "failed"; "" until all are
        done.
        """
        if self.failed:
            return "failed"
        if self.done < self.rounds:
            return ""
        if self.ratio is None:
            return "refused"
        if self.ratio.holds_one or len(self.ratio.pairs) < self.rounds:
            return "no ranking"
        return "async" if self.ratio.least > 1 else "sync"


def with_settings(rigging: Rigging, settings: Iterable[str], clients: Sequence[str]) -> Rigging:
    """Apply settings in the form ``NAME=VALUE``, as typed. Raises UsageError."""
    named = {knob.name: knob for knob in KNOBS}
    for setting in settings:
        name, equals, typed = (part.strip() for part in setting.partition("="))
        knob = named.get(name)
        if not equals or knob is None:
            raise UsageError(
                f"{setting!r} does not set a knob of the rig. Its knobs are {', '.join(named)}. "
                "An example: workers=4"
            )
        if not knob.steps:
            there = {client_name(client): client for client in clients}
            if typed not in there:
                raise UsageError(f"There is no load client {typed!r} here. There are: {', '.join(there)}.")
            rigging = replace(rigging, client=there[typed])
            continue
        if not typed.isdecimal() or not knob.low <= int(typed) <= knob.high:
            raise UsageError(f"{name} is a whole number from {knob.low} to {knob.high}, not {typed!r}.")
        rigging = rigging.with_value(knob, int(typed))
    return rigging


def client_name(client: str) -> str:
    return "ours" if client == OURS else client
