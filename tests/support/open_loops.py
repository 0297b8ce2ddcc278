"""A made-up record with an open loop: latencies that nobody has measured, in real histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from asyncdemo.lab.results.flags import Flag, FlagKind
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Loop, Setting
from asyncdemo.lab.results.trial import Histograms
from asyncdemo.load.histogram import Histogram
from tests.support.lab_records import a_record, a_trial

OPEN = Setting(
    "open", "1,000 per s", Loop.OPEN, ("GET /",), rate_per_s=1000.0, arrivals="poisson", duration_s=10
)
_OVERLOADED = Flag(FlagKind.OVERLOADED, "Of 1,000 requests a second 90.0% were served.", "Use a lower rate.")


def with_open_loop(
    latencies_ms: Mapping[str, Sequence[Sequence[int]]],
    overloaded: frozenset[str] = frozenset(),
    setting: Setting = OPEN,
) -> Record:
    """latencies_ms: arm -> of each round."""
    record = a_record()
    trials = tuple(
        replace(
            a_trial(arm, number, 900.0, setting.name),
            offered_per_s=1000.0,
            histograms=Histograms(latency=Histogram.of(ms * 1_000_000 for ms in of_round).encoded),
            flags=(_OVERLOADED,) if arm in overloaded else (),
        )
        for arm, rounds in latencies_ms.items()
        for number, of_round in enumerate(rounds, start=1)
    )
    return replace(record, settings=(*record.settings, setting), trials=(*record.trials, *trials))
