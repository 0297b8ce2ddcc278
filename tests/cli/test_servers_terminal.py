"""Lessons and exercises that are servers, at a terminal: the live picture, Ctrl-C, and watch mode."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from asyncdemo import store
from asyncdemo.model import RunOutcome
from tests.cli.commands import in_process
from tests.cli.terminals import Terminal
from tests.hostile.traced import MARK, marked, nothing_left, until
from tests.support.served_course import GIVEN, SOLVED, write_served_course
from tests.unit.course.good_course import change

pytestmark = pytest.mark.slow


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return write_served_course(tmp_path / "course")


@contextmanager
def running(lesson: Path, *options: str | Path, **variables: str) -> Iterator[tuple[Terminal, str]]:
    """The lesson on a terminal, and the mark of all that it starts; nothing of it is left."""
    mark = uuid.uuid4().hex
    arguments = ("run", "shop", "--course", lesson.parents[1], *options)
    with nothing_left(mark), Terminal(*arguments, size=(200, 50), **{MARK: mark}, **variables) as terminal:  # type: ignore[arg-type]
        yield terminal, mark
        assert terminal.shows_keys()


def test_live_rows_are_requests_and_ctrl_c_leaves_nothing(lesson: Path) -> None:
    with running(lesson, "--no-predict", "--set", "REQUESTS=20", "--set", "PACKS_S=1") as (terminal, _):
        terminal.wait_to_see("2 Run")
        terminal.type("2\r")
        terminal.wait_to_see("POST /sell/3/ 3")
        terminal.type("\x03")
        terminal.wait_to_see("Interrupted: this is what was recorded until then.")
        terminal.type("q")
        assert terminal.end() == 130
    left = terminal.text.rpartition("Lesson ")[2]
    assert "in-turn" in left
    assert "at-once" not in left


STARTING = 'open("{}", "w").close()\n__import__("time").sleep(60)\napp = Flask("shop")'
ENDING = """
    try:
        {run}
    finally:
        open("{file}", "w").close()
        time.sleep(2)
"""


@pytest.mark.parametrize("stage", ["starting", "ending"])
def test_ctrl_c_while_a_server_starts_or_ends_leaves_nothing(
    lesson: Path, tmp_path: Path, stage: str
) -> None:
    file, run = tmp_path / stage, 'app.run(host="127.0.0.1", port=PORT, threaded=False)'
    if stage == "starting":
        change(lesson / "in_turn.py", 'app = Flask("shop")', STARTING.format(file))
    else:
        change(lesson / "in_turn.py", f"    {run}", ENDING.format(run=run, file=file))
    saved = tmp_path / "saved"
    with running(lesson, "--no-predict", "--save", saved) as (terminal, _):
        terminal.wait_to_see("2 Run")
        terminal.type("2\r")
        terminal.wait_until(file.exists)
        terminal.type("\x03")
        terminal.wait_to_see("Interrupted")
        terminal.type("q")
        assert terminal.end() == 130
    recorded = store.load(saved / "shop-in-turn.jsonl")
    statuses = [request.status for request in recorded.requests]
    if stage == "starting":
        assert (recorded.outcome, statuses) == (RunOutcome.INTERRUPTED, [])
    else:  # of this variant nothing is missing; the next one did not begin
        assert (recorded.outcome, statuses) == (RunOutcome.OK, [200] * 8)
        assert not (saved / "shop-at-once.jsonl").exists()


@pytest.mark.parametrize("goes_on", [True, False])
def test_predictions_are_asked_as_services_start_until_ctrl_c(lesson: Path, goes_on: bool) -> None:
    """Missing packages are reported before anybody has typed an answer."""
    change(lesson / "lesson.toml", "minutes = 10", 'minutes = 10\nservices = ["redis"]')
    change(lesson / "lesson.toml", '"flask", "sanic"', '"flask", "sanic", "redis"')
    with running(lesson, ASYNCDEMO_REDIS="embedded") as (terminal, mark):
        terminal.wait_to_see("1 Question")
        assert until(lambda: len(marked(mark)) > 1)  # it starts meanwhile
        terminal.type("2")
        terminal.wait_to_see("in-turn: to how many of 4 clients is sold at the same time?")
        if not goes_on:
            terminal.type("\x03")
            assert terminal.end() == 130
            return
        terminal.type("1\r")
        terminal.wait_to_see("They use Redis (fakeredis")
        terminal.type("\r")
        terminal.wait_to_see("Done.")
        terminal.type("\r")
        terminal.wait_to_see("You said 1; it was 1.")
        terminal.type("q")
        assert terminal.end() == 0


def test_watch_checks_a_server_at_each_save(lesson: Path, tmp_path: Path) -> None:
    in_process("start", tmp_path / "mine", "--course", lesson.parents[1], cwd=tmp_path)
    file = next((tmp_path / "mine").glob("**/*.py"))
    mark = uuid.uuid4().hex
    variables = {MARK: mark, "VISUAL": ""}
    with nothing_left(mark), Terminal("watch", "--plain", cwd=tmp_path / "mine", **variables) as terminal:  # type: ignore[arg-type]
        terminal.wait_for("there was never more than 1")
        file.write_text(SOLVED)
        terminal.wait_for("Passed")
        file.write_text(GIVEN)
        terminal.wait_for("there was never more than 1")
        terminal.type("\x03")
        assert terminal.end() == 130
