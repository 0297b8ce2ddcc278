"""What is remembered of a learner's lessons: nothing that was said to be stored is ever lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import NoReturn

import pytest

from asyncdemo.course.workspace.progress import Predicted, Progress, Record, personal_progress
from asyncdemo.errors import WorkspaceError
from tests.cli.commands import environment

# Records a run as often as it can, and says so each time it is stored.
RUNS = """
import sys
from pathlib import Path
from asyncdemo.course.workspace.progress import Progress, Record

for _ in range(int(sys.argv[2])):
    print(Progress(Path(sys.argv[1])).update("tea", Record.after_run).runs, flush=True)
"""

# Reads in an earlier store, and then counts a run.
READS_IN = """
import sys
from pathlib import Path
from asyncdemo.course.workspace.progress import Progress, Record

progress = Progress(Path(sys.argv[1]))
progress.read_in(Path(sys.argv[2]))
progress.update("tea", Record.after_run)
"""

RIGHT = Predicted("How many?", 1, "3 cups", "3 cups", True, times_right=1)
OPEN = (("How many?", "3"),)
WRONG = Predicted("How many?", 1, "2 cups", "3 cups", False)


def test_what_was_recorded_is_there_again(tmp_path: Path) -> None:
    record = Progress(tmp_path / "progress.sqlite3").update(
        "tea", lambda known: known.after_run([RIGHT]).after_check(True, "2026-01-01").after_hint()
    )
    assert Progress(tmp_path / "progress.sqlite3").of("tea") == record
    assert Progress(tmp_path / "progress.sqlite3").all() == {"tea": record}
    assert record == Record(
        runs=1, asked=1, right=1, predictions=(RIGHT,), checks=1, passed="2026-01-01", hints=1
    )


def test_answers_to_one_question_are_counted_and_the_latest_kept() -> None:
    record = Record().after_run([WRONG]).after_run([RIGHT]).after_run([WRONG])
    assert record.predictions == (replace(WRONG, asked=3, times_right=1),)
    assert (record.asked, record.right) == (1, 0)
    assert record.after_run() == replace(record, runs=4)


def test_answers_are_kept_until_a_run_is_held_against_them(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.sqlite3")
    progress.update("tea", lambda record: replace(record, open_answers=OPEN))
    assert progress.update("tea", Record.after_run).open_answers == OPEN
    assert progress.of("tea").open_answers == OPEN
    assert progress.update("tea", lambda record: record.after_run([RIGHT])).open_answers == ()
    assert progress.of("tea").open_answers == ()


def test_file_from_before_open_answers_is_read_and_written(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.sqlite3")
    progress.update("tea", Record.after_run)
    with closing(sqlite3.connect(progress.file)) as database:
        database.execute("DROP TABLE open_answers")
    assert progress.of("tea").runs == 1
    progress.update("tea", lambda record: replace(record, open_answers=OPEN))
    assert progress.of("tea").open_answers == OPEN


def test_the_first_pass_is_the_one_that_is_kept() -> None:
    record = Record().after_check(False, "1").after_check(True, "2").after_check(False, "3")
    assert (record.checks, record.passed) == (3, "2")
    assert record.after_check(True, "4").passed == "2"


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
    assert joined.joined(other) == joined.joined(one) == joined == other.joined(one)
    assert Record(passed="2026-02").joined(Record(passed="2026-01")).passed == "2026-01"


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    assert Progress(tmp_path / "mine" / "progress.sqlite3").all() == {}
    assert not list(tmp_path.iterdir())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "progress.sqlite3"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE lessons SET runs = NULL",
        "UPDATE lessons SET runs = 'often'",
        "UPDATE lessons SET checks = -1",
        "UPDATE lessons SET passed = NULL",
        "UPDATE lessons SET hints = 1e300",
        "UPDATE lessons SET id = x'ff00'",
        "UPDATE predictions SET asked = NULL",
        "UPDATE predictions SET answer = x'00'",
        "UPDATE open_answers SET answer = NULL",
        "UPDATE predictions SET question = CAST(x'ff' AS TEXT)",
        "ALTER TABLE lessons ADD COLUMN mood TEXT",
        "DROP TABLE predictions",
        "ALTER TABLE lessons DROP COLUMN solution_shown",
    ],
)
def test_values_that_no_asyncdemo_wrote_are_one_line(file: Path, change: str) -> None:
    progress = Progress(file)
    progress.update("tea", lambda record: replace(record.after_run([RIGHT]), open_answers=OPEN))
    with closing(sqlite3.connect(file)) as database:
        database.execute(change)
        database.commit()
    for use in (progress.all, lambda: progress.update("tea", Record.after_run)):
        with pytest.raises(WorkspaceError) as caught:
            use()
        assert str(file) in str(caught.value) and "\n" not in str(caught.value)


def test_user_without_a_home_folder_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: object) -> NoReturn:
        raise KeyError

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", none)
    with pytest.raises(WorkspaceError, match="Set HOME or XDG_STATE_HOME"):
        personal_progress("")


@pytest.mark.parametrize("kind", ["not a database", "cut off", "of another program", "of a newer asyncdemo"])
def test_unusable_file_is_reported_with_advice_and_left_alone(file: Path, kind: str) -> None:
    Progress(file).update("tea", lambda record: record.after_run([RIGHT]))
    words = "Move it elsewhere, and asyncdemo goes on without it"
    if kind == "not a database":
        file.write_text("runs: 3\n" * 1000)
    elif kind == "cut off":
        file.write_bytes(file.read_bytes()[:5000])
    else:
        other = kind == "of another program"
        with closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA application_id = 7" if other else "PRAGMA user_version = 2")
        words = words if other else "newer asyncdemo. Nothing was changed."
    before = file.read_bytes()
    with pytest.raises(WorkspaceError, match=words) as read:
        Progress(file).all()
    with pytest.raises(WorkspaceError, match=words) as written:
        Progress(file).update("tea", Record.after_run)
    assert str(file) in str(read.value)
    assert str(written.value).startswith("Your progress could not be saved: ")
    assert "\n" not in str(written.value)
    assert file.read_bytes() == before


def test_an_empty_file_is_filled(file: Path) -> None:
    file.touch()
    assert Progress(file).all() == {}
    assert Progress(file).update("tea", Record.after_run).runs == 1


def test_a_change_that_fails_changes_nothing(file: Path) -> None:
    def fail(record: Record) -> Record:
        raise ZeroDivisionError

    Progress(file).update("tea", Record.after_run)
    with pytest.raises(ZeroDivisionError):
        Progress(file).update("tea", fail)
    assert Progress(file).of("tea") == Record(runs=1)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    progress = Progress(tmp_path / "file" / "progress.sqlite3")
    with pytest.raises(WorkspaceError, match=r"could not be saved: .*file: (Not a directory|File exists)"):
        progress.update("tea", Record.after_run)
    assert progress.all() == {}


def test_what_the_system_refuses_is_no_reason_to_move_the_file(file: Path) -> None:
    file.mkdir()
    with pytest.raises(WorkspaceError, match=r"sqlite3: unable to open database file\.$"):
        Progress(file).update("tea", Record.after_run)


def running(file: Path, times: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUNS, str(file), str(times)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_write_at_the_same_time_lose_no_change(file: Path) -> None:
    times = 50
    processes = [running(file, times) for _ in range(3)]
    stored = [process.communicate(timeout=120)[0].split() for process in processes]
    assert sorted(int(runs) for printed in stored for runs in printed) == [*range(1, 3 * times + 1)]
    assert Progress(file).of("tea").runs == 3 * times


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing_that_was_stored(file: Path) -> None:
    last = 0
    for attempt in range(20):
        with running(file, 10_000) as process:
            assert process.stdout is not None
            first = int(process.stdout.readline())
            assert first == last + 1
            time.sleep(0.001 + attempt * 0.0017)
            process.send_signal(signal.SIGKILL)
            # The last line may be cut off by the kill.
            lines = process.stdout.read().splitlines(keepends=True)
            stored = [first, *(int(line) for line in lines if line.endswith("\n"))]
        last = Progress(file).of("tea").runs
        # The one that was killed may have stored a run and not yet said so.
        assert max(stored) <= last <= max(stored) + 1


def test_file_with_an_endless_view_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "progress.sqlite3"
    Progress(file).update("tea", Record.after_hint)
    with closing(sqlite3.connect(file)) as database:
        database.executescript(
            "DROP TABLE lessons; CREATE VIEW lessons AS WITH RECURSIVE n(id) AS "
            "(SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n ORDER BY -id"
        )
    with pytest.raises(WorkspaceError, match="was not made by asyncdemo"):
        Progress(file).all()


def test_file_with_a_trigger_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "progress.sqlite3"
    Progress(file).update("tea", Record.after_hint)
    with closing(sqlite3.connect(file)) as database:
        database.executescript("CREATE TRIGGER t AFTER INSERT ON lessons BEGIN DELETE FROM lessons; END")
    with pytest.raises(WorkspaceError, match="was not made by asyncdemo"):
        Progress(file).update("tea", Record.after_hint)


def test_row_of_many_megabytes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "progress.sqlite3"
    Progress(file).update("tea", Record.after_hint)
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE lessons SET passed = printf('%.*c', 50000000, 'x')")
        database.commit()
    with pytest.raises(WorkspaceError, match="too big"):
        Progress(file).all()


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """Return the store of an earlier workspace, with three runs and a pass."""
    store = tmp_path / "earlier" / "progress.sqlite3"
    Progress(store).update("tea", lambda _: Record(runs=3, checks=2, passed="2026-01-01"))
    return store


def test_earlier_store_is_joined_and_never_added(file: Path, earlier: Path) -> None:
    progress = Progress(file)
    progress.update("tea", lambda _: Record(runs=1, checks=5, passed="2026-02-02", hints=1))
    progress.read_in(earlier)
    joined = Record(runs=3, checks=5, passed="2026-01-01", hints=1)
    assert progress.of("tea") == joined
    progress.read_in(earlier)
    assert progress.of("tea") == joined
    progress.update("tea", Record.after_run)
    os.utime(earlier, ns=(1, 1))  # it counts as changed, so it is read again
    progress.read_in(earlier)
    assert progress.of("tea") == replace(joined, runs=4)
    assert Progress(earlier).of("tea").runs == 3


def test_read_store_is_not_opened_again_until_it_changes(file: Path, earlier: Path) -> None:
    progress = Progress(file)
    progress.read_in(earlier)
    state = earlier.stat().st_mtime_ns
    earlier.write_text("no database")
    os.utime(earlier, ns=(state, state))
    progress.read_in(earlier)
    os.utime(earlier, ns=(1, 1))
    with pytest.raises(WorkspaceError, match="earlier"):
        progress.read_in(earlier)
    assert progress.of("tea").runs == 3


def test_interrupted_reading_leaves_nothing_half_read(
    file: Path, earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Progress(earlier).update("coffee", Record.after_run)
    with monkeypatch.context() as patch:
        patch.setattr(Record, "joined", lambda *_: 1 / 0)
        progress = Progress(file)
        progress.update("tea", Record.after_hint)
        with pytest.raises(ZeroDivisionError):
            progress.read_in(earlier)
    assert progress.all() == {"tea": Record(hints=1)}
    progress.read_in(earlier)
    assert progress.all() == {
        "coffee": Record(runs=1),
        "tea": Record(runs=3, checks=2, passed="2026-01-01", hints=1),
    }


def test_processes_that_read_in_at_the_same_time_count_once(file: Path, earlier: Path) -> None:
    command = [sys.executable, "-c", READS_IN, str(file), str(earlier)]
    processes = [subprocess.Popen(command, env=environment()) for _ in range(4)]
    assert [process.wait(timeout=120) for process in processes] == [0] * 4
    assert Progress(file).of("tea") == Record(runs=3 + 4, checks=2, passed="2026-01-01")


def test_courses_have_their_own_records(file: Path, earlier: Path) -> None:
    built_in, hot, cold = Progress(file), Progress(file, "Drinks/hot"), Progress(file, "Drinks")
    built_in.update("tea", Record.after_hint)
    hot.read_in(earlier)
    cold.update("tea", Record.after_run)
    assert built_in.all() == {"tea": Record(hints=1)}
    assert hot.of("tea").runs == 3
    assert cold.all() == {"tea": Record(runs=1)}


def test_locked_file_is_waited_for_once_and_then_used_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress, now_s = Progress(file), count()
    progress.update("tea", Record.after_run)
    monkeypatch.setattr("asyncdemo.course.workspace.database.monotonic", lambda: next(now_s))
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for use in (progress.all, lambda: progress.update("tea", Record.after_run)):
            with pytest.raises(WorkspaceError, match="another program is using it"):
                use()
    assert next(now_s) == 4 + 2, "the second time, it looked once"
    assert progress.update("tea", Record.after_run).runs == 2
    assert progress.of("tea").runs == 2
