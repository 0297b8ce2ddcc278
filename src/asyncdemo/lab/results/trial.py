"""One trial: one contestant, under one setting, in one round, as seen by the client, server and system.

``docs/reference/record-format.md`` has the meaning of every field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from asyncdemo.lab.results.flags import Flag, refuses


class TrialOutcome(StrEnum):
    MEASURED = "measured"
    NOT_STARTED = "not started"
    HUNG = "hung"
    DIED = "died"
    WRONG_ANSWER = "wrong answer"
    PORT_KEPT = "port kept"
    """It ended, but its port was still held."""
    LOAD_FAILED = "load failed"
    """The load client ended without a result while the contestant was running."""


@dataclass(frozen=True, slots=True)
class Load:
    """What the load client saw. Latencies count from the intended send, if the client has it."""

    requests: int
    answered: int
    wall_s: float
    window_s: float
    answered_in_window: int
    throughput_per_s: float
    statuses: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, int] = field(default_factory=dict)
    first_errors: Mapping[str, str] = field(default_factory=dict)
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    """"mean", and percentiles: "50", "99", "99.9", "100".

    "0" is the minimum. A percentile with fewer than 100 answers beyond it is left out.
    """
    connections: int | None = None
    open_at_once: int | None = None
    retried: int = 0
    client_cpu_s: float | None = None
    client_busy: float | None = None
    """Share of one CPU, during the window if it has a length."""
    client_waited: float | None = None
    """Share of the window in which it was ready to run but another program had its CPU."""
    lag_p99_ms: float | None = None
    engine: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of all processes of a server."""

    virtual_bytes: int
    resident_bytes: int
    proportional_bytes: int | None = None
    """Pages shared by several processes are divided among them."""


@dataclass(frozen=True, slots=True)
class Server:
    cpu_s: float
    processes: int
    before: Memory | None = None
    most: Memory | None = None


@dataclass(frozen=True, slots=True)
class System:
    """What else was going on during the window."""

    foreign_cpu: float | None = None
    """Share of all CPUs that was used outside the experiment's own process groups."""
    pressure_cpu: float | None = None
    pressure_memory: float | None = None
    pressure_io: float | None = None
    """Share of the time in which something waited for it (Linux PSI, "some")."""
    listen_overflows: int | None = None
    syn_retransmissions: int | None = None


@dataclass(frozen=True, slots=True)
class Histograms:
    """In HdrHistogram's interchange format (V2, compressed, base64), in nanoseconds; "" if there is none."""

    latency: str = ""
    connects: str = ""
    lag: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    round: int
    place: int
    arm: str
    setting: str
    started: str
    outcome: TrialOutcome
    problem: str = ""
    offered_per_s: float | None = None
    step: int = 0
    """In a search for a rate, from 1; the last step has the result."""
    load: Load | None = None
    server: Server | None = None
    system: System | None = None
    counted: Mapping[str, float] = field(default_factory=dict)
    histograms: Histograms | None = None
    flags: tuple[Flag, ...] = ()

    def __post_init__(self) -> None:
        if (self.outcome is TrialOutcome.MEASURED) != (self.load is not None):
            raise ValueError(f"a trial of {self.arm} has a load if, and only if, it was measured")
        if self.outcome is not TrialOutcome.MEASURED and not self.problem:
            raise ValueError(f"a trial of {self.arm} is {self.outcome.value}, and no problem says why")

    @property
    def counts(self) -> bool:
        """Whether its figures are used in ratios."""
        return self.outcome is TrialOutcome.MEASURED and not refuses(self.flags)

    def figure(self, path: str) -> float | None:
        """Look up ``load.throughput_per_s``, ``load.latency_ms.99.9``, ``server.most.resident_bytes``,
        ``counted.NAME``.

        Return None if this trial has no such figure. Raises ValueError if no trial can have it.
        """
        value: object = self
        rest = path
        while rest:
            if isinstance(value, Mapping):
                value, rest = value.get(rest), ""
                continue
            name, _, rest = rest.partition(".")
            if value is None:
                return None
            if not hasattr(value, name):
                raise ValueError(f"a trial has no figure {path!r}")
            value = getattr(value, name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{path!r} of a trial is no figure")
        return float(value)


def figures(trials: Iterable[Trial], arm: str, setting: str, figure: str) -> dict[int, float]:
    """Return round -> figure, if it is measured and valid; in a search, for its last step."""
    found = (
        (trial.round, trial.figure(figure))
        for trial in trials
        if trial.arm == arm and trial.setting == setting and trial.counts and not refuses(trial.flags, figure)
    )
    return {place: value for place, value in found if value}
