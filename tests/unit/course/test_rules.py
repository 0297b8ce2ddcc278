"""Each rule catches what it is for, in a lesson that is right otherwise."""

# ruff: noqa: E501 - a table

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from asyncdemo.course.rules import RULES, Problem, fast_problems, survey
from tests.support.tables import rows
from tests.unit.course.good_course import change, write_course


class Mistake(NamedTuple):
    """In ``file``, ``old`` becomes ``new`` ("": the whole file). at: what stands in the line."""

    rule: str
    file: str
    old: str
    new: str
    says: str
    at: str = ""


LESSON = "lesson.toml"


MISTAKES = rows(
    Mistake,
    r'''
files | notes.txt |  | tea | is not a file of this lesson
files | wrong/other.txt |  | ? | is not a file of this lesson
files | other.py |  | """?"""\n | is not a file of this lesson
files | queue.py |  | """?"""\n | hides the module 'queue'
files | wrong/async.py |  | """?"""\n | hides the module 'async'
words | lesson.toml | file = "quick.py" | file = "slow.py" | 2 variants are called slow.py
predictions | lesson.toml | metric = "peak(brew)" | metric = "wall_s" | wall_s needs a tolerance
predictions | lesson.toml | metric = "peak(brew)" | metric = "gap_ms(brew)" | needs a tolerance
claims | lesson.toml | CUPS=9 | CUPS=900 | CUPS can be 1 to 100 | CUPS=900
claims | lesson.toml | CUPS=9 | CUPS=0.5 | must be a whole number | CUPS=0.5
claims | lesson.toml | calls(brew) | wall_s | exactly the same twice | wall_s == 9
sections | README.md | ## Exercise | ### Exercise | the section 'Exercise' should be here | ## Where it bites
sections | README.md | ## Run\n | ## Predict\n\nAgain.\n\n## Run\n | the section 'Run' should be here | ## Predict
sections | README.md | - Water boils alone.\n- So do not watch it.\n |  | is empty | ## Key points
sections | README.md | # Tea for two | # Tea for three | must begin with the title | # Tea
minutes | lesson.toml | minutes = 10 | minutes = 45 | takes 5 to 30 minutes, not 45 | minutes = 45
section-parts | README.md | About 10 minutes | About 15 minutes | must begin with 'About 10 | ## For instructors
key-points | README.md | - Water boils alone.\n |  | two to four key points | ## Key points
section-parts | README.md | \x20More in tea/house#12. |  | names no real case | ## Where it bites
section-parts | README.md | ### Gives the answer away | ### Solution | must end with the last
verbatim | README.md | `CUPS` (4) is | Cups (4) are | does not say '`CUPS`'
verbatim | README.md | a peak of 4 | one of 4 | does not say 'a peak of 4' | a peak of 4
verbatim | README.md | In 1887 somebody | Once somebody | does not say 'In 1887' | In 1887
figures | README.md | Water boils alone.\n | Water boils in 3.5 s.\n | '3.5' in 'Key points' | 3.5
figures | README.md | See [the script] | After seven\nseconds, see [the script] | 'seven' in | seven
figures | README.md | See [the script] | After `3.01 s`, see [the script] | '3.01' in | 3.01
figures | README.md | brew(1)  = | t = 0.7  = | '0.7' in 'What you saw' | 0.7
figures | README.md | See [the | It has a peak of 3. See [the | '3' in 'Why' | peak of 3
transcripts | README.md | python slow.py\n | slow: 0.08 s\n | 'slow: 0.08 s' is not a command | slow: 0.08 s
threads | README.md | tea/house#12 | tea/house#12 and house#13 | 'house#13' must be | house#13
threads | README.md | tea/house#12 | tea/house#12 and #13 | '#13' must be written | #13
links | README.md | (quick.py) | (quicker.py) | leads to 'quicker.py', which is not | quicker.py
links | README.md | (#the-question) | (#a-question) | #a-question, but there is no such heading
files-named | README.md | `slow.py` | `slower.py` | there is no file slower.py | slower.py
commands | README.md | run 4 --variant quick | run 5 --variant quick | There is no lesson 5 | run 5
commands | README.md | run tea | run coffee | There is no lesson 'coffee' | coffee
commands | README.md | --variant quick | --variant fast | has no variant 'fast' | fast
commands | README.md | --set CUPS=9` | --set POTS=9` | has no knob POTS | POTS
commands | README.md | --set CUPS=9` | --set CUPS=900` | CUPS can be 1 to 100 | CUPS=900
commands | README.md | --set CUPS=9` | --set CUPS` | write NAME=VALUE | --set CUPS`
commands | README.md | python slow.py | python slower.py | there is no file slower.py | slower.py
commands | README.md | cp lessons/01 | cp lessons/02 | there is no file lessons/02 | lessons/02
commands | README.md | check tea | check coffee | There is no lesson 'coffee' | coffee
section-parts | README.md | asyncdemo run tea\n |  | must give the command: asyncdemo run
section-parts | README.md | `asyncdemo check tea` tells | It tells | must give a command: asyncdemo check tea
python | slow.py | await brew(n) | await brew(n | is not valid Python
scripts | slow.py | import asyncio\n | import asyncio\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n | it must have 20 to 60
scripts | slow.py | all are ready? | all are ready. | must be the question | """Four
scripts | slow.py | Predict | Guess | must say what to predict
scripts | slow.py | python slow.py | python quick.py | must end with the command
scripts | slow.py | import asyncio\n | import asyncio, asyncdemo\n | imports asyncdemo | import
scripts | slow.py | import asyncio\n | import asyncio, flask\n | imports flask, which | flask
scripts | slow.py | if __name__ == "__main__":\n\x20\x20\x20\x20 |  | must do nothing on import
python | quick.py | def brew | def pour | has no function brew
knobs | quick.py | CUPS = 4 | CUPS = 400 | is 400 in quick, not 1 to 100
knobs | quick.py | CUPS = 4 | CUPS = "4" | is not a constant with a number in quick
pairs | quick.py | BREW_S = 0.02 | BREW_S = 0.03 | slow has 'BREW_S = 0.02', which differs only in a name, a number or a comment | BREW_S = 0.03
pairs | quick.py | BREW_S = 0.02 | BREW_S = 0.02  # seconds | slow has 'BREW_S = 0.02', which differs only | # seconds
pairs | quick.py | def brew(n: int) | def brew(cup: int) | slow has 'async def brew(n: int) -> str:', which differs only | def brew(cup
pairs | quick.py | async def brew | async def main() -> None:\n    """Make all cups."""\n\n\nasync def brew | has main where slow has brew; they must be in the same order
exercise | lesson.toml | task = "Make all cups at the same time." | task = "Go" | must be a sentence | task =
exercise | lesson.toml | lanes = ["brew", "main"]\nrows = ["brew"] | lanes = [] | lanes is empty
exercise-overlays | wrong/in_pairs.py | Fault: there | Well, there | names no fault
exercise-overlays | wrong/no_cup.py | Only the names of cups.\n\n |  | does not say what is wrong with it
exercise-overlays | wrong/no_cup.py | async def main | import asyncdemo\n\n\nasync def main | imports asyncdemo | import
exercise-overlays | wrong/no_cup.py | async def main | del brew\n\n\nasync def main | has no function brew
exercise-overlays | wrong/no_cup.py | async def main | del stir\n\n\nasync def main | cannot be laid over solution.py: del stir: the solution has no stir
exercise-overlays | wrong/no_cup.py | async def main | def main() -> None: ...\n\n\nasync def main | two statements of the same name
exercise-overlays | wrong/no_cup.py | return [f | return [[f | is not valid Python
exercise-scripts | exercise.py | python exercise.py | python it.py | must name the command
exercise-scripts | solution.py | import asyncio\n | import asyncio\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n | 20 to 70
exercise-scripts | solution.py | return await | return wait | is not valid Python
exercise-marks | exercise.py | TODO:\x20 |  | marks no place to edit
exercise-marks | solution.py | import asyncio\n | import asyncio  # TODO\n | still has a TODO | TODO
exercise-marks | wrong/no_cup.py | async def main | # TODO\nasync def main | still has a TODO | TODO
exercise-edits | solution.py | sleep(BREW_S) | sleep(0) | where no TODO asks for a change | sleep(0)
exercise-edits | solution.py | \x20\x20\x20\x20await asyncio | \x20\x20\x20\x20n += 1\n    await asyncio | what follows | n += 1
exercise-hints | hints.md | ## The cause | ## The reason | must have these headings
exercise-sentences | exercise.py | All cups, in order. | All cups, in order, and hot. Be quick! | breaks 'and hot' | and hot
exercise-sentences | exercise.py | All cups, in order. | All cups, in order. Be\n    quick! Well done. | breaks 'Be quick!' | Be
exercise-sentences | exercise.py | \x20\x20\x20\x20# TODO: nobody should | \x20\x20\x20\x20# TODO: the kettle must\n    # sing\n    # nobody should | breaks 'the kettle must sing' | the kettle must
exercise-sentences | lesson.toml | "in order" = | "in disorder" = | not say 'in disorder' | "in disorder"
exercise-sentences | lesson.toml | "gather keeps it" | " " | does not say why nothing breaks 'in order' | "in order"
exercise-sentences | wrong/no_cup.py | Breaks: Make one cup. | Breaks: Make a cup. | not say 'Make a cup.'
exercise-sentences | wrong/no_cup.py | Breaks: Make one cup.\n |  | breaks no sentence
''',
)


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return write_course(tmp_path)


def found(lesson: Path) -> list[Problem]:
    surveyed = survey(lesson.parents[1])
    assert not surveyed.problems
    (source,) = surveyed.sources
    return list(fast_problems(source))


def test_a_lesson_that_keeps_the_rules_has_no_problem(lesson: Path) -> None:
    assert found(lesson) == []


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: f"{mistake.rule}: {mistake.says}")
def test_a_mistake_is_found_by_its_rule(lesson: Path, mistake: Mistake) -> None:
    if mistake.old or not (lesson / mistake.file).exists():
        change(lesson / mistake.file, mistake.old, mistake.new)
    problems = [problem for problem in found(lesson) if problem.rule == mistake.rule]
    matching = [problem for problem in problems if mistake.says in problem.message]
    assert matching, problems
    assert matching[0].lesson == "tea"
    assert matching[0].file.exists() or "is missing" in matching[0].message
    if mistake.at:
        line = matching[0].line
        assert line and mistake.at in matching[0].file.read_text().splitlines()[line - 1]


def test_a_command_that_does_not_exist_is_found(lesson: Path) -> None:
    change(lesson / "README.md", "See [the script]", "Type `asyncdemo brew tea`. See [the script]")
    (source,) = survey(lesson.parents[1], {"run", "trace", "check"}).sources
    (problem,) = fast_problems(source)
    assert problem.message == "`asyncdemo brew tea`: there is no command brew"


def test_rules_have_names_of_their_own() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["README.md", "exercise.py", "solution.py", "check.py", "hints.md"])
def test_a_file_that_is_missing_is_one_problem(lesson: Path, name: str) -> None:
    (lesson / name).unlink()
    (problem,) = found(lesson)
    assert problem.rule == ("sections" if name == "README.md" else "exercise")
    assert problem.file == lesson / name


def test_two_wrong_solutions_are_too_few(lesson: Path) -> None:
    (lesson / "wrong" / "one_only.py").unlink()
    change(lesson / LESSON, "[exercise.untested]", '[exercise.untested]\n"All cups" = "it shows"')
    (problem,) = found(lesson)
    assert problem.message == "there must be 3 or more wrong solutions, not 2"


def test_a_question_in_a_comment_and_the_command_demand_nothing(lesson: Path) -> None:
    change(
        lesson / "exercise.py", "    # TODO: nobody", "    # TODO: must it be so?\n    x = 0\n    # nobody"
    )
    change(lesson / "exercise.py", "python exercise.py", "python exercise.py, only here")
    assert not [problem for problem in found(lesson) if problem.rule == "exercise-sentences"]


def test_a_lesson_without_an_exercise_is_a_problem(lesson: Path) -> None:
    manifest = lesson / LESSON
    manifest.write_text(manifest.read_text().partition("[exercise]")[0])
    shutil.rmtree(lesson / "wrong")
    shutil.rmtree(lesson / "right")
    for name in ("exercise.py", "solution.py", "check.py", "hints.md"):
        (lesson / name).unlink()
    problems = found(lesson)
    assert {problem.rule for problem in problems} == {"exercise", "commands", "figures"}
    assert [problem.message for problem in problems if problem.rule == "commands"] == [
        "`asyncdemo check tea`: tea has no exercise"
    ]


@pytest.mark.parametrize("text", [b"\xff\xfe", b"x = '\x00'\n", b""])
def test_a_file_that_is_no_text_is_a_problem_and_no_crash(lesson: Path, text: bytes) -> None:
    for name in ("README.md", "slow.py", "exercise.py", "hints.md"):
        (lesson / name).write_bytes(text)
    assert {"sections", "exercise-hints"} <= {problem.rule for problem in found(lesson)}


@pytest.mark.parametrize(
    "words",
    [
        "`value = f[0](1)` is code.",
        "It runs on Python 3.14 and knows HTTP 404; PEP 703 says why.",
        "`asyncdemo run LESSON` runs any, `asyncdemo trace my_script.py` yours.",
        "The 4 cups, `4` of them.",
        "[A page](https://example.org/2024/01#7) says so.",
        "Never more than one cup, and never more than one\ncup again.",
        "`04-tea.py`, that is `01-start/04-tea.py`, is yours to edit: `python 01-start/04-tea.py`.",
    ],
)
def test_what_is_no_mistake_is_let_pass(lesson: Path, words: str) -> None:
    change(lesson / "README.md", "See [the script]", f"{words}\nSee [the script]")
    assert found(lesson) == []


def test_a_new_constant_next_to_a_todo_may_change(lesson: Path) -> None:
    change(lesson / "exercise.py", "BREW_S = 0.02", "BREW_S = 0.02  # TODO: is this long enough?")
    change(lesson / "solution.py", "BREW_S = 0.02", "BREW_S = 0.03")
    assert found(lesson) == []


def test_package_may_be_imported_under_its_module_name(lesson: Path) -> None:
    change(lesson / LESSON, "minutes = 10", 'minutes = 10\npackages = ["psycopg2-binary", "moto[server]"]')
    for name in ("slow.py", "quick.py"):
        change(lesson / name, "import asyncio\n", "import asyncio\n\nimport moto\nimport psycopg2\n")
    assert found(lesson) == []
