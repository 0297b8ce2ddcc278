"""The recordings that one can open on the page without a file of one's own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo import store
from asyncdemo.errors import MissingError
from asyncdemo.model import Run
from asyncdemo.site.examples import examples_js
from asyncdemo.site.recordings import Recordings
from tests.support.runs import Story


def told(script: str) -> list[dict[str, object]]:
    """What the script gives the page."""
    found: list[dict[str, object]] = json.loads(
        script.removeprefix("window.asyncdemoExamples = ").rstrip(";\n")
    )
    return found


def record(folder: Path, lesson: str, *runs: Run) -> None:
    (folder / lesson).mkdir()
    names = [f"{run.name}.jsonl.gz" for run in runs]
    for run, name in zip(runs, names, strict=True):
        store.save(run, folder / lesson / name)
    index = json.dumps({"key": "", "files": names})
    (folder / lesson / "recordings.json").write_text(index, encoding="utf-8")


@pytest.fixture
def run() -> Run:
    story = Story()
    story.task("</script>").sleeps(3).returns()
    return story.run()


def test_an_example_that_was_not_recorded_is_no_example_less(tmp_path: Path, run: Run) -> None:
    with pytest.raises(MissingError, match="two-sleeps"):
        examples_js(Recordings(tmp_path))
    record(tmp_path, "two-sleeps", replace(run, name="blocking"), replace(run, name="awaited"))
    with pytest.raises(MissingError, match="two-sleeps, threaded"):
        examples_js(Recordings(tmp_path))


def test_runs_as_their_files(tmp_path: Path, run: Run) -> None:
    sleeps = [replace(run, name=name) for name in ("awaited", "blocking", "another", "threaded")]
    record(tmp_path, "two-sleeps", *sleeps)
    record(tmp_path, "redis-pools", *(replace(run, name=f"threads_{name}") for name in ("plain", "blocking")))

    sleeping, pooling = told(examples_js(Recordings(tmp_path)))

    assert [sleeping["label"], pooling["label"]] == ["Two sleeps", "Redis pools"]
    files = sleeping["files"]
    assert isinstance(files, list)
    assert [file["name"] for file in files] == [
        f"two-sleeps-{name}.jsonl" for name in ("blocking", "threaded", "awaited")
    ]
    assert store.loads(files[2]["text"].encode().splitlines(), "example") == sleeps[0]
