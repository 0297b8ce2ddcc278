"""A load program that fails, and what a record keeps to itself. Contestants that fail: ``tests/cli``."""

from __future__ import annotations

import getpass
import platform
import re
import shutil
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from asyncdemo.lab.harness.checks import answer_check
from asyncdemo.lab.harness.cross_checks import Program, read_ab
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Experiment
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import dump_record, parse_record
from asyncdemo.lab.results.setup import Extent
from asyncdemo.lab.results.trial import TrialOutcome
from asyncdemo.load import Send
from tests.lab.measuring import BRIEF, CLOSED, SERVING, undisturbed
from tests.support.brief_lab import serving
from tests.support.fake_lab import SEND, a_row, an_arm
from tests.support.servers import eventually

pytestmark = pytest.mark.slow

HELLO = answer_check(Send("GET", "/"), "hello", b"hello".__eq__)


def still_serving(apps: Path) -> list[int]:
    """Servers of this test that run, for us or for nobody: nothing of asyncdemo's is in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            ours = str(apps / SERVING.name) in process.cmdline()
            if ours and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def an_experiment(*contestants: Contestant) -> Experiment:
    first, *others = contestants
    return Experiment(
        "failing",
        "Failing",
        contestants,
        (Condition(CLOSED, (SEND,), checks=(HELLO,), warm=False),),
        tuple(a_row(one.arm.name, first.arm.name) for one in others),
        sizes={Extent.QUICK: BRIEF},
    )


@pytest.fixture
def apps(tmp_path: Path) -> Path:
    """With a copy of the script for each test, by whose place its servers are known."""
    shutil.copy(SERVING, tmp_path)
    return tmp_path


def test_a_load_program_that_fails_is_an_outcome_of_its_trials_and_the_rest_is_measured(apps: Path) -> None:
    bench = undisturbed()
    broken = Program("ab", lambda _: ["sh", "-c", "echo Benchmarking; echo a reset; exit 104"], read_ab)
    bench = replace(bench, engines={**bench.engines, "ab": broken})
    experiment = an_experiment(serving(apps, "a", delays_ms=10), serving(apps, "b", delays_ms=20))
    by_ab = replace(CLOSED, name="by-ab", title="by ab", tool="ab")
    experiment = replace(
        experiment,
        conditions=(*experiment.conditions, Condition(by_ab, (SEND,), warm=False)),
        asked=(*experiment.asked, a_row("b", "a", "by-ab")),
    )
    record = run(experiment, Extent.QUICK, bench=bench, seed=1)
    assert {(trial.setting, trial.outcome) for trial in record.trials} == {
        ("closed", TrialOutcome.MEASURED),
        ("by-ab", TrialOutcome.LOAD_FAILED),
    }
    told = {trial.problem for trial in record.trials if trial.setting == "by-ab"}
    assert told == {"ab ended with exit code 104 and said: a reset"}
    (row,) = (row for row in record.comparisons if row.setting == "by-ab")
    assert {flag.kind for flag in row.flags} == {FlagKind.LOAD_FAILED}
    assert parse_record(dump_record(record)) == record
    assert eventually(lambda: not still_serving(apps))


def test_a_record_names_no_machine_user_or_folder(apps: Path) -> None:
    null = Contestant(an_arm("null"), undisturbed().null)
    experiment = an_experiment(serving(apps, "good", delays_ms=10), null)
    text = dump_record(run(experiment, Extent.QUICK, command="asyncdemo lab failing"))
    # A host named "vm" is found by chance in what packs a histogram.
    text = re.sub('"HISTF[^"]*"', '""', text)
    assert not re.search(rf"\b{re.escape(platform.node())}\b", text)
    for path in (Path.home(), apps, Path.cwd()):
        assert str(path) not in text
    user = getpass.getuser()
    assert f"/{user}/" not in text and f"{user}@" not in text
