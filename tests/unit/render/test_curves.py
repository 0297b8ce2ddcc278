"""Memory over time, cut to the columns of a picture."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.model import Run
from asyncdemo.render.timeline.curves import column_values, memory_curves, most_of
from tests.support.runs import Story, ns


def sampled(*samples: tuple[float, float], until: float = 100) -> Run:
    story = Story()
    story.task("a").sleeps(until).returns()
    for at, resident_mb in samples:
        story.has_memory(at, resident_mb, 10 * resident_mb)
    return story.run()


def test_there_is_one_for_what_is_resident_and_one_for_what_is_reserved() -> None:
    resident, virtual = memory_curves(sampled((-10, 40), (10, 50), (20, 45)))
    assert (resident.label, resident.words) == ("resident", "40.0 MB at first, 50.0 MB at most")
    assert resident.points == ((0, 40_000_000), (ns(10), 50_000_000), (ns(20), 45_000_000))
    assert (virtual.label, virtual.most) == ("virtual", 500_000_000)


def test_of_the_time_before_the_rows_only_the_last_value_is_drawn() -> None:
    resident, _ = memory_curves(sampled((-30, 10), (-20, 20), (-10, 30), (200, 99)))
    assert resident.points == ((0, 30_000_000),)
    assert resident.words == "10.0 MB at first, 99.0 MB at most"


def test_there_is_none_where_nothing_was_sampled_while_rows_were_open() -> None:
    assert memory_curves(sampled()) == ()
    assert memory_curves(sampled((150, 40))) == ()
    assert memory_curves(Story().run()) == ()


def test_all_runs_have_the_same_scale() -> None:
    curves = [memory_curves(run) for run in (sampled((0, 40)), sampled((0, 70)))]
    assert most_of(curves) == {"resident": 70_000_000, "virtual": 700_000_000}


def test_a_value_holds_until_the_next_and_the_greatest_of_a_column_shows() -> None:
    points = [(20, 5), (21, 9), (22, 4), (60, 7)]
    assert column_values(points, 8, 10, until_ns=70) == [None, None, 9, 4, 4, 4, 7, None]


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 9)), max_size=10).map(sorted),
    st.integers(1, 30),
    st.integers(1, 20),
)
def test_the_greatest_value_that_was_ever_drawn_is_in_some_column(
    points: list[tuple[int, int]], columns: int, column_ns: int
) -> None:
    values = column_values(points, columns, column_ns, columns * column_ns)
    assert len(values) == columns
    drawn = [value for at, value in points if at < columns * column_ns]
    assert max((value for value in values if value is not None), default=None) == max(drawn, default=None)
