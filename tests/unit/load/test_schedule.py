"""When requests of an open loop are due."""

from __future__ import annotations

from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.load import Plan, Send
from asyncdemo.load.schedule import arrivals_ns

SECOND_NS = 1_000_000_000


def open_plan(rate: float, **fields: object) -> Plan:
    whole = {"requests": 1000, **fields}
    return Plan("127.0.0.1", 80, (Send("GET", "/"),), rate=rate, **whole)  # type: ignore[arg-type]


def test_uniform_arrivals_are_evenly_apart() -> None:
    due = list(arrivals_ns(open_plan(4, requests=5)))
    assert due == [0, 250_000_000, 500_000_000, 750_000_000, SECOND_NS]


@given(st.floats(0.5, 1e6), st.integers(1, 200_000))
def test_uniform_arrivals_do_not_drift(rate: float, number: int) -> None:
    due = next(islice(arrivals_ns(open_plan(rate, requests=number + 1)), number, None))
    assert abs(due - number * SECOND_NS / rate) <= 1


def test_poisson_arrivals_are_as_many_as_asked_and_vary_as_much_as_they_should() -> None:
    """The times between are exponential: their standard deviation is their mean."""
    due = list(arrivals_ns(open_plan(1000, arrivals="poisson", requests=50_000)))
    gaps = [after - before for before, after in pairwise(due)]
    mean = sum(gaps) / len(gaps)
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert mean == pytest.approx(SECOND_NS / 1000, rel=0.02)
    assert deviation == pytest.approx(mean, rel=0.03)
    assert due == sorted(due)


def test_the_seed_decides_the_poisson_arrivals() -> None:
    first, again, other = (
        list(arrivals_ns(open_plan(100, arrivals="poisson", seed=seed))) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_nothing_is_due_at_the_end_of_the_duration_or_later() -> None:
    assert list(arrivals_ns(open_plan(4, requests=None, duration_s=0.5))) == [0, 250_000_000]


def test_whichever_comes_first_ends_it() -> None:
    assert len(list(arrivals_ns(open_plan(10, requests=3, duration_s=10.0)))) == 3
    assert len(list(arrivals_ns(open_plan(10, requests=300, duration_s=1.0)))) == 10


def test_a_closed_loop_has_no_schedule() -> None:
    with pytest.raises(ValueError, match="closed loop"):
        next(arrivals_ns(Plan("127.0.0.1", 80, (Send("GET", "/"),), requests=1, clients=1)))
