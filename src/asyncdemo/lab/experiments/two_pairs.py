"""Two of the twenty-one pairs under settings of the user's own, beside those of the article.

Workers, sessions, delay and clients are knobs: to set them is to choose the winner. The stack, the servers
and the measurement are those of ``twenty_one_pairs``.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, Self

from asyncdemo.errors import UsageError
from asyncdemo.lab.experiments.context import ExperimentContext
from asyncdemo.lab.experiments.entry import Entry
from asyncdemo.lab.harness.machine import find
from asyncdemo.lab.harness.protocol.description import Experiment, PlannedRow, Size
from asyncdemo.lab.harness.served_app import shared_packages
from asyncdemo.lab.results.comparison import THROUGHPUT, Published
from asyncdemo.lab.results.configuration import CONFIGURATIONS, Configuration
from asyncdemo.lab.results.published import load_article
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Extent
from asyncdemo.lab.stack.bounds import count_processors, count_server_processors, differing, waiting_bound
from asyncdemo.lab.stack.pairs import PAIRS, Pair, Stacked, condition, contestant
from asyncdemo.lab.stack.start import Stack, open_stack
from asyncdemo.packages import WITHOUT_WHEEL
from asyncdemo.render.words import count

_ARTICLE: Final = "twenty-one-pairs"
_PAIRS: Final = "PAIRS"
_USUAL: Final = ("flask-gunicorn", "starlette-uvicorn")
_DEFAULT: Final = "mine"
_SET: Final = "set"
_COLUMNS: Final = {"mine": "mine", "better-async": "better_async", "better-sync": "better_sync"}
"""A configuration of the article -> its column of published ratios."""
_MINUTES: Final = {Extent.QUICK: 1, Extent.DEFAULT: 4, Extent.FULL: 8}
_ROUNDS: Final = {Extent.QUICK: 1, Extent.DEFAULT: 7, Extent.FULL: 7}
_WINDOWS_S: Final = {Extent.QUICK: 1.0, Extent.DEFAULT: 1.5, Extent.FULL: 5.0}
_LONGEST_S: Final = 8.0
_ANSWERS: Final = 4
"""A window is long enough for this many answers to each client, if they take as long as the bound says."""


@dataclass(frozen=True, slots=True)
class _Knob:
    """``fields`` are those of the ``Configuration`` that it sets."""

    low: int
    high: int
    fields: tuple[str, ...]


KNOBS: Final[Mapping[str, _Knob]] = {
    "WORKERS": _Knob(1, 64, ("workers_sync", "workers_async")),
    "SESSIONS": _Knob(1, 200, ("sessions",)),
    "DELAY_MS": _Knob(0, 1000, ("delay_ms",)),
    "CLIENTS": _Knob(1, 1000, ("clients",)),
}


@dataclass(frozen=True, slots=True)
class TwoPairs(Entry):
    """``settings`` are as typed. ``pairs``: the second is compared with the first."""

    settings: tuple[str, ...] = ()
    pairs: tuple[str, str] = _USUAL
    configuration: Configuration = CONFIGURATIONS[_DEFAULT]

    @classmethod
    def of(cls, entry: Entry, settings: Sequence[str]) -> Self:
        """Return two pairs of ``entry`` under settings as typed. Raises UsageError if one is wrong."""
        pairs, configuration = _USUAL, CONFIGURATIONS[_DEFAULT]
        for typed in settings:
            name, equals, value = (part.strip() for part in typed.partition("="))
            if equals and name == _PAIRS:
                pairs = _parse_pairs(value)
            elif equals and name in KNOBS:
                number = _parse_number(name, value)
                changed = dict.fromkeys(KNOBS[name].fields, number)
                configuration = replace(configuration, **changed)  # type: ignore[arg-type]
            else:
                raise UsageError(
                    f"{typed!r} does not set a knob. The knobs are {', '.join(KNOBS)}, each a number, and "
                    f"{_PAIRS}, two names. An example: --set WORKERS=4"
                )
        return cls(
            "two-pairs",
            " and ".join(PAIRS[name].title for name in reversed(pairs)),
            entry.home,
            entry.lessons,
            _MINUTES,
            entry.needs,
            settings=tuple(settings),
            pairs=pairs,
            configuration=configuration,
        )

    @property
    def arguments(self) -> tuple[str, ...]:
        return (_ARTICLE, *(word for typed in self.settings for word in ("--set", typed)))

    @contextmanager
    def prepared(self, context: ExperimentContext) -> Iterator[Experiment]:
        """Raises MissingError and ServiceError."""
        with open_stack(context.say) as stack:
            yield self.described(stack, context)

    def described(self, stack: Stack, context: ExperimentContext) -> Experiment:
        is_pooled, processors = stack.pooler is not None, count_processors()
        base, arm = (PAIRS[name] for name in self.pairs)
        contestants = tuple(
            contestant(stack, pair, context.apps, context.on_progress) for pair in (base, arm)
        )
        served = [item.served.served for item in contestants if isinstance(item.served, Stacked)]
        rows = [
            PlannedRow(
                f"{arm.row} and {base.row}",
                THROUGHPUT,
                arm.name,
                base.name,
                name,
                published=_published(arm, base, configuration),
                bound=waiting_bound(THROUGHPUT, configuration, (arm, base), is_pooled),
                differs=differing(arm, configuration, processors),
            )
            for name, configuration in self._configurations.items()
        ]
        return Experiment(
            self.name,
            self.title,
            contestants,
            tuple(
                condition(stack, name, _TITLES[name], configuration, in_full=place == 0)
                for place, (name, configuration) in enumerate(self._configurations.items())
            ),
            tuple(rows),
            {extent: self._size(extent, is_pooled) for extent in Extent},
            article=_ARTICLE,
            lesson=self.home,
            packages=tuple(name for name in shared_packages(served) if name not in WITHOUT_WHEEL),
            programs=stack.programs,
            missing=stack.missing,
            own_pids=stack.pids,
            died=stack.died,
            notes=(stack.words,),
        )

    @property
    def _configurations(self) -> dict[str, Configuration]:
        """The user's own first, then the article's for comparison, unless it is the same."""
        own = {_SET: self.configuration, _DEFAULT: CONFIGURATIONS[_DEFAULT]}
        return {_DEFAULT: self.configuration} if own[_SET] == own[_DEFAULT] else own

    def _size(self, extent: Extent, is_pooled: bool) -> Size:
        windows_s = {
            name: max(_WINDOWS_S[extent], min(self._patience_s(configuration, is_pooled), _LONGEST_S))
            for name, configuration in self._configurations.items()
        }
        shortest_s = _WINDOWS_S[extent]
        return Size(_ROUNDS[extent], shortest_s, 0.5, most_warm_ups=1, windows_s=windows_s)

    def _patience_s(self, configuration: Configuration, is_pooled: bool) -> float:
        """Return how long several answers to each client of the slower pair take."""
        bounds = [configuration.bound_per_s(PAIRS[name].is_sync, is_pooled) for name in self.pairs]
        slowest = min((bound for bound in bounds if bound is not None), default=None)
        return _ANSWERS * configuration.clients / slowest if slowest else 0.0

    # -- the bounds, in words ------------------------------------------------------------------------

    def bounds(self) -> Sequence[str]:
        return (
            "What the settings allow, by arithmetic (a request's CPU time is yet to be measured):",
            *self._lines(find("pgbouncer") is not None, {}),
        )

    def costs(self, record: Record) -> Sequence[str]:
        cpu_ms = {
            (name, pair): statistics.median(found)
            for name in self._configurations
            for pair in self.pairs
            if (found := _cpu_ms(record, pair, name))
        }
        if not cpu_ms:
            return ()
        is_pooled = "pgbouncer" not in record.environment.missing
        return ("What they allow, with the CPU time that a request took:", *self._lines(is_pooled, cpu_ms))

    def _lines(self, is_pooled: bool, cpu_ms: Mapping[tuple[str, str], float]) -> Iterator[str]:
        """``cpu_ms`` is of a request, by setting and pair, as far as it is known."""
        processors = count_server_processors()
        for name, configuration in self._configurations.items():
            bounds: list[float | None] = []
            for pair in map(PAIRS.__getitem__, self.pairs):
                waiting = configuration.bound_per_s(pair.is_sync, is_pooled)
                workers, took_ms = configuration.workers(pair.is_sync), cpu_ms.get((name, pair.name))
                words = f"min({count(workers, 'worker')}, {count(processors, 'processor')}) / "
                if took_ms is None:
                    words += "CPU time"
                    bounds.append(waiting)
                else:
                    computing = min(workers, processors) / took_ms * 1000
                    words += f"{took_ms:.3g} ms CPU = {computing:,.0f}/s"
                    bounds.append(computing if waiting is None else min(waiting, computing))
                yield (
                    f"{_TITLES[name]}, {pair.title}: "
                    f"{configuration.bound_words(pair.is_sync, is_pooled)}; {words}"
                )
            base, own = bounds
            if base and own:
                alone = "" if cpu_ms else ", by waiting alone"
                yield f"{_TITLES[name]}: the bounds of {self.title} are {own / base:.2f} to 1{alone}"


def _cpu_ms(record: Record, arm: str, setting: str) -> list[float]:
    """Return the CPU time of a request in each trial."""
    return [
        trial.server.cpu_s / trial.load.answered * 1000
        for trial in record.trials
        if (trial.arm, trial.setting) == (arm, setting)
        and trial.server is not None
        and trial.load is not None
        and trial.load.answered
    ]


_TITLES: Final = {_SET: "Your settings", _DEFAULT: "The article's own settings"}


def _parse_number(name: str, typed: str) -> int:
    knob = KNOBS[name]
    if not typed.isdecimal() or not knob.low <= int(typed) <= knob.high:
        raise UsageError(f"{name} is a whole number from {knob.low} to {knob.high}, not {typed!r}.")
    return int(typed)


def _parse_pairs(typed: str) -> tuple[str, str]:
    names = [name.strip() for name in typed.split(",")]
    if len(names) != 2 or names[0] == names[1] or not PAIRS.keys() >= {*names}:
        raise UsageError(
            f"{_PAIRS} is two names with a comma, and the second is compared with the first: "
            f"{_PAIRS}={','.join(_USUAL)}. There are {', '.join(PAIRS)}."
        )
    return names[0], names[1]


def _published(arm: Pair, base: Pair, configuration: Configuration) -> Published | None:
    """Return the article's ratio of the two, if it published one for this configuration."""
    table = load_article(_ARTICLE).table("reconfigured")
    for name, column in _COLUMNS.items():
        if CONFIGURATIONS[name] == configuration:
            own, of_base = (table.figure(table.row(pair.row), column).number for pair in (arm, base))
            words = f"{own:.2f} and {of_base:.2f} times Flask on Gunicorn"
            return Published(words, own / of_base)
    return None
