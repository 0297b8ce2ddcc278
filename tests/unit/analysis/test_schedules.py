"""Schedules as tokens, and where two runs part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.analysis.schedules import Moment, first_difference, parse_token, token_of
from asyncdemo.errors import UsageError
from asyncdemo.model import Run
from tests.support.runs import Story

MOST_NS = 1_000_000_000


@given(
    st.integers(0, 10**17)
    | st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, MOST_NS)), max_size=6).map(tuple)
)
def test_a_token_says_the_schedule(delays: int | tuple[tuple[int, int], ...]) -> None:
    assert parse_token(token_of(delays)) == delays


def test_a_token_can_be_read() -> None:
    assert token_of(((12, 40_000_000), (31, 500_000))) == "12+40ms,31+0.5ms"


@pytest.mark.parametrize("token", ["", "x", "-1", "12+", "12+40", "12+40ms,", "12+40s", "1" * 40, "²"])
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(UsageError, match="is not a schedule"):
        parse_token(token)


def in_turn(first_ms: float, second_ms: float) -> Run:
    story = Story()
    story.task("first").sleeps(first_ms).returns()
    story.task("second", at=200).sleeps(second_ms).returns()
    return story.run()


def test_two_runs_part_where_two_things_change_places() -> None:
    difference = first_difference(in_turn(100, 100), in_turn(250, 100))
    assert difference is not None
    assert difference.first == (Moment("first ends", 100_000_000), Moment("second begins", 200_000_000))
    assert difference.second == (Moment("second begins", 200_000_000), Moment("first ends", 250_000_000))


def test_other_times_in_the_same_order_are_no_difference() -> None:
    assert first_difference(in_turn(100, 100), in_turn(150, 300)) is None


def test_what_happens_at_the_same_time_has_no_order() -> None:
    assert first_difference(in_turn(200, 100), in_turn(250, 100)) is None
    assert first_difference(in_turn(250, 100), in_turn(200, 100)) is None


def test_what_only_one_of_them_does_is_a_difference(story: Story) -> None:
    story.task("first").sleeps(100).returns()
    difference = first_difference(in_turn(100, 100), story.run())
    assert difference is not None
    assert difference.first == (Moment("second begins", 200_000_000),)
    assert not difference.second
