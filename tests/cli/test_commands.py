"""Commands that run nothing: help, list, doctor, completion, and what a mistake gets for an answer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from asyncdemo.cli import doctor_checks
from asyncdemo.cli.app import COMMANDS
from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.judging.readiness import Readiness, readiness_words
from tests.cli.commands import asyncdemo_command, in_process, program

LESSONS = load_course(find_course()).lessons


def imported_by(*arguments: str) -> set[str]:
    """Modules that a command imports."""
    done = program(sys.executable, "-X", "importtime", *asyncdemo_command(*arguments)[1:])
    assert done.code == 0
    lines = [line for line in done.err.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def test_every_command_explains_itself_and_help_names_them_all() -> None:
    lines = in_process("--help").out.splitlines()
    for name, summary in COMMANDS.items():
        assert any(line.split(maxsplit=1) == [name, summary.words] for line in lines)
        done = in_process(name, "--help")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(f"Usage: asyncdemo {name}")


@pytest.mark.parametrize("arguments", [["--help"], ["list"], []], ids=["help", "list", "bare"])
def test_text_commands_import_no_drawing_or_measuring(arguments: list[str]) -> None:
    modules = imported_by(*arguments)
    heavy = {
        "rich",
        "asyncio",
        "asyncdemo.recording.runner",
        "asyncdemo.render.words",
        "asyncdemo.analysis.metrics",
        "asyncdemo.model",
    }
    assert not modules & heavy


def test_list_shows_every_lesson_with_minutes_and_the_next_step() -> None:
    done = in_process("list")
    assert done.code == 0
    for lesson in LESSONS:
        assert any(
            line.split()[:4] == [str(lesson.number), lesson.id, str(lesson.minutes), "min"]
            for line in done.out.splitlines()
        )
    assert f"Next: asyncdemo run {LESSONS[0].id}" in done.out
    data = in_process("list", "--json").data
    assert data["format"] == "asyncdemo.list/1"
    assert [lesson["id"] for module in data["modules"] for lesson in module["lessons"]] == [
        item.id for item in LESSONS
    ]


@pytest.mark.parametrize(
    ("typed", "code", "words"),
    [
        ("lits", 2, "Did you mean 'list'?"),
        ("mine.py", 2, "asyncdemo trace mine.py"),
        ("run two-sleeps --set CUPS=3", 2, "how many cups are made"),
        ("list --course .", 1, "course.toml: modules: must be tables"),
        ("show mine.py", 1, "mine.py"),
    ],
)
def test_a_mistake_is_answered_with_what_would_be_right(
    tmp_path: Path, typed: str, code: int, words: str
) -> None:
    (tmp_path / "mine.py").write_text("")
    (tmp_path / "course.toml").write_text('title = "T"\nmodules = 3\n')
    done = in_process(*typed.split(), cwd=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_doctor_misses_nothing_required_and_all_shows_the_rest() -> None:
    few, many = in_process("doctor"), in_process("doctor", "--all")
    assert few.code == many.code == 0
    assert few.out.splitlines()[0] == "All 34 lessons run."
    assert "Nothing required is missing." in few.out
    for words in ("extra lab", "Packages", "Lab"):
        assert words not in few.out
        assert words in many.out


def test_the_doctor_holds_a_schedule_against_this_machine(tmp_path: Path) -> None:
    done = in_process("doctor", "--for", "90-minutes")
    assert (done.code, done.out) == (0, "90 minutes: its lessons (1, 3, 5, 9 and 11) run here.\n")
    plan = tmp_path / "plan.md"
    plan.write_text("[S3](lessons/redis-pools.md)")
    lacking = in_process("doctor", "--for", plan, ASYNCDEMO_REDIS="neither")
    assert lacking.code == 3
    assert lacking.out.splitlines()[0] == "plan: not all of it runs here."
    assert "No lesson runs. 18 needs: unset ASYNCDEMO_REDIS" in lacking.out
    data = in_process("doctor", "--for", "half-a-day", "--json").data
    assert (data["ok"], data["schedule"], len(data["lessons"])) == (True, "Half a day", 8)


def test_lessons_that_do_not_run_are_listed_by_what_they_need() -> None:
    found = [Readiness(lesson, "make course" if lesson.number > 11 else "") for lesson in LESSONS]
    assert readiness_words(found) == "Lessons 1 to 11 run. 12 to 34 need: make course"
    found[13] = Readiness(LESSONS[13], "apt install postgresql")
    assert readiness_words(found) == (
        "Lessons 1 to 11 run. 12, 13 and 15 to 34 need: make course\n14 needs: apt install postgresql"
    )
    assert readiness_words(found[11:12]) == "No lesson runs. 12 needs: make course"


def test_what_is_not_built_for_this_python_is_no_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_checks, "WITHOUT_WHEEL", frozenset({"built-for-others"}))
    found = list(doctor_checks.checks_of_extra("lab", ["click", "built-for-others", "forgotten"]))
    version = "{}.{}".format(*sys.version_info)
    assert [(check.status, check.words) for check in found] == [
        ("missing", "missing: forgotten"),
        ("note", f"built-for-others: left out, because there is no wheel for Python {version}"),
    ]
    (present,) = doctor_checks.checks_of_extra("", ["click"])
    assert (present.name, present.status) == ("asyncdemo", "ok")


def test_doctor_as_json_names_every_check_with_its_status() -> None:
    data = in_process("doctor", "--json").data
    assert (data["format"], data["ok"]) == ("asyncdemo.doctor/1", True)
    assert {check["topic"] for check in data["checks"]} == set(doctor_checks.TOPICS)
    for check in data["checks"]:
        assert check["status"] in {"ok", "note", "missing", "broken"}
        assert check["fix"] or check["status"] in {"ok", "note"}
    packages = {check["name"] for check in data["checks"] if check["topic"] == "Packages"}
    assert packages >= {"uvloop", "asyncdemo", "extra course", "extra lab"}


def test_doctor_fails_if_the_lessons_are_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("asyncdemo.cli.doctor_checks.load_course", lambda _: load_course(tmp_path))
    monkeypatch.setattr("asyncdemo.cli.doctor.load_course", lambda _: load_course(tmp_path))
    done = in_process("doctor")
    assert done.code == 3
    assert "broken" in done.out
    assert "Something required is missing." in done.out


WINDOWS = """
import click, runpy, sys
sys.platform = "win32"
sys.modules |= dict.fromkeys(("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"))
{start}
"""


@pytest.mark.parametrize(
    "start",
    [
        "from asyncdemo.cli import main; sys.exit(main())",
        "runpy.run_module('asyncdemo', run_name='__main__')",
    ],
)
def test_on_windows_it_says_in_one_line_what_to_do(start: str) -> None:
    done = program(sys.executable, "-c", WINDOWS.format(start=start))
    assert (done.code, done.out) == (3, "")
    assert done.err.count("\n") == 1
    assert "WSL" in done.err


CTRL_C_DURING_IMPORTS = """
import sys
class Finder:
    def find_spec(name, *rest):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder)
from asyncdemo.cli import main
sys.exit(main())
"""


def test_ctrl_c_during_imports_ends_without_a_traceback() -> None:
    done = program(sys.executable, "-c", CTRL_C_DURING_IMPORTS)
    assert (done.code, done.out, done.err) == (130, "", "")


def test_a_shell_completes_lessons() -> None:
    done = in_process("completion", "fish")
    assert done.code == 0
    assert "_ASYNCDEMO_COMPLETE" in done.out
    done = in_process(_ASYNCDEMO_COMPLETE="bash_complete", COMP_WORDS="asyncdemo run up", COMP_CWORD="2")
    assert done.out.split() == ["plain,upload-gate"]


@pytest.mark.parametrize(
    "typed",
    [
        "list | true",
        "--help | true",
    ],
)
def test_reader_that_leaves_is_no_reason_to_fail(typed: str) -> None:
    done = program("sh", "-c", f"{' '.join(asyncdemo_command())} {typed}")
    assert (done.code, done.err) == (0, "")
