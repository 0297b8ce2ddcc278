"""Histograms: every percentile to 0.1 %, and the same after travelling; results likewise."""

from __future__ import annotations

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.load import Result
from asyncdemo.load.histogram import Histogram, library
from asyncdemo.load.result import Tally

MS = 1_000_000
PERCENTS = (0, 1, 50, 90, 99, 99.9, 100)


@given(st.lists(st.integers(10_000, 3_000_000_000_000), min_size=1), st.sampled_from(PERCENTS))
def test_percentiles_are_within_a_thousandth_of_a_duration(durations: list[int], percent: float) -> None:
    histogram = Histogram(Histogram.of(durations).encoded)
    found = histogram.percentile_ns(percent)
    rank = max(1, round(percent / 100 * len(durations) + 1e-9))
    near = sorted(durations)[max(0, rank - 2) : rank + 1]
    assert min(near) * 0.999 - 64 <= found <= max(near) * 1.002 + 64
    assert histogram.count == len(durations)


def test_the_figures_of_a_hundred() -> None:
    histogram = Histogram.of([number * MS for number in range(1, 101)])
    assert histogram.percentile_ns(50) == pytest.approx(50 * MS, rel=0.002)
    assert histogram.percentile_ns(99) == pytest.approx(99 * MS, rel=0.002)
    assert histogram.most_ns == pytest.approx(100 * MS, rel=0.002)
    assert histogram.least_ns == pytest.approx(MS, rel=0.002)
    assert histogram.mean_ns == pytest.approx(50.5 * MS, rel=0.002)


def test_nothing_measured_is_all_zero() -> None:
    empty = Histogram(Histogram.of([]).encoded)
    figures = (empty.count, empty.percentile_ns(99), empty.least_ns, empty.most_ns, empty.mean_ns)
    assert set(figures) == {0}


def test_time_over_an_hour_is_an_hour_and_a_negative_one_is_zero() -> None:
    histogram = Histogram.of([10**15, -5])
    assert histogram.count == 2
    assert histogram.most_ns == pytest.approx(3_600 * 10**9, rel=0.002)
    assert histogram.least_ns < 100


def test_two_clients_histograms_add_up() -> None:
    both = Histogram.of([MS] * 3).added(Histogram.of([9 * MS] * 5))
    assert both.count == 8
    assert both.percentile_ns(25) < 2 * MS < 8 * MS < both.percentile_ns(75)


def test_it_is_hdrhistograms_own_format() -> None:
    encoded = Histogram.of([5 * MS] * 7).encoded
    assert encoded.startswith("HISTFAAAA")
    assert library().HdrHistogram.decode(encoded).get_total_count() == 7


def test_a_result_is_the_same_after_it_travelled() -> None:
    tally = Tally()
    tally.start_ns, tally.begun = 1000, 3
    tally.latencies.extend([MS, 2 * MS])
    tally.statuses[200] = tally.statuses[404] = 1
    tally.close_window(500_001_000)
    tally.fail("timeout", "no whole response within 30 s", 2_000_001_000)
    result = tally.result(2, 0.5, "asyncio", False)
    travelled = Result.from_json(json.loads(json.dumps(result.to_json())))
    assert travelled.to_json() == result.to_json()
    assert travelled.statuses == {200: 1, 404: 1}
    assert travelled.percentiles() == result.percentiles()
    assert (travelled.failed, travelled.answered, travelled.wall_s, travelled.window_s) == (1, 2, 2.0, 0.5)
    assert travelled.requests_per_s == 1.0
    assert travelled.notes == ()


def test_a_client_at_its_limit_says_so() -> None:
    tally = Tally()
    tally.end_ns = 2_000_000_000
    assert "95% of a CPU" in tally.result(1, 1.9, "asyncio", False).notes[0]
    assert tally.result(1, 1.5, "asyncio", False).notes == ()


def test_text_that_unpacks_to_too_much_is_refused() -> None:
    bomb = base64.b64decode(Histogram.of([MS]).encoded)[:8] + zlib.compress(bytes(2_000_000))
    with pytest.raises(ValueError, match="unpacks to more than 1000 kB"):
        _ = Histogram(base64.b64encode(bomb).decode()).count
