"""What is remembered of a learner's lessons, and how records of several places become one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.course.workspace.progress import FORMAT, Predicted, Progress, Record, read_first_format
from asyncdemo.errors import WorkspaceError

RIGHT = Predicted("How many?", 1, "3 cups", "3 cups", True, times_right=1)
WRONG = Predicted("How many?", 1, "2 cups", "3 cups", False)


def test_what_was_recorded_is_there_again(tmp_path: Path) -> None:
    record = Progress(tmp_path).update(
        "tea", lambda known: known.after_run([RIGHT]).after_check(True, "2026-01-01").after_hint()
    )
    assert Progress(tmp_path).of("tea") == record
    assert Progress(tmp_path).all() == {"tea": record}
    assert record == Record(
        runs=1, asked=1, right=1, predictions=(RIGHT,), checks=1, passed="2026-01-01", hints=1
    )


def test_the_file_is_plain_json_with_its_format(tmp_path: Path) -> None:
    Progress(tmp_path).update("tea", lambda record: record.after_run([WRONG]))
    (file,) = tmp_path.iterdir()
    data = json.loads(file.read_text())
    assert file.name == "tea.1.json"
    assert data["format"] == FORMAT
    assert data["predictions"][0]["answer"] == "2 cups"


def test_a_run_without_predictions_keeps_the_earlier_ones() -> None:
    record = Record().after_run([RIGHT]).after_run()
    assert (record.runs, record.asked, record.right, record.predictions) == (2, 1, 1, (RIGHT,))


def test_answers_to_one_question_are_counted_and_the_latest_is_kept() -> None:
    record = Record().after_run([WRONG]).after_run([RIGHT]).after_run([WRONG])
    assert record.predictions == (replace(WRONG, asked=3, times_right=1),)
    assert (record.asked, record.right) == (1, 0)


def test_the_first_pass_is_the_one_that_is_kept() -> None:
    record = Record().after_check(False, "1").after_check(True, "2").after_check(False, "3")
    assert (record.checks, record.passed) == (3, "2")
    assert record.after_check(True, "4").passed == "2"


def test_there_are_three_hints() -> None:
    record = Record()
    for expected in (1, 2, 3, 3):
        record = record.after_hint()
        assert record.hints == expected


def test_the_solution_is_shown_to_who_asks_twice_or_has_passed() -> None:
    once = Record().after_asking_for_solution()
    assert not once.solution_shown
    assert once.after_asking_for_solution().solution_shown
    assert Record(passed="now").after_asking_for_solution().solution_shown


def test_joining_loses_nothing_and_can_be_repeated() -> None:
    one = Record(runs=3, asked=1, right=0, predictions=(replace(WRONG, asked=3),), checks=1, hints=2)
    other = Record(
        runs=1,
        predictions=(RIGHT, Predicted("Why?", 2, "a", "b", False)),
        checks=4,
        passed="2026",
        solution_asked=1,
    )
    joined = one.joined(other)
    assert joined == Record(
        runs=3,
        asked=1,
        right=0,
        predictions=(replace(WRONG, asked=3), Predicted("Why?", 2, "a", "b", False)),
        checks=4,
        passed="2026",
        hints=2,
        solution_asked=1,
    )
    assert joined.joined(other) == joined.joined(one) == joined
    assert other.joined(one) == joined


def test_the_earlier_of_two_passes_counts() -> None:
    assert Record(passed="2026-02").joined(Record(passed="2026-01")).passed == "2026-01"


def test_a_renamed_lesson_has_its_earlier_record(tmp_path: Path) -> None:
    Progress(tmp_path).update("old", lambda record: record.after_check(True, "then"))
    progress = Progress(tmp_path, renamed={"old": "new"})
    assert progress.of("new").passed == "then"
    assert set(progress.all()) == {"new"}
    progress.update("new", lambda record: record.after_run())
    assert progress.of("new") == Record(runs=1, checks=1, passed="then")


def test_a_field_that_makes_no_sense_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "tea.1.json").write_text(
        json.dumps({"format": FORMAT, "runs": "many", "hints": 2, "predictions": [3, {"place": 1}], "x": 1})
    )
    record = Progress(tmp_path).of("tea")
    assert (record.runs, record.hints, len(record.predictions)) == (0, 2, 1)


def test_a_record_of_a_newer_asyncdemo_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "tea.1.json"
    file.write_text('{"format": "asyncdemo.progress/3"}')
    with pytest.raises(WorkspaceError, match="newer asyncdemo"):
        Progress(tmp_path).update("tea", Record.after_run)
    assert [path.name for path in tmp_path.iterdir()] == ["tea.1.json"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "progress"
    with pytest.raises(WorkspaceError, match="could not be kept"):
        Progress(folder).update("tea", Record.after_run)
    assert Progress(folder).all() == {}


def test_the_one_file_of_the_first_format_is_read(tmp_path: Path) -> None:
    file = tmp_path / "progress.json"
    file.write_text(
        '{"format": "asyncdemo.progress/1", "lessons": {"tea": {"runs": 2, "asked": 4, "right": 3}}}'
    )
    earlier = read_first_format(file)
    assert earlier == {"tea": Record(runs=2, asked=4, right=3)}
    progress = Progress(tmp_path / "progress", earlier=earlier)
    assert progress.all() == earlier
    assert progress.update("tea", Record.after_run).runs == 3
    assert progress.of("tea") == Record(runs=3, asked=4, right=3)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "asyncdemo.progress/1", "lessons": 3}'])
def test_a_first_file_that_makes_no_sense_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "progress.json").write_text(text)
    assert read_first_format(tmp_path / "progress.json") == {}
