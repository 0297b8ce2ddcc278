"""Reading handed-in work: what its owner can do to a folder, and what is read of it nevertheless."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import Heading, load_course
from asyncdemo.course.workspace.handed_in import Submission, find_submissions
from asyncdemo.course.workspace.workspace import place_of
from asyncdemo.errors import UsageError, WorkspaceError
from tests.support.small_course import make_course

WORK = b"work of Ada\n"
LINK = "Links are not followed"


@pytest.fixture
def lesson(tmp_path: Path) -> Heading:
    return load_course(make_course(tmp_path / "course")).lessons[0]


@pytest.fixture
def pile(tmp_path: Path, lesson: Heading) -> Path:
    """Ada's work."""
    file = tmp_path / "pile" / "ada" / place_of(lesson)
    file.parent.mkdir(parents=True)
    file.write_bytes(WORK)
    return tmp_path / "pile"


def one(pile: Path, name: str, lesson: Heading) -> Submission:
    return next(item for item in find_submissions(pile, [lesson]) if item.name == name)


def test_work_is_found_also_one_folder_deeper(pile: Path, lesson: Heading) -> None:
    (pile / "bob").mkdir()
    (pile / "ada").rename(pile / "bob" / "exercises")
    assert one(pile, "bob", lesson).read(lesson) == (place_of(lesson), WORK)


def test_moved_file_is_found_by_the_lessons_id(pile: Path, lesson: Heading) -> None:
    (pile / "ada" / place_of(lesson)).rename(pile / "ada" / f"07-{lesson.id}.py")
    (pile / "ada" / ".asyncdemo").mkdir()
    (pile / "ada" / ".asyncdemo" / "workspace.json").write_text("{}")
    assert one(pile, "ada", lesson).read(lesson) == (f"07-{lesson.id}.py", WORK)


def whole(bob: Path, ada: Path, place: str) -> None:
    bob.symlink_to(ada)


def inner(bob: Path, ada: Path, place: str) -> None:
    bob.mkdir()
    (bob / "ws").symlink_to(ada)


def module(bob: Path, ada: Path, place: str) -> None:
    bob.mkdir()
    (bob / place).parent.symlink_to((ada / place).parent)


def file(bob: Path, ada: Path, place: str) -> None:
    (bob / place).parent.mkdir(parents=True)
    (bob / place).symlink_to(ada / place)


def cycle(bob: Path, ada: Path, place: str) -> None:
    bob.symlink_to(bob)


@pytest.mark.parametrize("link", [whole, inner, module, file, cycle])
def test_link_at_any_level_is_not_followed(
    pile: Path, lesson: Heading, link: Callable[[Path, Path, str], None]
) -> None:
    link(pile / "bob", pile / "ada", place_of(lesson))
    with pytest.raises(WorkspaceError, match=LINK):
        one(pile, "bob", lesson).read(lesson)
    assert one(pile, "ada", lesson).read(lesson)[1] == WORK


def make_sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


@pytest.mark.parametrize(
    "make",
    [os.mkfifo, os.mkdir, make_sparse],
    ids=["fifo", "folder", "sparse"],
)
def test_what_is_no_small_regular_file_is_not_read(
    pile: Path, lesson: Heading, make: Callable[[Path], object]
) -> None:
    place = pile / "ada" / place_of(lesson)
    place.unlink()
    make(place)
    with pytest.raises(WorkspaceError, match="ada"):
        one(pile, "ada", lesson).read(lesson)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"format": 1}', "[]", '"\\ud800"'])
def test_with_a_damaged_manifest_work_is_found_by_name(pile: Path, lesson: Heading, text: str) -> None:
    own = pile / "ada" / ".asyncdemo"
    own.mkdir()
    (own / "workspace.json").write_text(text)
    assert one(pile, "ada", lesson).read(lesson)[1] == WORK


def test_a_manifest_that_is_a_fifo_does_not_block(pile: Path, lesson: Heading) -> None:
    own = pile / "ada" / ".asyncdemo"
    own.mkdir()
    os.mkfifo(own / "workspace.json")
    assert one(pile, "ada", lesson).read(lesson)[1] == WORK


def test_without_anything_like_work_it_is_wrong_use(tmp_path: Path, lesson: Heading) -> None:
    (tmp_path / "empty" / "folder").mkdir(parents=True)
    with pytest.raises(UsageError, match="no workspace"):
        find_submissions(tmp_path / "empty", [lesson])
