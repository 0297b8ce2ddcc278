"""What a page shows of the files that a visitor opens, and of a program that changes between two runs."""

from __future__ import annotations

import gzip
import json
import linecache
import re
from pathlib import Path
from typing import Any

import pytest

from asyncdemo import store
from asyncdemo.in_page import page
from asyncdemo.in_page.page import answer
from tests.support.crowds import crowd, text_of
from tests.support.runs import Story

_RUN = text_of(crowd(1, lanes=5, spans=6)).encode()


def _opened(folder: Path, *files: tuple[str, bytes]) -> dict[str, Any]:
    """Each in its own folder, as in a page."""
    paths = []
    for number, (name, content) in enumerate(files):
        paths.append(folder / str(number) / name)
        paths[-1].parent.mkdir()
        paths[-1].write_bytes(content)
    found: dict[str, Any] = json.loads(answer(json.dumps({"do": "open", "files": [*map(str, paths)]}), ""))
    return found


def test_runs_are_drawn_measured_and_judged(tmp_path: Path) -> None:
    shown = _opened(tmp_path, ("brew.jsonl", _RUN), ("brew.jsonl", gzip.compress(_RUN)))
    assert shown["runs"] == ["story (finished)"] * 2
    assert shown["problems"] == []
    assert shown["element"].count(">Timeline of story</title>") == 2
    assert set(re.findall(r'\bid="([a-z]+)', shown["element"])) == {"open"}  # not that of another picture
    assert "held the event loop" in shown["report"]
    assert "/home/ada/app.py" in shown["recording"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "x.jsonl is empty"),
        (b'{"runs": []}\n', "x.jsonl is not a recorded run: line 1: is not the header of a recorded run"),
        (b'{"format": "asyncdemo.run/2"}\n', "x.jsonl has the format asyncdemo.run/2, and this asyncdemo"),
        (gzip.compress(_RUN, mtime=0)[:20] + bytes(range(256)), "x.jsonl is damaged"),
    ],
    ids=["empty", "other JSON", "newer", "damaged"],
)
def test_what_is_no_run_is_refused_and_the_others_are_shown(
    tmp_path: Path, content: bytes, words: str
) -> None:
    shown = _opened(tmp_path, ("x.jsonl", content), ("brew.jsonl", _RUN))
    (problem,) = shown["problems"]
    assert problem.startswith(words)
    assert shown["runs"] == ["story (finished)"]
    assert _opened(tmp_path / "0", ("x.jsonl", content)) == {"problems": [problem], "runs": []}


def test_what_is_cut_off_is_shown_and_said(tmp_path: Path) -> None:
    shown = _opened(tmp_path, ("cut.jsonl", _RUN[: len(_RUN) * 2 // 3]))
    assert "The file ends early" in shown["report"]


def test_what_does_not_fit_into_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_: str) -> None:
        raise MemoryError

    monkeypatch.setattr(store, "load", load)
    (problem,) = _opened(tmp_path, ("large.jsonl.gz", b""))["problems"]
    assert problem.startswith("large.jsonl.gz is too large for a page.")


def test_names_are_text(tmp_path: Path) -> None:
    evil = "<img src=x>"
    story = Story()
    story.task(evil).raises(evil)
    run = story.run(name=evil, script=evil, argv=(evil,), python=evil, notes=(evil,), knobs={evil: evil})
    shown = _opened(tmp_path, ("brew.jsonl", text_of(run).encode()))
    assert "<img" not in shown["element"] + shown["report"] + shown["recording"]
    assert "&lt;img" in shown["recording"]


def test_a_line_is_quoted_as_the_program_has_it_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(page, "_FOLDER", tmp_path)
    quoted = []
    for text in ("await slep(1)\n", "while True: pass\n"):
        file = page._written("exercise.py", text)
        quoted += [linecache.getline(file, 1), linecache.getline(str(tmp_path / file), 1)]
    assert quoted == ["await slep(1)\n"] * 2 + ["while True: pass\n"] * 2
