"""What is remembered between sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.course.progress import Record, default_file, load, save


def test_what_was_saved_is_there_again(tmp_path: Path) -> None:
    file = tmp_path / "a" / "progress.json"
    save(file, {"two-sleeps": Record(2, 4, 3)})
    assert load(file) == {"two-sleeps": Record(2, 4, 3)}
    assert [path.name for path in file.parent.iterdir()] == ["progress.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"format": "other", "lessons": {}}',
        '{"format": "asyncdemo.progress/1", "lessons": {"a": 1}}',
        '{"format": "asyncdemo.progress/1", "lessons": {"a": {"x": 1}}}',
    ],
)
def test_a_file_that_makes_no_sense_counts_as_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "progress.json"
    file.write_text(text)
    assert load(file) == {}


def test_a_run_without_predictions_keeps_the_earlier_ones() -> None:
    record = Record().after(asked=4, right=3).after(asked=0, right=0)
    assert record == Record(runs=2, asked=4, right=3)


def test_the_state_folder_of_the_system_is_used() -> None:
    place = str(Path("/state"))
    assert default_file({"XDG_STATE_HOME": place, "LOCALAPPDATA": place}) == Path(
        place, "asyncdemo", "progress.json"
    )
    assert default_file({}).name == "progress.json"
