"""Two of the pairs under settings of the user's own, on the real stack, by the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.lab.harness.machine import find
from asyncdemo.lab.results.record import parse_record
from tests.cli.commands import in_process

pytestmark = [pytest.mark.slow, pytest.mark.lab]


@pytest.mark.skipif(
    not (find("nginx") and find("pgbouncer")), reason="needs nginx and pgbouncer: make services"
)
def test_set_knobs_take_effect_and_stand_beside_the_article(tmp_path: Path) -> None:
    knobs = ("WORKERS=2", "SESSIONS=4", "DELAY_MS=50", "CLIENTS=8")
    words = [word for knob in knobs for word in ("--set", knob)]
    done = in_process("lab", "rig-it", "--quick", "--json", *words, XDG_STATE_HOME=str(tmp_path))
    assert done.code == 0, done.err
    record = parse_record(done.out)
    own, article = record.settings
    assert (own.clients, own.knobs["workers_sync"], own.knobs["sessions"]) == (8, "2", "4")
    assert (article.clients, article.knobs["workers_sync"], article.knobs["sessions"]) == (100, "19", "100")
    seen = {item.what: item.seen for item in record.verifications if item.arm == "flask-gunicorn"}
    assert seen["workers"] == "2 for 2"
    assert all(item.held for item in record.verifications), record.verifications
    sessions = {
        trial.arm: trial.figure("counted.db_sessions") for trial in record.trials if trial.setting == "set"
    }
    assert sessions["flask-gunicorn"] == 2, "one for each worker"
    assert sessions["starlette-uvicorn"] == 4, "as many as pgbouncer allows"
    assert record.command.startswith("asyncdemo lab twenty-one-pairs --set WORKERS=2 --set SESSIONS=4")
