"""``run`` and ``check`` of lessons that are servers, as a user sees them: fine, failing, interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from asyncdemo import store
from asyncdemo.model import RunOutcome
from tests.cli.commands import asyncdemo_command, environment, in_process, interrupted
from tests.hostile.traced import MARK, marked, nothing_left, until
from tests.support.served_course import write_served_course
from tests.unit.course.good_course import change


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return write_served_course(tmp_path / "course")


def course(lesson: Path) -> tuple[str, str]:
    return "--course", str(lesson.parents[1])


def test_lesson_of_servers_has_request_figures_in_json(lesson: Path) -> None:
    done = in_process("run", "shop", *course(lesson), "--json", "--no-predict", "--set", "REQUESTS=12")
    assert done.code == 0, done.err
    assert done.data["knobs"] == {"CLIENTS": 4, "REQUESTS": 12, "PACKS_S": 0.03}
    for variant, peak in zip(done.data["variants"], (1, 4), strict=True):
        assert variant["outcome"] == "ok"
        assert variant["requests"]["count"] == variant["requests"]["answered"] == 12
        assert variant["paths"]["/sell/3/"]["count"] == 9
        assert variant["lanes"] == 9
        assert 1 <= variant["peak"] <= peak
    assert done.data["variants"][0]["peak"] == 1
    assert "POST /sell/3/" in done.err, "what Flask writes goes to standard error"


@pytest.mark.slow
def test_a_lesson_of_servers_in_words(lesson: Path) -> None:
    done = in_process("run", "shop", *course(lesson), "--plain", "--details")
    assert done.code == 0, done.err
    assert "8 of 8 answered, all with 200" in done.out
    assert "POST /sell/3/ 1: 0 s to" in done.out
    assert "1. in-turn: to how many of 4 clients is sold at the same time?" in done.out
    assert "Answer: 1." in done.out
    assert "HTTP/1.1" not in done.out, "a log of what went well is not shown"


def test_missing_things_are_reported_before_anything_starts(lesson: Path) -> None:
    change(lesson / "lesson.toml", '"flask", "sanic"', '"flask", "no-such-tea"')
    for arguments in (("run",), ("check", "--file", str(lesson / "exercise.py"))):
        done = in_process(*arguments, "shop", *course(lesson))
        assert done.code == 3
        assert done.err.startswith("asyncdemo: shop needs no-such-tea. To install what the lessons need: ")
        assert "Running" not in done.out


@pytest.mark.slow
def test_a_server_that_fails_shows_its_own_error(lesson: Path) -> None:
    change(lesson / "in_turn.py", 'app = Flask("shop")', 'app = Flask("shop")\nraise LookupError("no tea")')
    done = in_process("run", "shop", *course(lesson), "--plain", "--no-predict")
    assert done.code == 1
    assert "LookupError: no tea" in done.out
    assert "The server ended by itself, with exit code 1, before it accepted connections." in " ".join(
        done.out.split()
    )
    assert ": 8 of 8 answered, p99 " in done.out, "the other variant ran"


@pytest.mark.slow
def test_an_error_of_a_handler_is_shown_with_its_traceback(lesson: Path) -> None:
    change(lesson / "in_turn.py", '    return {"left": 7}', '    raise LookupError("no tea")')
    done = in_process(
        "run", "shop", *course(lesson), "--variant", "in-turn", "--plain", "--no-predict", "--details"
    )
    assert "LookupError: no tea" in done.out
    assert "GET /stock 4: " in done.out and "answered 500" in done.out


INTERRUPTED = [
    pytest.param(after_s, mode, marks=[] if (place + turn) % 2 == 0 else pytest.mark.release)
    for place, after_s in enumerate((0.0, 0.2, 0.5, 0.8, 1.2, 2.0, 3.0))
    for turn, mode in enumerate(("--plain", "--json"))
]
"""At each of these times, in turn; all pairs for a release."""


@pytest.mark.slow
@pytest.mark.parametrize(("after_s", "mode"), INTERRUPTED)
def test_ctrl_c_at_any_time_leaves_nothing(lesson: Path, after_s: float, mode: str) -> None:
    mark = uuid.uuid4().hex
    arguments = ("run", "shop", *course(lesson), mode, "--no-predict", "--set", "REQUESTS=1000")

    def when() -> bool:
        assert until(lambda: len(marked(mark)) > 1)  # else Python itself is still at its start
        time.sleep(after_s)
        return True

    with nothing_left(mark):
        done = interrupted(*arguments, when=when, **{MARK: mark})  # type: ignore[arg-type]
    assert done.code == 130, done
    assert "Traceback" not in done.out + done.err or "KeyboardInterrupt" in done.out + done.err
    assert 'File "/' not in done.err or "asyncdemo/cli" not in done.err


@pytest.mark.slow
def test_what_was_recorded_before_ctrl_c_is_kept(lesson: Path, tmp_path: Path) -> None:
    mark, saved = uuid.uuid4().hex, tmp_path / "saved"
    with nothing_left(mark), (tmp_path / "err").open("w") as err:
        process = subprocess.Popen(
            asyncdemo_command(
                *("run", "shop", *course(lesson), "--json", "--save", saved, "--set", "REQUESTS=1000")
            ),
            env=environment(**{MARK: mark}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
            start_new_session=True,
        )
        assert until(lambda: (tmp_path / "err").read_text().count("HTTP/1.1") > 10)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    (variant,) = json.loads(out)["variants"]
    assert variant["outcome"] == "interrupted"
    run = store.load(saved / "shop-in-turn.jsonl")
    assert run.outcome is RunOutcome.INTERRUPTED
    assert sum(request.status == 200 for request in run.requests) > 5
    assert {request.error for request in run.requests if request.error} <= {"interrupted"}


# -- exercises -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_exercises_that_are_servers_are_checked(lesson: Path) -> None:
    expected = {
        "exercise.py": "5 calls of sell should be at work at the same time; there was never more than 1",
        "wrong/dead.py": "with exit code 4, after 0 of 5 requests were answered. Its last output: ",
    }
    for file, message in expected.items():
        done = in_process("check", "--file", lesson / file, "shop", *course(lesson), "--json")
        assert done.code == 1, done.err
        assert message in done.data["exercises"][0]["message"]
    done = in_process("check", "--file", lesson / "solution.py", "shop", *course(lesson), "--json")
    assert done.code == 0, done.out
    (exercise,) = done.data["exercises"]
    assert "With CLIENTS = 3, PACKS_S = 0.25, all of this held too." in exercise["held"]
