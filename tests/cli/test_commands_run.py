"""``run`` without a terminal, as JSON, saved, failing, interrupted; then ``show`` and ``export``."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.store import load
from tests.cli.commands import in_process, interrupted

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


DETAILS = ("Each call keeps", "  wall  ", "  ideal  ", "  peak  ", "    brew(1): 0 s to", "Change it")


def test_facts_are_text_without_questions_and_runs_are_saved() -> None:
    data = in_process("run", *QUICK, "--variant", "awaited", "--json").data
    assert [variant["name"] for variant in data["variants"]] == ["awaited"]
    assert [list(one) for one in data["predictions"]] == [["question", "happened", "why"]] * 2
    assert data["predictions"][1]["happened"] == "3 brews"
    assert "1, two-sleeps" in in_process("run", "--code").err  # that is not remembered
    done = in_process("run", *QUICK, stdin="3\n3\n3\n3\n")
    assert done.code == 0
    for words in ("Predict first", "You said", "\x1b", *DETAILS):
        assert words not in done.out
    for words in ("What happened", "blocking: ", "asyncdemo run two-sleeps --details"):
        assert words in done.out
    assert "Next: asyncdemo start" in done.out
    assert "or: asyncdemo run nothing-ran" in done.out
    detailed = in_process("run", *QUICK, "--details").out
    for words in ("What happened", *DETAILS):
        assert words in detailed
    unasked = in_process("run", *QUICK, "--variant", "awaited", "--no-predict").out
    assert "What happened" not in unasked
    assert "\nThis time: BREWS = 3, BREW_S = 0.05.\n" in unasked
    assert unasked.index("This time") < unasked.index("Running awaited")
    listed = in_process("list").out
    assert "run 3 times" in listed
    assert "asyncdemo run nothing-ran" in listed
    after = in_process("run", "--code")
    assert "2, nothing-ran" in after.err
    assert "called.py" in after.out


@pytest.mark.parametrize(
    ("ending", "expect", "outcome", "code"),
    [
        ("raise ValueError('so')", "ok", "failed", 1),
        ("raise ValueError('so')", "failed", "failed", 0),
        ("pass", "failed", "ok", 1),
        ("time.sleep(60)", "ok", "timeout", 1),
    ],
)
def test_variant_with_an_unexpected_end_fails_the_command(
    tmp_path: Path, ending: str, expect: str, outcome: str, code: int
) -> None:
    script = f"import time\n\n\ndef work() -> None:\n    {ending}\n\n\nwork()\n"
    course = course_of(tmp_path, script, expect)
    done = in_process("run", "odd", "--course", course, "--timeout", "2", "--json")
    assert done.code == code
    (variant,) = done.data["variants"]
    assert (variant["outcome"], variant["lanes"]) == (outcome, 1)
    assert ("ValueError: so" in done.err) is ending.startswith("raise")


def test_runs_that_were_cut_off_are_neither_compared_nor_judged() -> None:
    cut_off = ("--set", "BREW_S=2", "--set", "BREWS=2", "--timeout", "0.5")
    done = in_process("run", "two-sleeps", *cut_off, "--details")
    assert done.code == 1
    assert "Predictions are not judged, because blocking, threaded and awaited did not end" in done.out
    assert "What happened" not in done.out
    assert "compared" not in done.out


def test_without_a_lesson_the_next_one_runs_and_is_named(tmp_path: Path) -> None:
    course = course_of(tmp_path, "def work() -> None:\n    print('it ran')\n\n\nwork()\n")
    done = in_process("run", "--course", course, "--no-predict")
    assert done.code == 0
    assert done.err == "The next lesson: 1, odd.\n"
    assert "it ran" in done.out


def test_brief_first_lesson_is_forty_lines_of_eighty_columns() -> None:
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

    done = in_process("export", *files, "--to", "html", "-o", "-")
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


def test_interrupted_run_shows_its_recording_and_ends_with_130(tmp_path: Path) -> None:
    started = tmp_path / "started"
    course = course_of(
        tmp_path,
        "import pathlib\nimport time\n\n\ndef work() -> None:\n"
        f"    pathlib.Path({str(started)!r}).touch()\n    time.sleep(60)\n\n\nwork()\n",
    )
    done = interrupted("run", "odd", "--course", course, "--details", when=started.exists)
    assert done.code == 130
    assert "Interrupted: this is what was recorded until then." in done.out
    assert "work()" in done.out


def test_programs_are_shown_with_differing_lines_marked() -> None:
    done = in_process("run", "two-sleeps", "--code", "--variant", "awaited")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("awaited: ")
    marked = [line.split(maxsplit=2)[2] for line in lines if line.startswith(">")]
    assert "async def brew(n: int) -> None:" in marked
    assert "BREWS = 10" not in " ".join(marked)
    assert any(line.endswith("BREWS = 10") for line in lines)
    assert "Predict" not in done.out
