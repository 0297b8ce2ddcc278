"""Many durations as one HdrHistogram: each accurate to 0.1 %, whatever its size."""

from __future__ import annotations

import base64
import warnings
import zlib
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Self

from asyncdemo.load.needed import check_installed

_LOWEST_NS = 64
_SHIFT = 6
"""Finer than any clock reading is accurate; a million durations then have few distinct values."""
_HIGHEST_NS = 3_600_000_000_000
"""An hour; longer durations count as this."""
_SIGNIFICANT_DIGITS = 3
_COOKIE_AND_LENGTH = 8
_MOST_BYTES = 1_000_000
"""A histogram with these settings has 27,000 counts, of at most nine bytes."""


class Histogram:
    """Durations in nanoseconds. ``encoded`` is in HdrHistogram's format (V2, compressed, base64)."""

    def __init__(self, encoded: str) -> None:
        self.encoded = encoded

    @classmethod
    def of(cls, durations_ns: Iterable[int]) -> Self:
        histogram = library().HdrHistogram(_LOWEST_NS, _HIGHEST_NS, _SIGNIFICANT_DIGITS)
        for value, count in Counter([duration >> _SHIFT for duration in durations_ns]).items():
            histogram.record_value(min(max(value, 0) << _SHIFT, _HIGHEST_NS), count)
        return cls(histogram.encode().decode())

    @property
    def count(self) -> int:
        return int(self._decoded.get_total_count())

    @property
    def mean_ns(self) -> float:
        return float(self._decoded.get_mean_value()) if self.count else 0.0

    @property
    def least_ns(self) -> int:
        return int(self._decoded.get_min_value()) if self.count else 0

    @property
    def most_ns(self) -> int:
        return int(self._decoded.get_max_value()) if self.count else 0

    def percentile_ns(self, percent: float) -> int:
        """Return the shortest duration that this percentage does not exceed; 0 if there is none at all."""
        return int(self._decoded.get_value_at_percentile(percent)) if self.count else 0

    def percentiles_ns(self, percents: Iterable[float]) -> dict[float, int]:
        wanted = list(percents)
        if not self.count:
            return dict.fromkeys(wanted, 0)
        found = self._decoded.get_percentile_to_value_dict(wanted)
        return {percent: int(found[percent]) for percent in wanted}

    def added(self, other: Histogram) -> Histogram:
        """Return the sum of both, as for two clients that ran at the same time."""
        histogram = library().HdrHistogram(_LOWEST_NS, _HIGHEST_NS, _SIGNIFICANT_DIGITS)
        histogram.add(self._decoded)
        histogram.add(other._decoded)
        return Histogram(histogram.encode().decode())

    @cached_property
    def _decoded(self) -> Any:
        self._check_size()
        return library().HdrHistogram.decode(self.encoded)

    def _check_size(self) -> None:
        """Raise ValueError if it unpacks to more than one of ours can: it may be from another machine."""
        packed = base64.b64decode(self.encoded)[_COOKIE_AND_LENGTH:]
        if len(zlib.decompressobj().decompress(packed, _MOST_BYTES + 1)) > _MOST_BYTES:
            raise ValueError(f"it unpacks to more than {_MOST_BYTES // 1000} kB")


def library() -> Any:
    """Return the module ``hdrh.histogram``."""
    check_installed()
    with warnings.catch_warnings():
        # from Python 3.14 on, about its structures, whose byte layout is unchanged
        warnings.filterwarnings("ignore", "Due to '_pack_'", DeprecationWarning)
        from hdrh import histogram  # type: ignore[import-untyped]

    return histogram
