"""``run`` without a terminal, as JSON, saved, failing, interrupted; then ``show`` and ``export``."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from asyncdemo.store import load
from tests.cli.commands import asyncdemo_command, environment, in_process

QUICK = ("two-sleeps", "--set", "BREWS=3", "--set", "BREW_S=0.05")


def course_of(folder: Path, script: str, expect: str = "ok") -> Path:
    """A course with one lesson, ``odd``, with one variant."""
    lesson = folder / "01-only" / "01-odd"
    lesson.mkdir(parents=True)
    (folder / "course.toml").write_text(
        'title = "T"\n[[modules]]\nnumber = 1\ntitle = "Only"\nfolder = "01-only"\nlessons = ["odd"]\n'
    )
    (lesson / "lesson.toml").write_text(
        'id = "odd"\ntitle = "Odd"\nquestion = "Q?"\npoint = "P."\nminutes = 1\nlanes = ["work"]\n'
        f'[[variants]]\nname = "only"\ntitle = "only"\nfile = "only.py"\nexpect = "{expect}"\n'
    )
    (lesson / "only.py").write_text(script)
    (lesson / "README.md").write_text("# Odd\n\n## The question\n\nWhy?\n\n## Change it\n\nNo.\n")
    return folder


def test_a_lesson_as_json_is_one_object_with_every_variant() -> None:
    done = in_process("run", *QUICK, "--json", "--no-predict")
    assert done.code == 0
    data = done.data
    assert data["format"] == "asyncdemo.result/1"
    assert data["lesson"] == "two-sleeps"
    assert data["knobs"] == {"BREWS": 3, "BREW_S": 0.05}
    assert {
        variant["name"]: (variant["outcome"], variant["lanes"], variant["peak"])
        for variant in data["variants"]
    } == {
        "blocking": ("ok", 3, 1),
        "threaded": ("ok", 3, 3),
        "awaited": ("ok", 3, 3),
    }
    assert data["predictions"] == []
    assert "3 cups are ready" in done.err


def test_one_variant_as_json_has_the_answers_and_is_not_remembered() -> None:
    data = in_process("run", *QUICK, "--variant", "awaited", "--json").data
    assert [variant["name"] for variant in data["variants"]] == ["awaited"]
    assert [list(one) for one in data["predictions"]] == [["question", "happened", "why"]] * 2
    assert data["predictions"][1]["happened"] == "3 brews"
    assert "1, two-sleeps" in in_process("run", "--code").err


DETAILS = ("  wall  ", "  ideal  ", "  peak  ", "    brew(1): 0 s to", "Change it")


def test_without_a_terminal_nothing_is_asked_and_the_facts_are_words() -> None:
    done = in_process("run", *QUICK, stdin="3\n3\n3\n3\n")
    assert done.code == 0
    for words in ("Predict first", "You said", "\x1b", "Each call keeps", *DETAILS):
        assert words not in done.out
    for words in ("What happened", "blocking: ", "asyncdemo run two-sleeps --details"):
        assert words in done.out
    assert "Next: asyncdemo start" in done.out
    assert "or: asyncdemo run nothing-ran" in done.out


def test_the_rest_is_told_in_detail_and_the_run_is_remembered() -> None:
    done = in_process("run", *QUICK, "--details")
    for words in ("What happened", "Each call keeps", *DETAILS):
        assert words in done.out
    listed = in_process("list").out
    assert "run once" in listed
    assert "asyncdemo run nothing-ran" in listed


def test_without_questions_what_was_set_is_said_and_the_run_is_remembered_too() -> None:
    done = in_process("run", *QUICK, "--variant", "awaited", "--no-predict")
    assert "What happened" not in done.out
    assert "\nThis time: BREWS = 3, BREW_S = 0.05.\n" in done.out
    assert done.out.index("This time") < done.out.index("Running awaited")
    after = in_process("run", "--code")
    assert "2, nothing-ran" in after.err
    assert "called.py" in after.out


def test_a_variant_that_fails_makes_the_command_fail(tmp_path: Path) -> None:
    course = course_of(tmp_path, "def work() -> None:\n    raise ValueError('so')\n\n\nwork()\n")
    done = in_process("run", "odd", "--course", course, "--json")
    assert done.code == 1
    assert done.data["variants"][0]["outcome"] == "failed"
    assert "ValueError: so" in done.err


@pytest.mark.parametrize(
    ("ending", "code"), [("raise ValueError('so')", 0), ("pass", 1)], ids=["it does", "it does not"]
)
def test_a_variant_that_is_meant_to_fail(tmp_path: Path, ending: str, code: int) -> None:
    course = course_of(tmp_path, f"def work() -> None:\n    {ending}\n\n\nwork()\n", expect="failed")
    assert in_process("run", "odd", "--course", course).code == code


def test_a_variant_is_ended_at_its_time_limit(tmp_path: Path) -> None:
    course = course_of(tmp_path, "import time\n\n\ndef work() -> None:\n    time.sleep(60)\n\n\nwork()\n")
    done = in_process("run", "odd", "--course", course, "--timeout", "0.5", "--json")
    assert done.code == 1
    (variant,) = done.data["variants"]
    assert variant["outcome"] == "timeout"
    assert variant["lanes"] == 1


def test_runs_that_were_cut_off_are_neither_compared_nor_judged() -> None:
    cut_off = ("--set", "BREW_S=2", "--set", "BREWS=2", "--timeout", "0.5")
    done = in_process("run", "two-sleeps", *cut_off, "--details")
    assert done.code == 1
    assert "No prediction is judged: blocking, threaded and awaited did not end" in done.out
    assert "What happened" not in done.out
    assert "compared" not in done.out


def test_without_a_lesson_the_next_one_runs_and_is_named(tmp_path: Path) -> None:
    course = course_of(tmp_path, "def work() -> None:\n    print('it ran')\n\n\nwork()\n")
    done = in_process("run", "--course", course, "--no-predict")
    assert done.code == 0
    assert done.err == "The next lesson you have not run: 1, odd.\n"
    assert "it ran" in done.out


def test_in_brief_the_first_lesson_is_forty_lines_of_eighty_columns() -> None:
    done = in_process("run", "two-sleeps", "--plain", COLUMNS="80")
    lines = done.out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    for words in ("blocking: time 3.", "at most 10 at the same time", "at best", "Answer: 10 brews."):
        assert words in done.out


def test_saved_runs_can_be_shown_and_exported(tmp_path: Path) -> None:
    assert in_process("run", *QUICK, "--save", tmp_path / "runs", "--json").code == 0
    files = sorted((tmp_path / "runs").iterdir())
    assert [file.name for file in files] == [
        f"two-sleeps-{name}.jsonl" for name in ("awaited", "blocking", "threaded")
    ]
    assert [load(file).name for file in files] == ["awaited", "blocking", "threaded"]

    shown = in_process("show", *files)
    assert shown.code == 0
    assert all(f"{name}: " in shown.out for name in ("awaited", "blocking", "threaded"))
    assert in_process("show", files[0], "--json").data["run"]["lanes"] == 3

    done = in_process("export", *files, "--to", "csv", "-o", "-")
    assert done.code == 0, done.err
    assert "brew(1)" in done.out
    done = in_process("export", files[0], "--to", "svg", cwd=tmp_path)
    assert "wrote two-sleeps-awaited.svg" in done.err
    assert (tmp_path / "two-sleeps-awaited.svg").is_file()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = in_process("run", *QUICK, "--variant", "awaited", "--save", tmp_path / "file" / "runs")
    assert done.code == 2
    assert "--save" in done.err
    assert "Traceback" not in done.err


def test_a_file_that_is_no_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    done = in_process("show", tmp_path / "notes.txt")
    assert done.code == 1
    assert "notes.txt" in done.err
    assert "Traceback" not in done.err


def test_an_interrupted_run_shows_what_was_recorded_and_ends_with_130(tmp_path: Path) -> None:
    started = tmp_path / "started"
    course = course_of(
        tmp_path,
        "import pathlib\nimport time\n\n\ndef work() -> None:\n"
        f"    pathlib.Path({str(started)!r}).touch()\n    time.sleep(60)\n\n\nwork()\n",
    )
    process = subprocess.Popen(
        asyncdemo_command("run", "odd", "--course", course, "--details"),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not started.exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Interrupted: this is what was recorded until then." in out
    assert "work()" in out


def test_the_programs_can_be_read_with_the_lines_marked_that_differ() -> None:
    done = in_process("run", "two-sleeps", "--code", "--variant", "awaited")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("awaited: ")
    marked = [line.split(maxsplit=2)[2] for line in lines if line.startswith(">")]
    assert "async def brew(n: int) -> None:" in marked
    assert "BREWS = 10" not in " ".join(marked)
    assert any(line.endswith("BREWS = 10") for line in lines)
    assert "Predict" not in done.out
