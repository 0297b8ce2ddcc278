"""Reasons to refuse a figure of a trial, brought about: a starved client, a co-tenant, overload, ...

Those of a comparison follow from trials, and made-up contestants bring them about (``test_running``). Also
what a record keeps to itself.
"""

from __future__ import annotations

import getpass
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.lab.harness.machine import Pinning
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Experiment
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import dump_record
from asyncdemo.lab.results.setup import Extent
from tests.lab.measuring import BRIEF, CLOSED, OPEN, SERVING, kinds, one_trial, serving, undisturbed
from tests.support.fake_lab import SEND, an_arm

pytestmark = pytest.mark.slow

SPIN = "print(flush=True)\nwhile True: pass"


@contextmanager
def spinning(number: int, cpu: int | None = None) -> Iterator[None]:
    """A number of programs that use all the CPU time they get; on this processor, or any."""
    spinners = []
    try:
        for _ in range(number):
            # sessions of their own: Linux divides a processor among these first (sched_autogroup)
            spinner = subprocess.Popen(
                [sys.executable, "-c", SPIN], stdout=subprocess.PIPE, start_new_session=True
            )
            spinners.append(spinner)
            assert spinner.stdout is not None
            spinner.stdout.readline()
            if cpu is not None:
                os.sched_setaffinity(spinner.pid, {cpu})
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.communicate()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no pinning on this system")
def test_a_starved_client() -> None:
    """Of its processor, which it shares with eight programs that spin, it needs more than a ninth."""
    *others, cpu = sorted(os.sched_getaffinity(0))
    bench = replace(Bench(), pinning=Pinning((cpu,), tuple(others)))
    contestant = Contestant(an_arm("null"), bench.null)
    with spinning(8, cpu):
        (trial,) = one_trial(contestant, replace(OPEN, rate_per_s=30_000), bench)
    assert trial.load is not None
    assert trial.load.client_waited is not None and trial.load.client_waited > 0.2
    assert FlagKind.CLIENT_BUSY in kinds(trial)
    assert not trial.counts


def test_a_co_tenant_that_spins() -> None:
    with spinning(1):
        (trial,) = one_trial(serving("quick"), OPEN)
    assert FlagKind.FOREIGN_CPU in kinds(trial)
    assert not trial.counts


def test_an_overloaded_server() -> None:
    """Two at a time, 10 ms each: 200 a second, and 400 are sent."""
    overloaded = serving("slow", delays_ms=10, slots=2)
    (trial,) = one_trial(overloaded, replace(OPEN, rate_per_s=400))
    assert FlagKind.OVERLOADED in kinds(trial)
    assert trial.load is not None and trial.load.answered == trial.load.requests, "late is not lost"
    (kept_up,) = one_trial(serving("quick"), OPEN, size=replace(BRIEF, window_s=2))
    assert kept_up.load is not None and kept_up.offered_per_s == 50


def test_a_server_that_errs() -> None:
    (trial,) = one_trial(serving("broken", err_every=10), bench=undisturbed())
    assert kinds(trial) == {FlagKind.ERRORS}
    assert trial.load is not None and trial.load.statuses["500"] > 0


def test_a_load_program_whose_figures_contradict_each_other() -> None:
    """wrk looks at one second of answers that take 0.4 s each, so its clients never get the last."""
    bench = undisturbed()
    if "wrk" not in bench.engines:
        pytest.skip("wrk is not on PATH")
    setting = replace(CLOSED, clients=20, tool="wrk", duration_s=1, timeout_s=None)
    (trial,) = one_trial(serving("slow", delays_ms=400), setting, bench)
    assert kinds(trial) == {FlagKind.LITTLES_GAP}
    (ours,) = one_trial(serving("slow", delays_ms=400), replace(setting, tool="asyncdemo.load"), bench)
    assert kinds(ours) == set()


def test_a_record_names_no_machine_user_or_folder() -> None:
    conditions = (Condition(CLOSED, (SEND,), warm=False),)
    served = (serving("good", delays_ms=10), Contestant(an_arm("null"), Bench().null))
    experiment = Experiment("two", "Two", served, conditions, (), {Extent.QUICK: BRIEF})
    text = dump_record(run(experiment, Extent.QUICK, command="asyncdemo lab two"))
    # A host named "vm" is found by chance in what packs a histogram.
    text = re.sub('"HISTF[^"]*"', '""', text)
    assert not re.search(rf"\b{re.escape(platform.node())}\b", text)
    for path in (Path.home(), SERVING.parent, Path.cwd()):
        assert str(path) not in text
    user = getpass.getuser()
    assert f"/{user}/" not in text and f"{user}@" not in text
