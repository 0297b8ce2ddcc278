"""The recordings that one can open on the page without a file of one's own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from asyncdemo import store
from asyncdemo.site.examples import examples_js
from asyncdemo.site.recordings import Recordings
from tests.support.runs import Story


def told(script: str) -> list[dict[str, object]]:
    """What the script gives the page."""
    found: list[dict[str, object]] = json.loads(
        script.removeprefix("window.asyncdemoExamples = ").rstrip(";\n")
    )
    return found


def test_only_what_was_recorded(tmp_path: Path) -> None:
    assert told(examples_js(Recordings(tmp_path))) == []


def test_runs_as_their_files(tmp_path: Path) -> None:
    story = Story()
    story.task("</script>").sleeps(3).returns()
    runs = [replace(story.run(), name=name) for name in ("blocking", "awaited", "another")]
    folder = tmp_path / "two-sleeps"
    folder.mkdir()
    for run in runs:
        store.save(run, folder / f"{run.name}.jsonl.gz")
    names = [f"{run.name}.jsonl.gz" for run in runs]
    (folder / "recordings.json").write_text(json.dumps({"key": "", "files": names}), encoding="utf-8")

    ((example),) = told(examples_js(Recordings(tmp_path)))

    assert example["label"] == "Two sleeps"
    files = example["files"]
    assert isinstance(files, list)
    assert [file["name"] for file in files] == ["two-sleeps-blocking.jsonl", "two-sleeps-awaited.jsonl"]
    assert store.loads(files[0]["text"].encode().splitlines(), "example") == runs[0]
