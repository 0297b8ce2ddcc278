"""What one worker measured, its wire format, and merging the results of several. Pure.

Also two tests of recorded times: whether the arrivals fit a Poisson process of the rate.
"""

from __future__ import annotations

import math
import random
from collections import ChainMap, Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from itertools import islice, pairwise
from typing import Any, Final, Self

from asyncdemo.errors import UsageError
from asyncdemo.load import Plan, Result, Send
from asyncdemo.load.arrivals import arrivals_ns
from asyncdemo.load.events import Answered, Event, Sent
from asyncdemo.load.histogram import Histogram
from asyncdemo.load.plan import read_url

_NOT_ANSWERED: Final = -1


@dataclass(frozen=True, slots=True)
class Share:
    """``worker`` counts from 0. ``arrivals_ns`` are the intended times, from the start of this worker's load.

    ``sent_ns`` are the actual ones. ``latencies_ns`` count from the intended time; -1 if there was no answer.
    """

    worker: int
    plan: Plan
    result: Result
    arrivals_ns: Sequence[int]
    sent_ns: Sequence[int]
    latencies_ns: Sequence[int]

    def to_wire(self) -> dict[str, Any]:
        """Return values that msgpack supports."""
        return {
            "worker": self.worker,
            "plan": self.plan.to_json(),
            "result": self.result.to_json(),
            "arrivals_ns": list(self.arrivals_ns),
            "sent_ns": list(self.sent_ns),
            "latencies_ns": list(self.latencies_ns),
        }

    @classmethod
    def from_wire(cls, fields: Mapping[str, Any]) -> Self:
        """Parse the result of ``to_wire``."""
        return cls(
            int(fields["worker"]),
            Plan.from_json(fields["plan"]),
            Result.from_json(fields["result"]),
            fields["arrivals_ns"],
            fields["sent_ns"],
            fields["latencies_ns"],
        )

    def to_json(self) -> dict[str, Any]:
        """Return the file format, which names the requests sent."""
        plan = asdict(self.plan)
        del plan["sends"]
        sends = [f"{send.method} {send.path}" for send in self.plan.sends]
        return {**self.to_wire(), "sends": sends, "plan": plan}


class Stopwatch:
    """Collects the data of each request for a share, from the load client's events."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._intended_ns: dict[int, int] = {}
        self._sent_ns: dict[int, int] = {}
        self._latencies_ns: dict[int, int] = {}

    def handle(self, event: Event) -> tuple[float, str | None] | None:
        """For the end of a request, return its latency in ms, and the error, if any."""
        if isinstance(event, Sent):
            self._intended_ns.setdefault(event.number, event.intended_ns)
            self._sent_ns.setdefault(event.number, event.sent_ns)
        if not isinstance(event, Answered) or event.number not in self._intended_ns:
            return None
        latency_ns = event.at_ns - self._intended_ns[event.number]
        if event.error is None:
            self._latencies_ns[event.number] = latency_ns
        return latency_ns / 1e6, event.error

    def share(self, worker: int, result: Result) -> Share:
        numbers = sorted(self._intended_ns)
        # The schedule gives the time of any request since the start of the load.
        first = next(iter(numbers), 0)
        start_ns = self._intended_ns.get(first, 0) - next(islice(arrivals_ns(self._plan), first, None), 0)
        return Share(
            worker,
            self._plan,
            result,
            [self._intended_ns[number] - start_ns for number in numbers],
            [self._sent_ns[number] - start_ns for number in numbers],
            [self._latencies_ns.get(number, _NOT_ANSWERED) for number in numbers],
        )


def whole_plan(url: str, path: str, options: Any, **more: Any) -> Plan:
    """Return the load of all workers together. ``options`` are as typed. Raises UsageError."""
    host, port, own_path = read_url(url)
    return Plan(
        host,
        port,
        (Send("GET", path or own_path),),
        duration_s=options.duration,
        rate=options.rate,
        arrivals="poisson",
        seed=options.seed,
        timeout_s=options.timeout,
        keep_alive=options.keep_alive,
        **more,
    )


def divide(whole: Plan, workers: int) -> list[Plan]:
    """Return a plan for each worker: the same share of the rate, but its own seed. Raises UsageError."""
    if whole.rate is None or whole.arrivals != "poisson":
        raise UsageError("only Poisson arrivals can be divided: the sum of other streams is another stream")
    return [
        replace(whole, rate=whole.rate / workers, seed=_seed(whole.seed, worker)) for worker in range(workers)
    ]


def superpose(shares: Iterable[Share]) -> list[int]:
    """Return when each request was really sent, from the start of its own worker's load.

    Independent Poisson streams can be superposed whatever their zero points.
    """
    return sorted(sent_ns for share in shares for sent_ns in share.sent_ns)


_SUMMED: Final = (
    *("requests", "answered", "answered_in_window", "cpu_s", "window_cpu_s", "retried", "connections"),
    "open_at_once",
)


def merge(shares: Sequence[Share]) -> Result:
    """Merge at least one share. The notes name what each worker could only know about itself."""
    results = [share.result for share in shares]

    def each(field: str) -> list[Any]:
        return [getattr(result, field) for result in results]

    notes = dict.fromkeys(note for result in results for note in result.notes)
    if len(results) > 1:
        notes["At once at the most: the sum of what each worker had, which need not have been together."] = (
            None
        )
    waited = [waited_s for waited_s in each("window_waited_s") if waited_s is not None]
    return Result(
        **{field: sum(each(field)) for field in _SUMMED},
        **{field: max(each(field)) for field in ("wall_s", "window_s")},
        **{field: reduce(Histogram.added, each(field)) for field in ("histogram", "connects", "late_ns")},
        statuses=_add_counts(each("statuses")),
        errors=_add_counts(each("errors")),
        first_errors=dict(ChainMap(*each("first_errors"))),
        engine=" and ".join(sorted(set(each("engine")))),
        interrupted=any(each("interrupted")),
        notes=tuple(notes),
        window_waited_s=sum(waited) if waited else None,
    )


def _add_counts(counts: Iterable[Mapping[Any, int]]) -> dict[Any, int]:
    found: Counter[Any] = Counter()
    for count in counts:
        found.update(count)
    return dict(found)


def _seed(seed: int, worker: int) -> int:
    return random.Random(f"{seed}/{worker}/worker").getrandbits(31)


_SECOND_NS = 1e9
_TERMS = 100


def count_p(count: int, expected: float) -> float:
    """Return the probability of a count at least this far from the expected one.

    Normal approximation, two-sided; good from a few dozen. ``expected``, rate × duration, is also the
    variance.
    """
    if not expected > 0:
        raise ValueError(f"expected is {expected}; it must be above 0")
    return math.erfc(abs(count - expected) / math.sqrt(2 * expected))


def gaps_p(arrivals_ns: Sequence[int], rate: float) -> float:
    """Return the probability of gaps at least this far from exponential ones of this rate.

    ``arrivals_ns`` are in order. A Kolmogorov-Smirnov test against a given distribution, not a fitted one,
    with the limit's series and Stephens' correction for a finite number (Journal of the Royal Statistical
    Society B 32, 1970). Raises ValueError for fewer than two arrivals.
    """
    gaps_s = sorted((later - earlier) / _SECOND_NS for earlier, later in pairwise(arrivals_ns))
    if not gaps_s:
        raise ValueError("there is no gap between fewer than two arrivals")
    many = len(gaps_s)
    furthest = 0.0
    for place, gap_s in enumerate(gaps_s):
        share = -math.expm1(-rate * gap_s)
        furthest = max(furthest, share - place / many, (place + 1) / many - share)
    scaled = furthest * (math.sqrt(many) + 0.12 + 0.11 / math.sqrt(many))
    terms = ((-1) ** (term - 1) * math.exp(-2 * (term * scaled) ** 2) for term in range(1, _TERMS))
    return min(1.0, max(0.0, 2 * sum(terms))) if scaled > 0.2 else 1.0
