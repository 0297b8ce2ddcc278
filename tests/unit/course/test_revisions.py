"""Objects that several processes change at once: nothing that was confirmed is ever lost."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from asyncdemo.course.workspace import files, revisions
from asyncdemo.course.workspace.revisions import Data, names, newest, update
from tests.cli.commands import environment

# Adds one to "n" as often as it can, and says so each time it is confirmed.
COUNTER = """
import sys
from pathlib import Path
from asyncdemo.course.workspace.revisions import update

folder, name, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def more(data):
    return {"n": (data or {"n": 0})["n"] + 1, "ballast": "x" * 4000}

for _ in range(times):
    print(update(folder, name, more)["n"], flush=True)
"""

WITHOUT_LINKS = """
import errno, os
def refuse(*arguments, **options):
    raise OSError(errno.EPERM, "no links here")
os.link = refuse
"""


def counting(folder: Path, times: int, before: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", before + COUNTER, str(folder), "tea", str(times)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )


def more(data: Data | None) -> Data:
    return {"n": (data or {"n": 0})["n"] + 1}


@pytest.fixture(params=["links", "no links"])
def any_file_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "no links":

        def refuse(*arguments: object) -> None:
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", refuse)
    return str(request.param)


def test_each_change_is_a_revision_on_top_of_the_one_before(tmp_path: Path, any_file_system: str) -> None:
    for expected in (1, 2, 3):
        assert update(tmp_path, "tea", more)["n"] == expected
    update(tmp_path, "coffee", more)
    found = newest(tmp_path, "tea")
    assert found is not None
    assert found["n"] == 3
    assert names(tmp_path) == {"tea", "coffee"}
    assert not list(tmp_path.glob(".*"))


def test_names_that_begin_alike_are_kept_apart(tmp_path: Path) -> None:
    update(tmp_path, "tea", lambda _: {"n": 1})
    update(tmp_path, "tea.1", lambda _: {"n": 2})
    found = newest(tmp_path, "tea")
    assert found is not None
    assert found["n"] == 1


def test_a_change_is_made_again_on_what_somebody_else_published_meanwhile(tmp_path: Path) -> None:
    update(tmp_path, "tea", more)
    seen = []

    def slow(data: Data | None) -> Data:
        seen.append(data and data["n"])
        if len(seen) == 1:
            update(tmp_path, "tea", more)
        return more(data)

    assert update(tmp_path, "tea", slow)["n"] == 3
    assert seen == [1, 2]


def test_a_change_under_a_number_that_was_free_again_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped between reading and publishing, while others went on and swept what they superseded."""
    update(tmp_path, "tea", more)
    monkeypatch.setattr(revisions, "_KEEP_S", -1.0)
    calls = 0

    def stopped(data: Data | None) -> Data:
        nonlocal calls
        calls += 1
        if calls == 1:
            for _ in range(3):
                update(tmp_path, "tea", more)
            assert [path.name for path in tmp_path.iterdir()] == ["tea.4.json"]
        return more(data)

    assert update(tmp_path, "tea", stopped)["n"] == 5
    assert calls == 2


def test_superseded_revisions_stay_a_while_and_are_swept_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        update(tmp_path, "tea", more)
    assert len(list(tmp_path.iterdir())) == 3
    monkeypatch.setattr(revisions, "_KEEP_S", -1.0)
    update(tmp_path, "tea", more)
    assert [path.name for path in tmp_path.iterdir()] == ["tea.4.json"]


@pytest.mark.parametrize("text", ["", "{", '{"n": 7', "[7]", "\x00\x00"])
def test_a_newest_revision_that_was_cut_off_leaves_the_one_before(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revisions, "_UNFINISHED_S", 0.02)
    update(tmp_path, "tea", more)
    (tmp_path / "tea.2.json").write_text(text)
    found = newest(tmp_path, "tea")
    assert found is not None
    assert found["n"] == 1
    assert update(tmp_path, "tea", more)["n"] == 2
    assert (tmp_path / "tea.3.json").is_file()


def test_a_revision_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    """Without hard links the name comes first, and the content after it."""
    update(tmp_path, "tea", more)
    files.reserve(tmp_path / "tea.2.json")
    with counting(tmp_path, 1) as process:
        assert process.stdout is not None
        time.sleep(0.3)  # it may also come later: then it finds the content there at once
        os.replace(files.draft(tmp_path, b'{"n": 10}'), tmp_path / "tea.2.json")
        assert process.stdout.read().split() == ["11"]


@pytest.mark.parametrize("before", ["", WITHOUT_LINKS], ids=["links", "no links"])
def test_two_processes_at_once_lose_no_change(tmp_path: Path, before: str) -> None:
    times = 150
    processes = [counting(tmp_path, times, before) for _ in range(2)]
    confirmed = [process.communicate(timeout=120)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum(map(len, confirmed)) == 2 * times
    found = newest(tmp_path, "tea")
    assert found is not None
    assert found["n"] == 2 * times


@pytest.mark.parametrize("before", ["", WITHOUT_LINKS], ids=["links", "no links"])
def test_a_kill_at_any_moment_loses_nothing_that_was_confirmed(tmp_path: Path, before: str) -> None:
    before += "import asyncdemo.course.workspace.revisions as r\nr._UNFINISHED_S = 0.05\n"
    last = 0
    for attempt in range(30):
        with counting(tmp_path, 10_000, before) as process:
            assert process.stdout is not None
            first = int(process.stdout.readline())
            assert first == last + 1
            time.sleep(0.001 + attempt * 0.0017)
            process.send_signal(signal.SIGKILL)
            # The last line may be cut off by the kill.
            lines = process.stdout.read().splitlines(keepends=True)
            confirmed = [int(line) for line in lines if line.endswith("\n")]
        last = max([first, *confirmed])
        found = newest(tmp_path, "tea")
        assert found is not None
        # The one that was killed may have published, but not yet said so.
        assert last <= found["n"] <= last + 1
        last = found["n"]


def test_what_a_kill_left_behind_is_removed_some_day(tmp_path: Path) -> None:
    left = files.draft(tmp_path, b"half")
    long_ago = time.time() - 7200
    os.utime(left, (long_ago, long_ago))
    update(tmp_path, "tea", more)
    assert not left.exists()


def test_a_disk_that_is_full_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    update(tmp_path, "tea", more)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        update(tmp_path, "tea", more)
    assert [path.name for path in tmp_path.iterdir()] == ["tea.1.json"]
    assert json.loads((tmp_path / "tea.1.json").read_text())["n"] == 1
