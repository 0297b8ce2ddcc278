"""Saves, reported once each: by what stands in the files, at a clock that the test sets."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from asyncdemo.course.workspace import saves
from asyncdemo.course.workspace.saves import Change, Content, Watcher, read_content
from asyncdemo.recording.polling import readable

GATE, SLEEPS = Path("gate.py"), Path("sleeps.py")
SAVED, GONE = {"gate": Change.SAVED}, {"gate": Change.GONE}


class Disk:
    """Files, and a clock, that change when a test says so."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.texts: dict[Path, Content] = {}
        self.ticks = 0
        self.write(GATE, "as given")
        self.write(SLEEPS, "as given")
        files = {"gate": GATE, "sleeps": SLEEPS}
        self.saves = Watcher(files, self.read, lambda: self.now_s)
        self.saves.polls = True

    def read(self, file: Path) -> Content | None:
        return self.texts.get(file)

    def write(self, file: Path, text: str, new_inode: bool = False) -> None:
        self.ticks += 1
        inode = self.ticks if new_inode or file not in self.texts else self.texts[file].inode
        self.texts[file] = Content(self.ticks, inode, text.encode())

    def looks(self, seconds: float, step_s: float = 0.01) -> list[dict[str, Change]]:
        """What is reported while looking again and again."""
        reported = []
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self.now_s += step_s
            if changes := self.saves.look():
                reported.append(changes)
        return reported


@pytest.fixture
def disk() -> Iterator[Disk]:
    disk = Disk()
    with disk.saves:
        yield disk


def test_files_that_were_there_before_are_not_reported(disk: Disk) -> None:
    assert disk.looks(5) == []


def test_the_first_look_already_knows_that_something_is_going_on(disk: Disk) -> None:
    disk.write(GATE, "fixed")
    disk.now_s += 0.06  # when it is time to look
    assert disk.saves.look() == {}
    assert disk.saves.pause_s() <= 0.01


@pytest.mark.parametrize(
    ("texts", "pause_s", "expected"),
    [
        pytest.param(["fixed"], 0, [SAVED], id="in place"),
        pytest.param(["as given"], 0, [SAVED], id="without a change of the text"),
        pytest.param(["", "fixed"], 0.1, [SAVED], id="truncated, then written"),
        pytest.param([None, "fixed"], 0.1, [SAVED], id="deleted, then created"),
        pytest.param(["imp", "import asyn", "import asyncio"], 0.015, [SAVED], id="in pieces"),
        pytest.param([""], 0, [SAVED], id="left empty"),
        pytest.param([None, "again"], 5, [GONE, SAVED], id="gone, then back"),
        pytest.param(["first", "second"], 0.05, [SAVED, SAVED], id="twice in quick succession"),
    ],
)
def test_each_save_is_reported_once_however_it_is_made(
    disk: Disk, texts: list[str | None], pause_s: float, expected: list[dict[str, Change]]
) -> None:
    found = []
    for text in texts:
        if text is None:
            del disk.texts[GATE]
        else:
            disk.write(GATE, text)
        found += disk.looks(pause_s, step_s=0.005)
    assert found + disk.looks(5) == expected


def test_a_save_may_change_only_the_inode_or_only_the_text(disk: Disk) -> None:
    disk.texts[GATE] = disk.texts[GATE]._replace(inode=100)
    assert disk.looks(5) == [SAVED]
    disk.texts[GATE] = disk.texts[GATE]._replace(text=b"within a tick")
    assert disk.looks(5) == [SAVED]


def test_each_file_is_reported_by_its_name(disk: Disk) -> None:
    disk.write(SLEEPS, "fixed")
    disk.write(GATE, "fixed")
    assert disk.looks(5) == [{"gate": Change.SAVED, "sleeps": Change.SAVED}]


def test_what_we_changed_ourselves_is_no_save(disk: Disk) -> None:
    disk.write(GATE, "given again")
    assert disk.saves.forget("gate")
    assert disk.looks(5) == []
    assert not disk.saves.forget("gate")


def test_a_file_elsewhere_is_watched_from_then_on(disk: Disk) -> None:
    moved = Path("elsewhere.py")
    disk.write(moved, "as given")
    disk.saves.watch({"gate": moved})
    assert disk.looks(1) == []
    disk.write(GATE, "the old one")
    assert disk.looks(1) == []
    disk.write(moved, "fixed")
    assert disk.looks(1) == [SAVED]


# -- real files ----------------------------------------------------------------------------------


def in_place(file: Path) -> None:
    file.write_text("fixed in place")


def renamed_over(file: Path) -> None:
    draft = file.with_suffix(".tmp")
    draft.write_text("fixed aside")
    os.replace(draft, file)


def touched(file: Path) -> None:
    time.sleep(0.01)
    os.utime(file)


@pytest.fixture(params=["reported", "polled"])
def watcher(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Watcher]:
    (tmp_path / "gate.py").write_text("as given")
    polled = request.param == "polled"
    if polled:
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    else:
        pytest.importorskip("watchfiles")
    with Watcher({"gate": tmp_path / "gate.py"}) as watcher:
        assert watcher.polls is polled
        yield watcher


def changes(watcher: Watcher, enough: Callable[[list[Change]], bool]) -> list[Change]:
    reported: list[Change] = []
    limit = time.monotonic() + 10
    while not enough(reported) and time.monotonic() < limit:
        time.sleep(min(watcher.pause_s(), 0.02))
        reported += watcher.look().values()
    return reported


@pytest.mark.parametrize("save", [in_place, renamed_over, touched])
def test_however_an_editor_saves_it_is_seen(
    watcher: Watcher, tmp_path: Path, save: Callable[[Path], None]
) -> None:
    save(tmp_path / "gate.py")
    reported = changes(watcher, bool)
    reported += changes(watcher, lambda _: watcher.pause_s() > 0.011)
    assert set(reported) == {Change.SAVED}  # a machine that pauses in the middle may see two
    assert watcher._watched["gate"].reported == read_content(tmp_path / "gate.py")


def test_last_of_many_saves_has_the_text_that_counts(watcher: Watcher, tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / "gate.py").write_text(f"# {number:03}")
        watcher.look()
    assert changes(watcher, bool) == [Change.SAVED]
    assert watcher._watched["gate"].reported == read_content(tmp_path / "gate.py")


def test_more_of_a_file_than_can_be_checked_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "gate.py"
    file.touch()
    os.truncate(file, 5_000_000)
    content = read_content(file)
    assert content is not None
    assert b"Larger than 4 MB" in content.text


def test_a_report_wakes_who_waits_for_it(tmp_path: Path) -> None:
    pytest.importorskip("watchfiles")
    file = tmp_path / "gate.py"
    file.write_text("as given")
    with Watcher({"gate": file}) as watcher:
        for _ in range(50):
            file.write_text("fixed")  # again, should the watch not have begun yet
            if readable([watcher.fileno()], 0.2):
                return
    pytest.fail("nothing was reported")


def test_a_folder_that_cannot_be_watched_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_many(*folders: Path, **options: object) -> Iterator[None]:
        raise OSError("no space left on device")

    monkeypatch.setattr(saves, "_watch_function", lambda: too_many)
    file = tmp_path / "gate.py"
    file.write_text("as given")
    with Watcher({"gate": file}) as watcher:
        file.write_text("fixed")
        assert changes(watcher, bool) == [Change.SAVED]
        assert watcher.polls


def test_nothing_is_left_of_a_watcher(tmp_path: Path) -> None:
    file = tmp_path / "gate.py"
    file.write_text("as given")
    before = threading.active_count()
    with Watcher({"gate": file}):
        pass
    assert threading.active_count() == before
