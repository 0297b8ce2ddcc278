"""Functions of one's own in many schedules, and how pytest tells that one of them differs."""

from __future__ import annotations

import inspect

import pytest

from asyncdemo.analysis.schedules import Exploration
from asyncdemo.errors import UsageError
from asyncdemo.testing.checks import CheckFailed
from asyncdemo.testing.observe import Observed
from asyncdemo.testing.schedules import observe_schedules
from tests.support import paying
from tests.support.paying import in_a_thread, pay_in_two, wait

pytest_plugins = ["pytester"]


def gives_three(seen: Observed) -> None:
    assert seen.result == 3, f"{seen.result} in all"


def test_what_always_comes_to_the_same_gives_what_was_tried() -> None:
    found = observe_schedules(wait, schedules=4)
    assert isinstance(found, Exploration)
    assert found.tried == 4


def test_failure_names_the_schedule_that_repeats_it() -> None:
    with pytest.raises(CheckFailed, match=r"gives 2") as failed:
        observe_schedules(pay_in_two, schedules=12)
    token = failed.value.message.rpartition('schedule="')[2].rstrip('"')
    seen = observe_schedules(pay_in_two, schedule=token)
    assert isinstance(seen, Observed)
    assert seen.result == 2
    with pytest.raises(AssertionError, match="2 in all"):
        observe_schedules(pay_in_two, schedule=token, check=gives_three)


def test_a_check_of_ones_own_decides() -> None:
    observe_schedules(pay_in_two, schedules=6, check=lambda seen: None)
    with pytest.raises(CheckFailed, match="2 in all"):
        observe_schedules(pay_in_two, schedules=12, check=gives_three)


def test_what_is_wrong_without_a_delay_says_that() -> None:
    with pytest.raises(CheckFailed, match="wrong even without a delay"):
        observe_schedules(wait, schedules=2, check=gives_three)


def test_what_cannot_be_tried_is_no_success() -> None:
    with pytest.raises(UsageError, match="a thread was started"):
        observe_schedules(in_a_thread, schedules=3)


def test_an_absurd_number_is_refused() -> None:
    with pytest.raises(UsageError, match="not 0"):
        observe_schedules(wait, schedules=0)


def test_the_fixture_fails_the_test_and_draws_the_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from paying import pay_in, pay_in_two

        def test_it(asyncdemo_schedules):
            asyncdemo_schedules(pay_in_two, schedules=12, lanes=[pay_in])
        """,
        paying=inspect.getsource(paying),
    )
    result = pytester.runpytest_subprocess("-p", "asyncdemo.testing.plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*To repeat it: schedule=*ms*", "*asyncdemo timeline*", "*pay_in(1)*"])
