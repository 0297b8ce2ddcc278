"""Where values lie on an axis, and which of them get a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.render.timeline.scales import Scale

values = st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=20)


@given(values, st.booleans())
def test_every_value_is_on_the_axis_in_its_order(shown: list[float], logarithmic: bool) -> None:
    scale = Scale.around(shown, logarithmic=logarithmic)
    places = [scale.percent(value) for value in sorted(shown)]
    assert places == sorted(places)
    assert all(-1e-6 <= place <= 100 + 1e-6 for place in places)


def test_lines_are_round() -> None:
    assert Scale.around([4907.53], logarithmic=False).lines == (0, 2000, 4000)
    assert Scale.around([0.8, 5.56], logarithmic=True).lines == (1, 2, 5)
    assert Scale.around([4.69, 10_110], logarithmic=True).lines == (10, 100, 1000, 10_000)
    assert Scale.around([0.9, 1.38], logarithmic=True).lines == (1.0, 1.2, 1.4)


def test_zero_has_no_place_on_a_logarithmic_axis() -> None:
    with pytest.raises(ValueError, match="logarithmic"):
        Scale.around([0, 1], logarithmic=True)
