"""Signals that are noted, raised while somebody waits for an answer, and passed on to nested commands."""

from __future__ import annotations

import signal

from asyncdemo.cli.recording import signals_noted
from asyncdemo.cli.signals import ENDING, Signals


def test_signals_are_noted_and_handlers_put_back() -> None:
    before = [signal.getsignal(number) for number in (*ENDING, signal.SIGTSTP)]
    with Signals() as signals:
        for number in ENDING:
            signal.raise_signal(number)
        signal.raise_signal(signal.SIGTSTP)
        assert signals.seen == ENDING
        assert signals.stop
    assert [signal.getsignal(number) for number in (*ENDING, signal.SIGTSTP)] == before


def test_elsewhere_an_interrupt_ends_only_what_goes_on_there() -> None:
    reached = []
    with Signals() as signals:
        with signals.elsewhere(raised=True):
            reached.append("asking")
            signal.raise_signal(signal.SIGINT)
            reached.append("answered")
        assert reached == ["asking"]
        assert not signals.seen


def test_elsewhere_another_signal_ends_that_and_is_kept() -> None:
    reached = []
    with Signals() as signals:
        with signals.elsewhere(raised=True):
            signal.raise_signal(signal.SIGTERM)
            reached.append("answered")
        assert reached == []
        assert signals.seen == [signal.SIGTERM]


def test_elsewhere_without_raising_an_interrupt_is_somebody_elses() -> None:
    reached = []
    with Signals() as signals:
        with signals.elsewhere(raised=False):
            assert signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL
            signal.raise_signal(signal.SIGINT)
            reached.append("editing")
        assert reached == ["editing"]
        assert not signals.seen
        assert signal.getsignal(signal.SIGTSTP) is signals


def test_what_a_nested_command_notes_is_passed_on() -> None:
    with Signals() as signals:
        with signals_noted() as inner:
            signal.raise_signal(signal.SIGTERM)
        assert inner == signals.seen == [signal.SIGTERM]
