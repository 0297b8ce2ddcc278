"""``start``, ``check``, ``hint``, ``solution``, ``reset``; what ``list`` and the bare command know of it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest

from asyncdemo.course.workspace.files import state_folder
from asyncdemo.course.workspace.progress import Progress, Record, personal_progress
from tests.cli.commands import Done, in_process, interrupted
from tests.cli.terminals import Terminal
from tests.support.small_course import BROKEN, COURSE_TITLE, FIXED, make_course, spoil_progress


class Desk:
    """A workspace of the small course, and commands that are typed in it."""

    def __init__(self, tmp_path: Path) -> None:
        self.course = make_course(tmp_path / "course")
        self.folder = tmp_path / "mine"
        self.started = in_process("start", self.folder, "--course", self.course, cwd=tmp_path)
        self.tea = self.folder / "01-hot" / "01-tea.py"
        self.coffee = self.folder / "01-hot" / "02-coffee.py"

    def __call__(self, *arguments: str | Path) -> Done:
        return in_process(*arguments, cwd=self.folder)

    def record(self, lesson_id: str) -> Record:
        return personal_progress(COURSE_TITLE).of(lesson_id)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_start_gives_the_exercises_and_says_what_comes_next(desk: Desk, tmp_path: Path) -> None:
    assert desk.started.code == 0
    assert "your workspace, with 2 exercises to edit" in desk.started.out
    assert "Next: asyncdemo run tea" in desk.started.out
    assert desk.tea.read_text() == desk.coffee.read_text() == BROKEN
    assert in_process("start", cwd=tmp_path).code == 0
    assert (tmp_path / "asyncdemo-exercises" / "01-loop" / "01-two-sleeps.py").is_file()


def test_start_inside_a_workspace_brings_that_up_to_date(desk: Desk) -> None:
    desk.tea.write_text(FIXED)
    desk.coffee.unlink()
    for lesson in ("01-tea", "02-coffee"):
        exercise = desk.course / "01-hot" / lesson / "exercise.py"
        exercise.write_text(BROKEN + "# newer\n")
    done = in_process("start", cwd=desk.tea.parent)
    assert done.code == 0
    words = " ".join(done.out.split())
    assert "01-hot/01-tea.py: kept, because you have edited it." in words
    assert "asyncdemo reset tea" in words
    assert "01-hot/02-coffee.py: restored" in words
    assert desk.tea.read_text() == FIXED
    assert desk.coffee.read_text() == BROKEN + "# newer\n"
    assert not (desk.folder / "asyncdemo-exercises").exists()


@pytest.mark.parametrize(
    ("folder", "code", "words"),
    [
        ("file", 2, "is a file"),
        ("file/below", 3, "Not a directory"),
        ("mine/01-hot", 2, "is inside the workspace"),
        ("mine", 2, "is a workspace of the course"),
    ],
)
def test_a_folder_that_cannot_be_a_workspace_is_named(
    desk: Desk, tmp_path: Path, folder: str, code: int, words: str
) -> None:
    (tmp_path / "file").write_text("")
    other = make_course(tmp_path / "other")
    done = in_process("start", tmp_path / folder, "--course", other)
    assert done.code == code
    assert words in done.err
    assert "Traceback" not in done.err


def test_exercises_go_from_failure_to_pass_to_next_until_the_end(desk: Desk) -> None:
    done = desk("check", "tea")
    assert done.code == 1
    for words in (
        "Exercise 1, Tea: Make both at the same time.",
        "failed: ",
        "brew(0)",
        "asyncdemo hint tea",
    ):
        assert words in done.out
    assert (desk.record("tea").checks, desk.record("tea").passed) == (1, "")
    desk.tea.write_text(FIXED)
    done = desk("check")
    assert done.code == 0
    assert "Passed." in done.out
    assert "Next: asyncdemo run coffee" in done.out
    assert desk.record("tea").passed
    assert "Exercise 2, Coffee" in desk("check").out
    for named in ("1", "01-hot/01-tea.py"):
        assert "Exercise 1, Tea" in desk("check", named).out
    desk.coffee.write_text(FIXED)
    assert desk("check", "--all").code == 0
    desk.tea.write_text(BROKEN)
    done = desk("check")
    assert done.code == 1
    assert "1 of 2 exercises passed, 1 untouched." in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "toe"], "Did you mean 'tea'?"),
        (["check", "water"], "water has no exercise. These have one: tea, coffee."),
        (["check", "9"], "There is no lesson 9."),
        (["check", "elsewhere.py"], "is not an exercise of the workspace"),
        (["check", "tea", "--all"], "--all checks every exercise"),
        (["check", "--file", "01-hot/01-tea.py"], "Which exercise is 01-hot/01-tea.py?"),
        (["check", "--file", "nowhere.py", "tea"], "does not exist"),
        (["check", "--timeout", "0"], "--timeout"),
        (["check", "--all", "--handed-in", "../course"], "There is no workspace in"),
        (["check", "--handed-in", ".."], "asyncdemo check --all --handed-in"),
        (["check", "--all", "--csv", "table.csv"], "Add --handed-in FOLDER"),
        (
            ["check", "--all", "--handed-in", "..", "--csv", "nowhere/t.csv"],
            "Cannot write nowhere/t.csv: No such",
        ),
        (
            ["check", "--all", "--handed-in", "..", "--junit", "01-hot/01-tea.py"],
            "is not such a table. Choose",
        ),
    ],
)
def test_wrong_use_is_answered_with_what_would_be_right(desk: Desk, arguments: list[str], words: str) -> None:
    done = desk(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())


@pytest.mark.parametrize("command", ["check", "reset tea"])
def test_without_a_workspace_the_way_to_one_is_named(tmp_path: Path, command: str) -> None:
    done = in_process(*command.split(), "--course", make_course(tmp_path / "course"), cwd=tmp_path)
    assert done.code == 2
    assert "To create a folder with the exercises: asyncdemo --course course start" in done.err


def test_all_exercises_as_one_object(desk: Desk) -> None:
    desk.tea.write_text(FIXED.replace("return n", "print('brewed' + 999 * '!')\n    return n"))
    desk.coffee.write_text(BROKEN + "# tried\n")
    done = desk("check", "--all", "--json")
    assert done.code == 1
    assert not done.err
    data = done.data
    assert data["format"] == "asyncdemo.check/1"
    assert data["passed"] is False
    tea, coffee = data["exercises"]
    assert (tea["id"], tea["number"], tea["passed"], tea["message"]) == ("tea", 1, True, None)
    assert (tea["evidence"], tea["status"], coffee["status"]) == (None, "passed", "failed")
    assert len(tea["held"]) >= 2
    assert set(tea["output"]) == {"brewed" + 194 * "!"}
    assert coffee["passed"] is False
    assert coffee["file"] == str(desk.coffee)
    assert "1" in coffee["message"]
    lanes = coffee["evidence"]["lanes"]
    assert [lane["name"] for lane in lanes] == ["brew(0)", "brew(1)"]
    assert lanes[0]["end_s"] <= lanes[1]["start_s"]
    assert {lane["outcome"] for lane in lanes} == {"returned"}


def test_a_failure_with_drawn_values_can_be_had_again(desk: Desk) -> None:
    lesson = desk.course / "01-hot" / "01-tea"
    manifest = lesson / "lesson.toml"
    table = "[exercise]\nruns = [{ CUPS = [3, 99] }]"
    manifest.write_text(manifest.read_text().replace("[exercise]", table))
    desk.tea.write_text(FIXED.replace("import asyncio\n", "import asyncio\n\nCUPS = 2\n"))
    (lesson / "check.py").write_text("def check(seen):\n    seen.calls('brew').happen(seen.knobs['CUPS'])\n")
    first = desk("check", "tea", "--json").data["exercises"][0]
    assert first["seed"] is not None
    again = desk("check", "tea", "--seed", str(first["seed"]))
    assert f"CUPS = {first['knobs']['CUPS']}" in again.out
    command = f"to repeat this check: asyncdemo check tea --seed {first['seed']}"
    assert command in " ".join(again.out.split())
    assert "--seed" in desk("check", "--all").out
    own = desk("check", "--file", str(desk.tea), "tea", "--seed", "7").out
    assert f"--seed 7 --file {desk.tea}" in " ".join(own.split())


def test_one_exercise_that_cannot_be_checked_hides_no_other(desk: Desk) -> None:
    check = desk.course / "01-hot" / "01-tea" / "check.py"
    check.write_text("def check(seen):\n    raise KeyError('CUPS')\n")
    for file in (desk.tea, desk.coffee):
        file.write_text(FIXED)
    words = f"{check}: the check itself failed: KeyError: 'CUPS'"
    done = desk("check", "--all", "--json")
    assert done.code == 1
    tea, coffee = done.data["exercises"]
    assert (tea["passed"], tea["held"], tea["file"]) == (False, [], str(desk.tea))
    assert tea["message"].startswith(words)
    assert (coffee["passed"], done.data["passed"]) == (True, False)
    done = desk("check", "--all")
    assert done.code == 1
    said = " ".join(done.out.split())
    assert said.startswith(f"not checked 1 tea: {words}")
    assert said.partition(" passed 2 coffee ")[2].startswith("1 of 2 exercises passed.")
    assert desk("list", "--json").data["modules"][0]["lessons"][0]["progress"] is None, "it is no try"
    done = desk("check", "tea", "--json")
    assert (done.code, done.out) == (1, "")
    assert words in " ".join(done.err.split())


def test_submissions_are_graded_by_the_given_course_only(desk: Desk, tmp_path: Path) -> None:
    for file in (desk.tea, desk.coffee):
        file.write_text(FIXED)  # the grader's own
    ada, ran = tmp_path / "ada", tmp_path / "ran"
    shutil.copytree(desk.folder, ada)
    (ada / "01-hot" / "01-tea.py").write_text(BROKEN)
    evil = make_course(ada / "evil")
    for file in evil.rglob("check.py"):
        file.write_text(f"open({str(ran)!r}, 'w')\ndef check(seen): pass\n")
    file = ada / ".asyncdemo" / "workspace.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "course": str(evil)}))
    for command in (["check", "--all", "--json"], []):
        done = in_process(*command, cwd=ada)
        assert (done.code, done.out) == (3, "")
        assert f"asyncdemo start {ada} --course {evil}" in " ".join(done.err.split())
    done = in_process("check", "--all", "--json", "--course", desk.course, cwd=ada)
    assert done.code == 1
    tea, coffee = done.data["exercises"]
    assert (tea["file"], tea["passed"]) == (str(ada / "01-hot" / "01-tea.py"), False)
    assert (coffee["file"], coffee["passed"]) == (str(ada / "01-hot" / "02-coffee.py"), True)
    done = in_process("check", "--all", "--handed-in", ada.parent, "--course", desk.course, cwd=tmp_path)
    assert "ada: 1 passed, 1 untouched" in done.out.splitlines()
    file.write_text("{")
    assert in_process("check", "--all", "--json", "--course", desk.course, cwd=ada).code == 3
    assert not ran.exists()


def test_all_exercises_in_a_line_each(desk: Desk) -> None:
    desk.tea.write_text(FIXED)
    done = desk("check", "--all")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0].split() == ["passed", "1", "tea"]
    assert lines[1].split() == ["untouched", "2", "coffee"]
    assert "1 of 2 exercises passed, 1 untouched." in done.out
    desk.coffee.write_text(BROKEN + "# tried\n")
    assert desk("check", "--all").out.splitlines()[1].startswith("failed        2 coffee: ")
    desk.coffee.unlink()
    assert desk("check", "--all").out.splitlines()[1].startswith("missing       2 coffee: ")
    desk.coffee.write_text(FIXED)
    assert desk("check", "--all").code == 0


@pytest.fixture
def pile(desk: Desk) -> Path:
    """Handed in: Ada's workspace, and Bob's, which lies in a folder of his; and a letter."""
    folder = desk.folder.parent / "pile"
    folder.mkdir()
    desk.tea.write_text(FIXED)
    shutil.copytree(desk.folder, folder / "ada")
    desk.tea.write_text(BROKEN + "# tried\n")
    desk.coffee.unlink()
    shutil.copytree(desk.folder, folder / "bob" / "exercises")
    (folder / "letter.txt").write_text("Here they are.")
    return folder


def test_a_folder_of_workspaces_makes_one_table(desk: Desk, pile: Path) -> None:
    table, suites = pile / "table.csv", pile / "suites.xml"
    words: list[str | Path] = ["check", "--all", "--handed-in", pile, "--course", desk.course]
    before = {file: file.read_bytes() for file in pile.rglob("*") if file.is_file()}
    done = in_process(*words, "--csv", table, "--junit", suites, cwd=desk.folder.parent)
    assert done.code == 1
    assert done.out == "ada: 1 passed, 1 untouched\nbob: 0 passed, 1 failed (tea), 1 missing (coffee)\n"
    assert table.read_text().splitlines() == [
        "workspace,passed,tea,coffee",
        "ada,1,passed,untouched",
        "bob,0,failed,missing",
    ]
    root = ElementTree.parse(suites).getroot()
    assert [suite.attrib for suite in root] == [
        {"name": "ada", "tests": "2", "failures": "0", "errors": "0", "skipped": "1"},
        {"name": "bob", "tests": "2", "failures": "2", "errors": "0", "skipped": "0"},
    ]
    assert [(case.attrib["name"], [one.tag for one in case]) for case in root.iter("testcase")] == [
        ("tea", []),
        ("coffee", ["skipped"]),
        ("tea", ["failure"]),
        ("coffee", ["failure"]),
    ]
    assert {file: file.read_bytes() for file in before} == before, "nothing is written into them"
    data = in_process(*words, "--json", cwd=desk.folder.parent).data
    assert [
        (person["name"], [one["status"] for one in person["exercises"]]) for person in data["workspaces"]
    ] == [
        ("ada", ["passed", "untouched"]),
        ("bob", ["failed", "missing"]),
    ]


def test_an_interrupted_grading_leaves_the_table_as_it_was(desk: Desk, pile: Path) -> None:
    table, started = pile / "table.csv", pile / "started"
    table.write_text("workspace,passed\nthe complete one")
    (pile / "bob" / "exercises" / "01-hot" / "01-tea.py").write_text(endless_exercise(started))
    words: list[str | Path] = ["check", "--all", "--handed-in", pile, "--course", desk.course, "--csv", table]
    done = interrupted(*words, cwd=pile, when=started.exists)
    assert done.code == 130
    assert done.out == "ada: 1 passed, 1 untouched\nInterrupted. No table was written.\n"
    assert table.read_text() == "workspace,passed\nthe complete one"


def test_submission_without_a_readable_workspace_is_in_the_table(desk: Desk, pile: Path) -> None:
    shutil.rmtree(pile / "ada" / ".asyncdemo")
    (pile / "bob" / "exercises" / ".asyncdemo" / "workspace.json").write_text("{bro")
    (pile / "cy" / "01-hot").mkdir(parents=True)
    (pile / "cy" / "01-hot" / "01-tea.py").symlink_to(pile / "ada" / "01-hot" / "01-tea.py")
    shutil.copytree(pile / "ada", pile / "dan" / "too" / "deep")
    done = in_process("check", "--all", "--handed-in", "../pile", "--course", desk.course, cwd=desk.folder)
    assert done.code == 1
    assert done.out.splitlines() == [
        "ada: 1 passed, 1 untouched",
        "bob: 0 passed, 1 failed (tea), 1 missing (coffee)",
        "cy: 0 passed, 1 missing (coffee), 1 not checked (tea)",
        "dan: no exercise found, neither in this folder nor in a folder directly in it",
    ]
    words = ("check", "--all", "--handed-in", ".", "--course", desk.course)
    assert in_process(*words, cwd=pile / "ada").out == "ada: 1 passed, 1 untouched\n"


def test_hostile_submissions_stop_no_other_and_are_not_changed(desk: Desk, pile: Path) -> None:
    ada = pile / "ada"
    forged, other = pile / "forged", os.fsencode(pile) + b"/latin-\xe9"
    shutil.copytree(ada, forged)
    (forged / "01-hot" / "01-tea.py").write_text(f"{FIXED}\nimport os\nos._exit(0)\n")
    shutil.copytree(ada, os.fsdecode(other))
    (pile / "copied").symlink_to("ada")
    shutil.copytree(ada, pile / "writes")
    script = "import pathlib\nfor name in ('cache', pathlib.Path(__file__).with_name('cache')):\n"
    script += "    pathlib.Path(name).write_text('')\n"
    (pile / "writes" / "01-hot" / "01-tea.py").write_text(script + FIXED)
    shutil.rmtree(pile / "bob")
    before = sorted(os.fsencode(path) for path in pile.rglob("*"))
    table = desk.folder.parent / "table.csv"
    words: list[str | Path] = ["check", "--all", "--handed-in", pile, "--course", desk.course, "--csv", table]
    assert in_process(*words, cwd=pile).code == 1
    assert table.read_text().splitlines() == [
        "workspace,passed,tea,coffee",
        "ada,1,passed,untouched",
        "copied,0,not checked,not checked",
        "forged,0,failed,untouched",
        "latin-\\udce9,1,passed,untouched",
        "writes,1,passed,untouched",
    ]
    assert sorted(os.fsencode(path) for path in pile.rglob("*")) == before


def test_outside_file_is_checked_without_touching_progress(desk: Desk, tmp_path: Path) -> None:
    submission = tmp_path / "anna.py"
    words = ("check", "--file", submission, "tea", "--course", desk.course)
    submission.write_text(FIXED)
    done = in_process(*words, "--json", cwd=tmp_path)
    assert done.code == 0
    assert done.data["exercises"][0]["file"] == str(submission)
    assert desk("check", "--file", submission, "tea").code == 0
    assert desk.record("tea") == Record()
    submission.write_text(BROKEN)
    assert in_process(*words, cwd=tmp_path).code == 1


def test_file_that_is_invalid_endless_or_missing_fails_in_words(desk: Desk) -> None:
    endless = FIXED.replace("await asyncio.sleep(1)", "await asyncio.Event().wait()")
    for text in ("def (:\n", "", "import nonsense_that_is_not_there\n", "\x00", endless):
        desk.tea.write_text(text)
        done = desk("check", "tea", "--timeout", "0.5" if text == endless else "10")
        assert done.code == 1
        assert "failed: " in done.out
        assert "Traceback" not in done.err
    desk.tea.unlink()
    done = desk("check", "tea")
    assert done.code == 1
    assert "asyncdemo reset tea" in done.out
    assert desk("reset", "tea").code == 0
    assert desk.tea.read_text() == BROKEN


def endless_exercise(started: Path) -> str:
    """An exercise that makes the file when it runs, and doesn't end."""
    loop = f"    import pathlib\n    pathlib.Path({str(started)!r}).touch()\n    while True:\n        pass"
    return FIXED.replace("    asyncio.run(main())", loop)


def test_ctrl_c_ends_a_check_with_130_and_counts_no_try(desk: Desk) -> None:
    started = desk.folder / "started"
    desk.tea.write_text(endless_exercise(started))
    assert interrupted("check", "tea", cwd=desk.folder, when=started.exists).code == 130
    assert desk.record("tea") == Record()


def test_hints_come_singly_and_the_solution_on_a_second_request(desk: Desk) -> None:
    sections = [
        ("1 of 3. Where to look", "At the loop."),
        ("2 of 3. The cause", "It waits for each."),
        ("3 of 3. Nearly the answer", "`asyncio.gather`."),
    ]
    for heading, text in sections:
        out = desk("hint", "tea").out
        assert heading in out and text in out
        assert out.count("It waits for each.") == (text == "It waits for each.")
    again = desk("hint", "tea").out
    assert all(text in again for _, text in sections)
    assert "asyncdemo solution tea" in again
    assert "hint 1 of 3" in desk("hint", "coffee").out
    first = desk("solution", "tea")
    assert first.code == 0
    assert "run this again" in first.out
    assert "gather" not in first.out
    assert "gather" in desk("solution", "tea").out
    assert desk.tea.read_text() == BROKEN


def test_changes_are_listed_as_text_and_the_solutions_if_passed(desk: Desk) -> None:
    desk.tea.write_text(FIXED)
    before = desk("solution", "tea", "--changes").out
    assert "What you changed" in before and "+" in before
    assert "What the solution changes" not in before
    desk("check", "tea")
    assert "What the solution changes" in desk("solution", "tea", "--changes").out
    assert "gather" in desk("solution", "tea").out, "who passed need not ask twice"


def test_reset_without_a_terminal_needs_a_yes_and_keeps_the_text(desk: Desk) -> None:
    desk.tea.write_text("mine")
    done = desk("reset", "tea")
    assert done.code == 2
    assert "--yes" in done.err
    assert desk.tea.read_text() == "mine"
    done = desk("reset", "tea", "--yes")
    assert done.code == 0
    assert "01-tea.py.bak" in done.out
    assert desk.tea.read_text() == BROKEN
    assert desk.tea.with_name("01-tea.py.bak").read_text() == "mine"
    done = desk("reset")
    assert done.code == 0, "not edited: nothing to ask"
    assert "01-tea.py: restored" in done.out


@pytest.mark.parametrize(
    ("key", "code", "text"),
    [("y\n", 0, BROKEN), ("\n", 0, "mine"), ("\x03", 130, "mine")],
)
def test_reset_asks(desk: Desk, key: str, code: int, text: str) -> None:
    desk.tea.write_text("mine")
    with Terminal("reset", "tea", "--course", desk.course, cwd=desk.folder) as terminal:
        terminal.wait_for("[y/N]")
        time.sleep(0.3)  # between its prompt and its read, Python's input() does not notice a signal
        terminal.type(key)
        assert terminal.end() == code
        assert "Traceback" not in terminal.text
    assert desk.tea.read_text() == text


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("start", 2, "asyncdemo-exercises: the current folder no longer exists"),
        ("check tea.py", 2, "tea.py: the current folder no longer exists"),
        ("", 0, ""),
        ("dev check --fast upload-gate", 0, ""),
    ],
)
def test_removed_current_folder_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, code: int, words: str
) -> None:
    in_process("start", cwd=tmp_path)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    done = in_process(*command.split())
    assert (done.code, "Traceback" in done.err) == (code, False)
    assert words in " ".join(done.err.split())


def test_a_failed_check_is_drawn(desk: Desk) -> None:
    with Terminal("check", "tea", cwd=desk.folder) as terminal:
        assert terminal.end() == 1
        assert "brew(0)" in terminal.text
        assert "\x1b[" in terminal.text
    with Terminal("check", "tea", "--plain", cwd=desk.folder) as terminal:
        assert terminal.end() == 1
        assert "\x1b" not in terminal.text


def test_list_adds_up_the_minutes_and_tells_what_has_passed(desk: Desk) -> None:
    desk.tea.write_text(FIXED)
    desk("check", "--all")
    desk("run", "tea")
    out = desk("list").out
    assert "1  Hot, 60 min" in out
    assert "In all: 3 lessons, 60 min; 1 run, 1 of 2 exercises passed." in out
    assert "run once, exercise passed" in out
    assert "exercise not passed" not in out  # nobody has touched that one
    desk("check", "coffee")
    assert "exercise not passed, 1 try" in desk("list").out
    data = desk("list", "--json").data
    assert (data["minutes"], data["modules"][0]["minutes"]) == (60, 60)
    tea, coffee, water = data["modules"][0]["lessons"]
    assert tea["progress"]["passed"]
    assert coffee["progress"]["passed"] is None
    assert (coffee["exercise"], water["exercise"], water["progress"]) == (True, False, None)


def test_the_bare_command_resumes_from_anywhere(desk: Desk, tmp_path: Path) -> None:
    desk("run", "tea")
    done = in_process(cwd=tmp_path)
    assert done.code == 0
    assert str(desk.folder) in done.out
    assert "asyncdemo check tea" in done.out
    assert str(Path("mine", "01-hot", "01-tea.py")) in done.out
    assert "asyncdemo run coffee" in done.out
    desk.tea.write_text(FIXED)
    desk("check", "tea")
    assert "asyncdemo run coffee" in in_process(cwd=tmp_path).out
    shutil.rmtree(desk.course)
    done = in_process(cwd=tmp_path)
    assert done.code == 0
    words = " ".join(done.out.split())
    assert f"Ignoring the workspace {desk.folder}: {desk.course}: is not a course" in words
    assert "asyncdemo run two-sleeps" in words


def test_progress_before_a_workspace_counts_in_it(tmp_path: Path) -> None:
    personal_progress("").update("two-sleeps", lambda _: Record(runs=2, asked=4, right=3))
    assert "hint 1 of 3" in in_process("hint", "two-sleeps", cwd=tmp_path).out
    for _ in range(2):
        assert in_process("start", cwd=tmp_path).code == 0
    folder = tmp_path / "asyncdemo-exercises"
    assert "run 2 times, 3 of 4 predictions right" in in_process("list", cwd=folder).out
    assert "hint 2 of 3" in in_process("hint", "two-sleeps", cwd=folder).out
    assert "hint 3 of 3" in in_process("hint", "two-sleeps", cwd=tmp_path).out
    assert [file.name for file in (folder / ".asyncdemo").iterdir()] == ["workspace.json"]


def test_second_workspace_names_the_first_and_what_passed(desk: Desk, tmp_path: Path) -> None:
    desk.tea.write_text(FIXED)
    assert desk("check", "tea").code == 0
    second = tmp_path / "second"
    done = in_process("start", second, "--course", desk.course, cwd=tmp_path)
    words = " ".join(done.out.split())
    assert f"You also have {desk.folder}. Its files stay as they are." in words
    assert "1 of 2 exercises passed" in words
    assert "1 of 2 exercises passed" in in_process("list", cwd=second).out
    assert "1 of 2 exercises passed" in desk("list").out
    assert "Exercise 2, Coffee" in in_process("check", cwd=second).out
    assert in_process("reset", "tea", "--yes", cwd=desk.folder).code == 0
    assert desk.record("tea").passed
    again = in_process("start", second, "--course", desk.course, cwd=tmp_path)
    assert "You also have" not in again.out


def earlier_store(folder: Path) -> Progress:
    """Return the store that an earlier asyncdemo kept in a workspace, with a pass of tea."""
    store = Progress(folder / ".asyncdemo" / "progress.sqlite3")
    store.update("tea", lambda _: Record(runs=2, checks=1, passed="2026-01-01"))
    return store


def test_earlier_workspaces_are_read_in_wherever_one_works(desk: Desk, tmp_path: Path) -> None:
    earlier_store(desk.folder)
    second = tmp_path / "second"
    done = in_process("start", second, "--course", desk.course, cwd=tmp_path)
    assert "1 of 2 exercises passed" in done.out
    for _ in range(2):
        assert "run 2 times" in in_process("list", cwd=second).out
    assert desk.record("tea") == Record(runs=2, checks=1, passed="2026-01-01")


def test_store_in_a_workspace_of_somebody_else_is_left_alone(desk: Desk, tmp_path: Path) -> None:
    earlier_store(desk.folder)
    copy = tmp_path / "copy"
    desk.folder.rename(copy)
    assert "0 of 2 exercises passed" in in_process("list", "--course", desk.course, cwd=copy).out
    assert in_process("start", copy, "--course", desk.course, cwd=tmp_path).code == 0
    assert "1 of 2 exercises passed" in in_process("list", cwd=copy).out


def test_damaged_earlier_store_is_one_line_and_hides_no_other(desk: Desk, tmp_path: Path) -> None:
    second = tmp_path / "second"
    in_process("start", second, "--course", desk.course, cwd=tmp_path)
    damaged = earlier_store(desk.folder).file
    damaged.write_text("no database")
    earlier_store(second)
    done = desk("list")
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert str(damaged) in done.err and "could not be added to yours" in done.err
    assert "1 of 2 exercises passed" in done.out


def test_grading_neither_reads_nor_writes_any_progress(desk: Desk, tmp_path: Path) -> None:
    desk.tea.write_text(FIXED)
    store = earlier_store(desk.folder).file
    before = store.read_bytes()
    spoil_progress()
    done = desk("check", "--all", "--handed-in", desk.folder, "--course", desk.course)
    assert (done.code, done.err) == (1, "")
    assert "mine: 1 passed, 1 untouched" in done.out
    assert store.read_bytes() == before
    assert (state_folder() / "progress.sqlite3").read_text() == "no database"


def _as_file(state: Path) -> None:
    state.unlink() if state.is_file() else shutil.rmtree(state)
    state.write_text("")


def _newer(state: Path) -> None:
    with closing(sqlite3.connect(personal_progress("").file)) as database:
        database.execute("PRAGMA user_version = 99")


def _nulls(state: Path) -> None:
    with closing(sqlite3.connect(personal_progress("").file)) as database:
        database.execute("UPDATE lessons SET runs = NULL")
        database.commit()


def _folder(state: Path) -> None:
    file = personal_progress("").file
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda _: spoil_progress(), "file is not a database"),
        (_newer, "newer asyncdemo"),
        (_nulls, "is damaged"),
        (_folder, "unable to open database file"),
        (_as_file, "File exists"),
    ],
)
def test_verdict_survives_a_progress_that_cannot_be_used(
    desk: Desk, harm: Callable[[Path], None], words: str
) -> None:
    personal_progress(COURSE_TITLE).update("tea", Record.after_run)
    harm(state_folder())
    desk.tea.write_text(FIXED)
    for exercise, code in (("tea", 0), ("coffee", 1)):
        done = desk("check", exercise, "--course", desk.course)
        assert done.code == code
        assert "Passed." in done.out or "Not passed yet." in done.out
        assert done.err.count("\n") == 1 and words in done.err
    assert desk("list", "--course", desk.course).code == 0
    hint, solution = (desk(command, "--course", desk.course) for command in ("hint", "solution"))
    for done in (hint, solution):
        assert (done.code, done.err.count("\n")) == (0, 1), done.err
    assert "asyncio.gather" in solution.out, "nobody could ask twice"


def test_locked_progress_keeps_the_verdict(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asyncdemo.course.workspace.database._BUSY_S", 0.05)
    personal_progress(COURSE_TITLE).update("tea", Record.after_run)
    desk.tea.write_text(FIXED)
    with closing(sqlite3.connect(personal_progress("").file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = desk("check", "tea")
    assert done.code == 0
    assert "Passed." in done.out
    assert done.err.count("\n") == 1
    assert "Your progress could not be saved: " in done.err and "another program is using it" in done.err


def test_workspace_moved_with_its_course_is_started_again(desk: Desk, tmp_path: Path) -> None:
    desk.tea.write_text(FIXED)
    folder, course = tmp_path / "moved", tmp_path / "drinks"
    desk.folder.rename(folder)
    desk.course.rename(course)
    assert in_process("check", "tea", cwd=folder).code == 3
    assert in_process("check", "tea", "--course", course, cwd=folder).code == 0
    assert in_process("start", folder, "--course", course, cwd=tmp_path).code == 0
    assert "1 of 2 exercises passed" in in_process("check", "--all", cwd=folder).out


def test_exercises_are_completed(desk: Desk) -> None:
    for command in ("check", "hint", "solution", "reset"):
        typed = {"COMP_WORDS": f"asyncdemo {command} ", "COMP_CWORD": "2"}
        done = in_process(cwd=desk.folder, _ASYNCDEMO_COMPLETE="bash_complete", **typed)
        assert done.out.split() == ["plain,tea", "plain,coffee"]
