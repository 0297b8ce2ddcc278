"""Signals that are noted instead of ending a command."""

from __future__ import annotations

import signal

from asyncdemo.cli.signals import ENDING, noting_signals


def test_signals_are_noted_and_handlers_put_back() -> None:
    before = [signal.getsignal(number) for number in ENDING]
    with noting_signals() as seen:
        for number in ENDING:
            signal.raise_signal(number)
        assert seen == ENDING
    assert [signal.getsignal(number) for number in ENDING] == before


def test_a_signal_that_we_were_started_to_ignore_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with noting_signals() as seen:
            signal.raise_signal(signal.SIGHUP)
            assert seen == []
    finally:
        signal.signal(signal.SIGHUP, before)
