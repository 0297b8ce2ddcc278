"""``check`` of all exercises of a learner, of a class, and of a file."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from asyncdemo.course.workspace.progress import Record
from tests.cli.commands import in_process, interrupted
from tests.cli.desk import Desk, endless_exercise
from tests.support.small_course import BROKEN, FIXED, make_course


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


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
