"""``asyncdemo dev check``: what an author sees, and courses of other people."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.commands import in_process
from tests.unit.course.good_course import change, write_course


@pytest.fixture
def course(tmp_path: Path) -> Path:
    write_course(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("arguments", "every"), [((), False), (("--every",), True), (("tea",), True)])
def test_a_few_solutions_are_judged_unless_all_are_asked_for(
    course: Path, arguments: tuple[str, ...], every: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def slow_problems(_: object, every: bool, __: object) -> tuple[()]:
        asked.append(every)
        return ()

    monkeypatch.setattr("asyncdemo.cli.dev.slow_problems", slow_problems)
    done = in_process("dev", "check", *arguments, "--course", str(course))
    assert (done.code, done.out, asked) == (0, "1 lesson, 0 problems\n", [every])


def test_every_beside_a_named_lesson_is_wrong_use(course: Path) -> None:
    done = in_process("dev", "check", "--every", "tea", "--course", str(course))
    assert done.code == 2
    assert "A named LESSON is judged with every solution anyway. Leave out --every." in done.err


def test_a_problem_is_one_line_with_file_and_line(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = course / "01-start" / "04-tea"
    change(lesson / "README.md", "--variant quick", "--variant fast")
    done = in_process("dev", "check", "--fast", "--course", str(course))
    first, last = done.out.splitlines()
    line = 1 + (lesson / "README.md").read_text().partition("--variant fast")[0].count("\n")
    assert first.startswith(f"{lesson / 'README.md'}:{line}: `asyncdemo run 4 --variant fast --set CUPS=9`: ")
    assert first.endswith(" [commands]")
    assert last == "1 lesson, 1 problem (no script was run)"
    assert done.code == 1
    monkeypatch.chdir(course)
    done = in_process("dev", "check", "tea", "--fast", "--course", ".")
    assert done.out.startswith(f"01-start/04-tea/README.md:{line}: ")


def test_broken_manifest_hides_no_lesson_and_can_be_selected(course: Path) -> None:
    change(course / "01-start/04-tea/lesson.toml", "minutes = 10", "minutes = ten")
    for arguments in ([], ["te"], ["4"]):
        done = in_process("dev", "check", *arguments, "--course", str(course))
        assert "lesson.toml:5: is not valid TOML" in done.out
        assert done.out.endswith("1 lesson, 1 problem\n")
        assert done.code == 1


# -- doctor --for PLAN --run ---------------------------------------------------------------------


@pytest.fixture
def plan(course: Path, tmp_path: Path) -> Path:
    file = tmp_path / "plan.md"
    file.write_text("[Tea](../lessons/tea.md), then Exercise `tea`, then `asyncdemo lab rig-it`")
    return file


def test_a_rehearsal_runs_each_lesson_and_exercise(course: Path, plan: Path) -> None:
    done = in_process("doctor", "--for", str(plan), "--run", "--course", str(course))
    assert done.code == 0, done.out
    assert re.findall(r"^  ok       (.*?) +[0-9.]+ s$", done.out, re.MULTILINE) == [
        "Tea for two",
        "Exercise tea",
    ]
    assert "Not tried: `asyncdemo lab rig-it`" in done.out


def test_rehearsal_names_what_differs_from_the_announcement(course: Path, plan: Path) -> None:
    lesson = course / "01-start" / "04-tea"
    change(
        lesson / "lesson.toml",
        "quick.peak == CUPS",
        "quick.peak == 99",
    )
    (lesson / "solution.py").write_text((lesson / "exercise.py").read_text())
    done = in_process("doctor", "--for", str(plan), "--run", "--course", str(course), "--json")
    tea, exercise = done.data["parts"]
    assert (done.code, done.data["ok"]) == (1, False)
    assert "'a peak of 4': quick peak is 4, not == 99" in tea["faults"]
    assert any("its solution fails the check" in fault for fault in exercise["faults"])


def test_the_program_of_a_wrong_solution_is_printed(course: Path) -> None:
    lesson = course / "01-start" / "04-tea"
    done = in_process("dev", "program", str(lesson / "wrong" / "no_cup.py"))
    assert done.code == 0
    assert done.out.startswith('"""Only the names of cups.')
    assert '    return [f"cup {n}" for n in range(1, CUPS + 1)]\n' in done.out
    assert done.out.endswith((lesson / "solution.py").read_text()[-30:])
    done = in_process("dev", "program", str(lesson / "solution.py"))
    assert (done.code, done.out) == (2, "")
    assert "solution.py is not in a folder wrong/ of a lesson." in done.err


def test_an_installed_course_cannot_be_checked(course: Path) -> None:
    installed = course.rename(course.with_name("_lessons"))
    done = in_process("dev", "check", "--course", str(installed))
    assert done.code == 2
    assert "The installed course has no wrong solutions to judge." in done.err
