"""``asyncdemo lab``: the list, what is meant, and real runs of experiments that take seconds."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from asyncdemo.lab.cli.measuring import noise_words
from asyncdemo.lab.experiments import EXPERIMENTS
from asyncdemo.lab.results.record import Record, load_record, parse_record
from asyncdemo.lab.results.setup import Extent
from asyncdemo.lab.results.trial import TrialOutcome
from asyncdemo.packages import install_command
from tests.cli.commands import ROOT, Done, asyncdemo_command, environment, in_process
from tests.cli.terminals import Terminal
from tests.support.brief_lab import make_lab_course
from tests.support.servers import MARK, eventually, marked_processes

ESCAPE = "\x1b"
BRIEF = "tests.support.brief_lab"


class Lab:
    """The command with the brief experiments, in a course and with its own state folder."""

    def __init__(self, folder: Path) -> None:
        self.course, self.state = make_lab_course(folder / "course"), folder / "state"
        self.mark = uuid.uuid4().hex

        path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        self.variables = {"PYTHONPATH": path, "XDG_STATE_HOME": str(self.state), MARK: self.mark}

    def command(self, *arguments: str | Path, command: str = "lab") -> list[str]:
        return asyncdemo_command(command, "--course", self.course, *arguments, module=BRIEF)

    def on_terminal(self, *arguments: str | Path, **variables: str) -> Terminal:
        more = {**self.variables, **variables}
        size, arguments = (100, 40), ("lab", "--course", self.course, *arguments)
        return Terminal(*arguments, size=size, cwd=None, module=BRIEF, **more)

    def __call__(self, *arguments: str | Path, command: str = "lab") -> Done:
        process = self.begin(*arguments, command=command)
        out, err = process.communicate(timeout=240)
        return Done(process.returncode, out, err)

    def begin(self, *arguments: str | Path, command: str = "lab") -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments, command=command),
            env=environment(**self.variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def until_measured(self, attempts: int, *arguments: str | Path) -> subprocess.Popen[str]:
        process = self.begin(*arguments)
        until(lambda: self.journal().count('{"attempt"') >= attempts)
        return process

    def servers(self) -> list[int]:
        """By the folder of their app, since nothing of asyncdemo's is in their environment."""
        found = []
        for process in psutil.process_iter():
            try:
                arguments = process.cmdline()
            except psutil.Error:
                continue
            if any(word.endswith("serving.py") and str(self.course) in word for word in arguments):
                found.append(process.pid)
        return found

    def journal(self) -> str:
        return "".join(path.read_text() for path in self.state.rglob("*.journal"))

    def nothing_left(self) -> bool:
        return eventually(lambda: not self.servers() and not marked_processes(self.mark))

    def kept(self) -> list[Path]:
        return sorted(self.state.rglob("*.json"))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def until(met: Callable[[], bool]) -> None:
    assert eventually(met, 120)


def outcomes(record: Record) -> dict[str, set[TrialOutcome]]:
    return {
        arm.name: {trial.outcome for trial in record.trials if trial.arm == arm.name} for arm in record.arms
    }


# -- what runs nothing --------------------------------------------------------------------------------


def test_list_has_each_experiment_with_its_lesson_and_minutes() -> None:
    done = in_process("lab")
    assert (done.code, done.err) == (0, "")
    for entry in EXPERIMENTS:
        assert entry.name in done.out and entry.title in done.out
        assert " / ".join(f"{entry.minutes[extent]:g}" for extent in Extent) in done.out
        assert ", ".join(entry.lessons) in done.out


def test_the_list_as_json() -> None:
    data = in_process("lab", "--json").data
    assert data["format"] == "asyncdemo.lab-list/1"
    assert [item["name"] for item in data["experiments"]] == [entry.name for entry in EXPERIMENTS]
    last = data["experiments"][-1]
    assert last["minutes"].keys() == {"quick", "default", "full"}
    assert last["needs"].keys() == {"pgbouncer", "nginx"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["flask-and-sanik"], "Did you mean 'flask-and-sanic'?"),
        (["flask-and"], "matches more than one experiment: flask-and-quart, flask-and-sanic."),
        (["two-sleeps"], "The lesson two-sleeps has no experiment."),
        (["1"], "The lesson two-sleeps has no experiment."),
        (["999"], "There is no lesson 999."),
        (["zzz"], "`asyncdemo lab` lists them."),
        (["--quick"], "Name an experiment:"),
        (["--save", "results"], "Name an experiment:"),
        (["--set", "WORKERS=2"], "Name an experiment:"),
        (["constant-rate", "--set", "WORKERS=2"], "constant-rate has no knobs to set."),
        (["rig-it", "--set", "WHEELS=4"], "The knobs are WORKERS, SESSIONS, DELAY_MS, CLIENTS"),
        (["constant-rate", "--quick", "--full"], "Give --quick or --full, not both."),
    ],
)
def test_impossible_request_is_reported(arguments: list[str], words: str) -> None:
    done = in_process("lab", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())


def test_course_without_the_apps_is_reported(tmp_path: Path) -> None:
    course = make_lab_course(tmp_path / "course")
    done = in_process("lab", "flask-and-sanic", "--course", course)
    assert done.code == 1
    assert "belong to the lesson flask-vs-sanic, which is missing" in done.err


def test_a_file_that_is_no_record_is_not_written_over(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "two-cups.json").write_text("{}")
    done = lab("two-cups", "--save", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "is not a record of the lab" in done.err
    assert (tmp_path / "two-cups.json").read_text() == "{}"


def test_a_lesson_with_an_experiment_says_so_at_its_end(lab: Lab) -> None:
    done = lab("tea", "--plain", "--no-predict", command="run")
    assert done.code == 0, done.err
    assert " lab tea\n" in done.out.partition("To measure it: ")[2]


def test_doctor_has_the_programs_and_environments_of_the_lab(tmp_path: Path) -> None:
    manager = tmp_path / "apt-get"
    manager.write_text("#!/bin/sh\n")
    manager.chmod(0o755)
    done = in_process("doctor", "--json", PATH=str(tmp_path))
    checks = {check["name"]: check for check in done.data["checks"]}
    assert {"nginx", "pgbouncer", "wrk", "meinheld", "aioflask", "cyclone"} <= checks.keys()
    missing = checks["wrk"]
    assert (missing["status"], missing["topic"]) == ("missing", "Lab")
    assert missing["fix"].endswith("apt-get install wrk")


def test_unwritable_place_is_reported_before_measuring(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    lab.variables["XDG_STATE_HOME"] = str(tmp_path / "file")
    done = lab("tea")
    assert (done.code, done.out) == (3, "")
    assert "To use another folder, set XDG_STATE_HOME" in " ".join(done.err.split())


@pytest.mark.parametrize(("percent", "advice"), [(5.0, ""), (50.0, "other programs use 50% of the CPU")])
def test_busy_machine_is_reported_with_advice(
    percent: float, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "cpu_percent", lambda _interval: percent)
    words = noise_words()
    assert advice in words and bool(words) is bool(advice)


def test_missing_package_is_named_with_the_installing_command(lab: Lab) -> None:
    done = lab("rare-tea", "--json")
    assert (done.code, done.out) == (3, "")
    text = " ".join(done.err.split())
    assert "rare-tea needs no-such-tea. To install what the lab measures: " in text
    assert install_command("lab") in text


# -- what measures ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_json_is_one_record_and_what_is_kept_is_the_same(lab: Lab, tmp_path: Path) -> None:
    done = lab("1", "--quick", "--json", "--seed", "5", "--save", tmp_path)
    assert done.code == 0, done.err
    record = parse_record(done.out)
    assert (record.name, record.order_seed) == ("two-cups", 5)
    assert record.command == "asyncdemo lab two-cups --quick --seed 5"
    assert load_record(tmp_path / "two-cups.json") == record
    assert record.title in (tmp_path / "two-cups.html").read_text()
    assert {"slow", "quick"} < outcomes(record).keys()
    assert "Washing the cups" in done.err and "Round 1 of 2" in done.err
    assert ESCAPE not in done.out + done.err
    assert not lab.journal(), "the record is in its place"
    assert lab.nothing_left()


@pytest.mark.slow
def test_each_way_to_fail_is_reported_and_the_rest_goes_on(lab: Lab) -> None:
    done = lab("coffee")
    assert done.code == 0, done.err
    assert ESCAPE not in done.out + done.err
    (file,) = lab.kept()
    assert outcomes(load_record(file)) == {
        "good": {TrialOutcome.MEASURED},
        "dies": {TrialOutcome.DIED},
        "dies-under-load": {TrialOutcome.DIED},
        "hangs-at-start": {TrialOutcome.HUNG},
        "answers-wrongly": {TrialOutcome.WRONG_ANSWER},
        "keeps-its-port": {TrialOutcome.PORT_KEPT},
        "good-again": {TrialOutcome.MEASURED},
    }
    for name in ("dies", "dies-under-load", "hangs-at-start", "answers-wrongly", "keeps-its-port"):
        assert f"{name} / good: refused" in done.out
    assert "it cannot find its database" in done.out
    assert "b'goodbye' was seen" in done.out
    assert f"{file.parent.name}/{file.stem}.html" in done.err
    assert lab.nothing_left()


@pytest.mark.slow
def test_killed_command_leaves_no_process_and_the_run_resumes(lab: Lab) -> None:
    process = lab.until_measured(4, "tea")
    until(lambda: bool(lab.servers()))
    process.kill()
    process.communicate()
    assert lab.nothing_left()
    before = lab.journal()
    done = lab("tea", "--json")
    assert done.code == 0, done.err
    assert "Continuing the run that ended early" in done.err
    record = parse_record(done.out)
    assert {trial.round for trial in record.trials} == {1, 2}
    assert f'"seed": {record.order_seed}' in before
    assert any("was ended, and continued later" in note for note in record.notes)
    assert not lab.journal()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.release)])
def test_signal_keeps_rounds_and_a_rerun_resumes_or_restarts(lab: Lab, number: signal.Signals) -> None:
    process = lab.until_measured(4, "tea")
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "ended early: 1 of 2 rounds" in out
    assert f"To continue: asyncdemo lab two-cups --course {lab.course}\n" in err
    (file,) = lab.kept()
    record = load_record(file)
    assert record.interrupted and {trial.round for trial in record.trials} == {1}
    assert lab.journal() and lab.nothing_left()
    done = lab("tea", "--fresh") if number is signal.SIGTERM else lab("tea")
    assert done.code == 0, done.err
    assert ("Continuing the run" in done.err) == (number is signal.SIGINT)
    files = lab.kept()
    assert len(files) == (1 if number is signal.SIGINT else 2), "a run that goes on keeps its place"
    assert not load_record(files[-1]).interrupted


@pytest.mark.slow
def test_terminal_shows_bounds_asks_the_ratio_and_draws_progress(lab: Lab) -> None:
    with lab.on_terminal("tea") as terminal:
        terminal.wait_for("10 clients / 5 ms against 10 clients / 10 ms: 2.00×")
        terminal.wait_for("times>")
        terminal.type("many\r")
        terminal.wait_for("Type a number above 0")
        terminal.wait_for("times>")
        terminal.type("2x\r")
        terminal.wait_for("Round 1 of 2")
        assert not terminal.shows_keys(), "a key would tear the picture"
        assert terminal.end() == 0
    report = terminal.text[terminal.text.rindex("Two cups") :]
    assert "You predicted 2.00× for quick / slow." in report
    assert "Round" not in report, "the picture is gone"
    assert lab.nothing_left()


@pytest.mark.slow
def test_two_ctrl_c_end_it_at_once_and_give_the_terminal_back(lab: Lab) -> None:
    with lab.on_terminal("tea", "--no-predict", NO_COLOR="1") as terminal:
        terminal.wait_for("Round 1 of 2")
        terminal.wait_for("measuring")
        os.kill(terminal.pid, signal.SIGINT)
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.end() == 130
        assert terminal.shows_keys()
    assert re.search(r"\x1b\[(3[0-9]|38;)", terminal.text) is None, "NO_COLOR"
    assert terminal.text.count("\x1b[?25l") == terminal.text.count("\x1b[?25h"), "the cursor is back"
    assert "saved" not in terminal.text
    assert lab.nothing_left()


@pytest.mark.slow
def test_ctrl_c_while_a_server_starts_does_not_wait_for_it(lab: Lab) -> None:
    process = lab.begin("cold-cup")
    until(lambda: bool(lab.servers()))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)  # it may take 300 s to start
    assert process.returncode == 130, err
    assert out == ""
    assert "Interrupted: 0 of 1 rounds were finished" in err
    assert lab.nothing_left()


@pytest.mark.slow
def test_unsaved_result_is_still_reported_with_its_exit_code(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "two-cups.html").mkdir()
    done = lab("two-cups", "--quick", "--save", tmp_path)
    assert done.code == 3
    assert "Two cups" in done.out and "quick / slow" in done.out
    text = " ".join(done.err.split())
    assert "The result could not be saved: " in text
    assert "to report them again: asyncdemo lab two-cups --quick" in text
    again = lab("two-cups", "--quick")
    assert again.code == 0, again.err
    assert "Round" not in again.err, "nothing is measured again"
    assert "quick / slow" in again.out


@pytest.mark.slow
def test_what_keeps_its_port_at_the_end_loses_no_report(lab: Lab) -> None:
    done = lab("spilt-tea")
    assert done.code == 0, done.err
    assert "Spilt tea" in done.out
    assert "nginx has ended, and somebody still holds its port." in " ".join(done.err.split())
    (file,) = lab.kept()
    assert f"{file.parent.name}/{file.stem}.html" in done.err


@pytest.mark.slow
def test_a_database_that_dies_ends_the_run_and_is_named(lab: Lab) -> None:
    done = lab("empty-pot")
    assert (done.code, done.out) == (3, ""), "nobody interrupted it"
    text = " ".join(done.err.split())
    assert "Ended early: 0 of 1 rounds were finished when the run was ended: PostgreSQL has died" in text
    assert "Interrupted" not in text
    assert "To continue: asyncdemo lab empty-pot" in text
    assert lab.nothing_left()


@pytest.mark.release
def test_another_python_is_another_run_and_says_so(lab: Lab) -> None:
    process = lab.until_measured(1, "tea")
    process.kill()
    process.communicate()
    (path,) = lab.state.rglob("*.journal")
    header, _, rest = path.read_text().partition("\n")
    older = {**json.loads(header), "python": "CPython 3.0.0"}
    path.unlink()
    # as that Python would have named it
    path = path.with_name(path.name.rpartition("-")[0] + "-0123456789ab.journal")
    path.write_text(f"{json.dumps(older)}\n{rest}")
    process = lab.until_measured(1 + rest.count('{"attempt"'), "tea")
    process.kill()
    _, err = process.communicate()
    assert "Starting over: the earlier run cannot continue, because these differ: Python." in err
    assert "Continuing the run" not in err
    assert path.read_text().endswith(rest), "what was measured is there still"
    assert lab("tea", "--fresh").code == 0
    assert not lab.journal()


@pytest.mark.release
def test_ended_run_replaces_no_whole_record_and_its_hint_resumes(lab: Lab, tmp_path: Path) -> None:
    target = tmp_path / "my results"
    assert lab("tea", "--save", target).code == 0
    whole = load_record(target / "two-cups.json")
    process = lab.until_measured(4, "tea", "--save", target, "--seed", "3")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert load_record(target / "two-cups.json") == whole
    (file,) = lab.kept()
    assert load_record(file).interrupted
    assert f"Not saved in {target}: the record there is complete" in err
    assert f"{file.parent.name}/{file.stem}.html" in err
    (hint,) = (line for line in err.splitlines() if line.startswith("To continue: "))
    words = shlex.split(hint.removeprefix("To continue: "))
    assert words[:2] == ["asyncdemo", "lab"]
    assert words[3:] == ["--seed", "3", "--save", str(target), "--course", str(lab.course)]
    done = lab(*words[2:])
    assert done.code == 0 and "Continuing the run that ended early" in done.err
    record = load_record(target / "two-cups.json")
    assert not record.interrupted and record.started == load_record(file).started != whole.started


@pytest.mark.slow
def test_two_labs_do_not_measure_at_once(lab: Lab) -> None:
    process = lab.begin("cold-cup")
    until(lambda: bool(lab.servers()))
    done = lab("tea")
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert (done.code, done.out) == (2, "")
    assert "Another asyncdemo lab is measuring on this machine" in done.err
