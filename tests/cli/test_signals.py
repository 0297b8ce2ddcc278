"""Signals that are noted instead of ending a command."""

from __future__ import annotations

import os
import signal

import pytest

from asyncdemo.cli.signals import ENDING, ending_by_exception, noting_signals, stopping_together


def test_signals_are_noted_and_handlers_put_back() -> None:
    before = [signal.getsignal(number) for number in ENDING]
    with noting_signals() as seen:
        for number in ENDING:
            signal.raise_signal(number)
        assert seen == ENDING
    assert [signal.getsignal(number) for number in ENDING] == before


@pytest.mark.parametrize("number", ENDING)
def test_signal_breaks_off_drawing_and_is_noted(number: int) -> None:
    drawn: list[str] = []

    def draw() -> None:
        drawn.append("begun")
        signal.raise_signal(number)
        drawn.append("ended")

    with noting_signals() as seen:
        seen.draw(draw)
        assert (drawn, seen) == (["begun"], [number])
        signal.raise_signal(number)
        assert seen == [number, number]


@pytest.mark.parametrize("number", ENDING)
def test_signal_elsewhere_is_an_exception(number: int) -> None:
    with ending_by_exception(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


def test_a_signal_that_we_were_started_to_ignore_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with noting_signals() as seen:
            signal.raise_signal(signal.SIGHUP)
            assert seen == []
    finally:
        signal.signal(signal.SIGHUP, before)


def test_ctrl_z_stops_what_we_run_before_us_and_it_goes_on_after_us(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTSTP)
    sent: list[object] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number, signal.getsignal(number))))
    with stopping_together(sent.append):
        signal.raise_signal(signal.SIGTSTP)
    assert sent == [signal.SIGSTOP, (os.getpid(), signal.SIGTSTP, signal.SIG_DFL), signal.SIGCONT]
    assert signal.getsignal(signal.SIGTSTP) is before
