"""Rules that run scripts: each catches what it is for, in a lesson that is right otherwise."""

# ruff: noqa: E501 - a table

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from asyncdemo.course.rules import SLOW_RULES, Problem, slow_problems, survey
from asyncdemo.course.rules.plain import ending
from asyncdemo.course.rules.runs import knob_sets, problems_of_runs
from asyncdemo.course.rules.side_by_side import measures_time
from tests.support.tables import rows
from tests.unit.course.good_course import EXERCISE, SOLVED, change, write_course

LESSON = "lesson.toml"


class Mistake(NamedTuple):
    """In ``file``, ``old`` becomes ``new``; then a problem of the rule says this, of that file."""

    rule: str
    file: str
    old: str
    new: str
    says: str
    about: str


OF_RUNS = rows(
    Mistake,
    r"""
ends | slow.py | \x20\x20\x20\x20await asyncio.sleep(BREW_S) | \x20\x20\x20\x20await asyncio.sleep(BREW_S)\n    raise ValueError(n) | slow ends as 'failed', not 'ok':\x20 | lesson.toml
ends | lesson.toml | file = "slow.py" | file = "slow.py"\nexpect = "failed" | as 'ok', not | lesson.toml
ends | lesson.toml | minutes = 10 | minutes = 10\npackages = ["no-such-tea"] | no-such-tea is not | lesson.toml
claims-hold | quick.py | \x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20group.create_task(brew(n)) | \x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20await brew(n) | 'a peak of 4': quick peak is 1, not == 4 | lesson.toml
claims-hold | lesson.toml | == 9 with | == 8 with | calls(brew) is 9, not == 8 (with CUPS=9) | lesson.toml
answerable | lesson.toml | "one" = "== 1" | "one" = "== 2" | not among the choices: it is 1 | lesson.toml
""",
)
OF_RULES = rows(
    Mistake,
    r"""
plain | slow.py | \x20\x20\x20\x20await asyncio.sleep(BREW_S) | \x20\x20\x20\x20await asyncio.sleep(BREW_S)\n    raise ValueError(n) | as 'failed', not 'ok': ValueError: 1 | slow.py
plain | slow.py | \x20\x20\x20\x20print("The tea is ready")\n |  | prints nothing | slow.py
plain | slow.py | \x20\x20\x20\x20\x20\x20\x20\x20await brew(n) | \x20\x20\x20\x20\x20\x20\x20\x20brew(n) | writes on standard error:\x20 | slow.py
plain | lesson.toml | file = "slow.py" | file = "slow.py"\nwarns = "never awaited" | does not warn about | slow.py
exercise-fails | exercise.py | \x20\x20\x20\x20# TODO: nobody | \x20\x20\x20\x20return await asyncio.gather(*(brew(n) for n in range(1, CUPS + 1)))\n    # TODO: nobody | nothing to fix | exercise.py
exercise-fails | exercise.py | \x20\x20\x20\x20await asyncio.sleep(BREW_S) | \x20\x20\x20\x20import turtles_all_the_way | broken, but not in the way | exercise.py
exercise-fails | exercise.py | \x20\x20\x20\x20# TODO: nobody | \x20\x20\x20\x20import sys\n    sys.exit(3) if 'asyncdemo' not in str(sys.meta_path) + str(sys.modules.keys()) else None\n    # TODO: nobody | ends as 'failed' | exercise.py
solution-passes | solution.py | for n in range(1, CUPS + 1) | for n in range(1, 5) | fails its check with CUPS=3: There should be 3 calls of brew | solution.py
solution-passes | check.py | \x20\x20\x20\x20cups =\x20 | \x20\x20\x20\x20return\n    cups =\x20 | the check has no sentence | check.py
solution-passes | check.py | \x20\x20\x20\x20cups =\x20 | \x20\x20\x20\x201 / 0\n    cups =\x20 | the check itself failed | lesson.toml
right-passes | right/tasks.py | range(1, CUPS + 1) | range(1, 5) | fails its check with CUPS=3: There should be 3 calls of brew | right/tasks.py
right-passes | check.py | \x20\x20\x20\x20cups =\x20 | \x20\x20\x20\x201 / 0\n    cups =\x20 | the check itself failed | lesson.toml
wrong-fails | wrong/in_pairs.py | \x20\x20\x20\x20cups = [] | \x20\x20\x20\x20return await asyncio.gather(*(brew(n) for n in range(1, CUPS + 1)))\n    cups = [] | passes the check | wrong/in_pairs.py
wrong-fails | lesson.toml | runs = [{}, { CUPS = 3 }] | runs = [{ CUPS = [5, 9] }] | which does not name its fault, 'There should be 4 | wrong/no_cup.py
wrong-fails | wrong/in_pairs.py | there were never more than 2 | too slow | which does not name its fault, 'too | wrong/in_pairs.py
""",
)


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return write_course(tmp_path)


def found(lesson: Path) -> list[Problem]:
    (source,) = survey(lesson.parents[1]).sources
    return list(slow_problems([source]))


def found_by(lesson: Path, rule_name: str) -> list[Problem]:
    """Runs only what the rule needs."""
    (source,) = survey(lesson.parents[1]).sources
    for rule in SLOW_RULES:
        if rule.name == rule_name:
            return list(rule.problems(source))
    problems = [problem for knobs in knob_sets(source) for problem in problems_of_runs(source, knobs)]
    return [problem for problem in problems if problem.rule == rule_name]


def test_lesson_that_keeps_the_rules_has_no_problem_when_it_runs(lesson: Path) -> None:
    assert found(lesson) == []


@pytest.mark.parametrize(
    "mistake", [*OF_RULES, *OF_RUNS], ids=lambda mistake: f"{mistake.rule}: {mistake.says}"
)
def test_a_mistake_is_found_by_its_rule(lesson: Path, mistake: Mistake) -> None:
    change(lesson / mistake.file, mistake.old, mistake.new)
    problems = found_by(lesson, mistake.rule)
    matching = [problem for problem in problems if mistake.says in problem.message]
    assert matching, problems
    assert (matching[0].lesson, matching[0].file) == ("tea", lesson / mistake.about)


def test_every_slow_rule_is_proven() -> None:
    assert {mistake.rule for mistake in OF_RULES} == {rule.name for rule in SLOW_RULES}


@pytest.mark.parametrize("change_of", ["await brew(n", "CUPS = CUPS"])
def test_a_lesson_that_cannot_run_is_left_to_the_other_rules(lesson: Path, change_of: str) -> None:
    old = "await brew(n)" if "brew" in change_of else "CUPS = 4"
    change(lesson / "slow.py", old, change_of)
    assert found(lesson) == []


def test_a_variant_may_warn_if_the_manifest_says_so(lesson: Path) -> None:
    change(lesson / "slow.py", "        await brew(n)", "        brew(n)")
    change(lesson / LESSON, 'file = "slow.py"', 'file = "slow.py"\nwarns = "was never awaited"')
    assert found_by(lesson, "plain") == []


def test_a_script_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    script = tmp_path / "hang.py"
    script.write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\ntime.sleep(60)\n"
    )
    done = ending(script, 2.0)
    assert (
        done.outcome == "timeout"
    )  # and the pipe that the child shares is closed, or this would take a minute
    assert done.stdout.strip().isdecimal()


def test_an_exercise_may_hang_by_design(lesson: Path) -> None:
    body = "    # TODO: who sets it?\n    await asyncio.Event().wait()\n    return [await brew(1)]"
    (lesson / "exercise.py").write_text(EXERCISE.format(name="exercise", body=body))
    change(lesson / LESSON, 'rows = ["brew"]', 'rows = ["brew"]\ntimeout_s = 1')
    assert found_by(lesson, "exercise-fails") == []


def two_lessons(lesson: Path) -> Path:
    """Beside the lesson on tea one on coffee, which claims a time, too."""
    coffee = lesson.parent / "05-coffee"
    shutil.copytree(lesson, coffee)
    change(coffee / LESSON, 'id = "tea"', 'id = "coffee"')
    change(coffee / LESSON, "[claims]", '[claims]\n"In 1887" = "quick.wall_s < 5"')
    return coffee


@pytest.mark.slow
def test_several_lessons_are_judged_and_measured_side_by_side(lesson: Path) -> None:
    coffee = two_lessons(lesson)
    sources = survey(lesson.parents[1]).sources
    assert [measures_time(source.lesson) for source in sources] == [False, True]
    steps: list[str] = []
    assert not list(slow_problems(sources, on_progress=steps.append))
    assert steps == ["judging tea ...", "judging coffee ...", "measuring coffee ..."]
    change(lesson / "wrong" / "in_pairs.py", "    cups = []", f"{SOLVED}\n    cups = []")
    change(lesson / LESSON, "== 9 with", "== 8 with")
    change(coffee / LESSON, "wall_s < 5", "wall_s < 0")
    found = list(slow_problems(survey(lesson.parents[1]).sources, on_progress=steps.append))
    assert [(problem.lesson, problem.rule) for problem in found] == [
        ("tea", "wrong-fails"),
        ("tea", "claims-hold"),
        ("coffee", "claims-hold"),
    ]
    assert steps[-1] == "measuring coffee alone ..."
