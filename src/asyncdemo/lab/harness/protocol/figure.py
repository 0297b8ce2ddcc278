"""What a row of a report compares: a figure of a trial, as it is called and counted wherever it stands.

Not for: what a trial's figures are (``record.figures``), or the percentiles that an article happens to name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from asyncdemo.lab.results.comparison import Better

__all__ = ["MEAN_LATENCY", "THROUGHPUT", "Figure", "latency", "percent_of"]

_LATENCY: Final = "load.latency_ms."


@dataclass(frozen=True, slots=True)
class Figure:
    """key: the path to it in a trial, ``load.latency_ms.99``. unit: "" of plain numbers."""

    key: str
    title: str
    unit: str
    better: Better


def latency(percent: str) -> Figure:
    title = "Median latency" if percent == "50" else f"Latency, {percent} %"
    return Figure(f"{_LATENCY}{percent}", title, "ms", Better.LESS)


THROUGHPUT: Final = Figure("load.throughput_per_s", "Requests per second", "/s", Better.MORE)
MEAN_LATENCY: Final = Figure(f"{_LATENCY}mean", "Mean latency", "ms", Better.LESS)


def percent_of(figure: Figure) -> str | None:
    """Of the 99th percentile of the latency "99"; None of other figures, and of its mean."""
    percent = figure.key.removeprefix(_LATENCY)
    return None if percent in {figure.key, "mean"} else percent
