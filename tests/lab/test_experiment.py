"""A small experiment on real server programs, from the first check to the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.lab.harness.checks import answer_check
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Count, Experiment, Size
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.record import dump_record, parse_record
from asyncdemo.lab.results.setup import Extent, Loop, Setting
from asyncdemo.lab.results.trial import TrialOutcome
from asyncdemo.lab.servers import PROGRAMS, App, Interface
from tests.lab.measuring import process_check
from tests.support.fake_lab import SEND, a_row, an_arm

pytestmark = pytest.mark.lab  # which has uvicorn

APPS = Path(__file__).with_name("apps")
CLOSED = Setting("closed", "8 clients", Loop.CLOSED, (), clients=8)
LIGHT = Setting("light", "20 % of capacity", Loop.OPEN, (), of_capacity=0.2, arrivals="poisson")
WRK = Setting(
    "wrk", "8 clients, by wrk", Loop.CLOSED, (), clients=8, duration_s=1, tool="wrk", keep_alive=True
)


def test_an_experiment_from_the_first_check_to_the_record() -> None:
    gunicorn = ServedApp("gunicorn", PROGRAMS["gunicorn-sync"], App(APPS / "wsgi.py", Interface.WSGI))
    uvicorn = ServedApp("uvicorn", PROGRAMS["uvicorn"], App(APPS / "asgi.py", Interface.ASGI))
    hello = answer_check(SEND, "hello", b"hello".__eq__)
    experiment = Experiment(
        "hello",
        "Hello world, twice",
        contestants=(
            Contestant(an_arm("gunicorn"), gunicorn, {"workers": 2}),
            Contestant(an_arm("uvicorn"), uvicorn),
        ),
        conditions=(
            Condition(
                CLOSED,
                (SEND,),
                checks=(hello, process_check("workers and their parent", 3, ("gunicorn",))),
                counts=(Count("processes", lambda scene: float(len(scene.started.pids()))),),
            ),
            Condition(LIGHT, (SEND,), capacity="closed"),
            Condition(WRK, (SEND,)),
        ),
        asked=(a_row("uvicorn", "gunicorn"), a_row("uvicorn", "gunicorn", "light", "load.latency_ms.mean")),
        sizes={Extent.QUICK: Size(1, 1.0, 0.3, 3)},
        packages=("gunicorn", "uvicorn"),
    )
    record = run(experiment, Extent.QUICK, command="asyncdemo lab hello --quick", seed=1)
    assert parse_record(dump_record(record)) == record
    assert {trial.outcome for trial in record.trials} == {TrialOutcome.MEASURED}
    there = {setting.name for setting in record.settings}
    assert there | set(record.environment.missing) >= {"closed", "light", "wrk"}
    assert {(trial.arm, trial.setting) for trial in record.trials} == {
        (arm, setting) for arm in ("gunicorn", "uvicorn", "gunicorn-again") for setting in there
    }
    assert all(item.held for item in record.verifications) and len(record.verifications) == 3
    assert record.arm("gunicorn").commands.keys() == {"*"}
    assert record.arm("gunicorn").commands == record.arm("gunicorn-again").commands
    assert record.environment.packages.keys() >= {"gunicorn", "uvicorn"}
    (calibration,) = record.calibrations
    assert calibration.figures["requests_per_client_cpu_s"] > 0
    for trial in record.trials:
        assert trial.load is not None and trial.server is not None and trial.system is not None
        assert trial.server.cpu_s > 0 and trial.server.before is not None and trial.server.most is not None
        if trial.setting == "closed":
            assert trial.counted["processes"] == (1 if trial.arm == "uvicorn" else 3)
            assert trial.histograms is not None and trial.histograms.latency
        assert not {FlagKind.ERRORS, FlagKind.NOT_VERIFIED} & {flag.kind for flag in trial.flags}
    light = record.setting("light")
    assert light.rate_per_s is not None
    (offered,) = {trial.offered_per_s for trial in record.trials if trial.setting == "light"}
    assert offered is not None and offered > 0, "the same arrivals for all arms of the round"
