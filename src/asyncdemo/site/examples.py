"""Recordings to try the page "Open your own run" with, as a script: so they also open from the file system.

Not for: the page (``docs/explore/open.md``), its script (``render.open_run``).
"""

from __future__ import annotations

import json
from typing import Final

from asyncdemo import store
from asyncdemo.errors import MissingError
from asyncdemo.model import Run
from asyncdemo.site.recordings import Recordings

__all__ = ["examples_js"]

_EXAMPLES: Final = (
    ("Two sleeps", "two-sleeps", ("blocking", "threaded", "awaited")),
    ("Redis pools", "redis-pools", ("threads_plain", "threads_blocking")),
)
"""(what the button says, the lesson, which of its variants)."""


def examples_js(recordings: Recordings) -> str:
    """The script, with those of the examples that were recorded."""
    examples = [
        {"label": label, "files": [_file(f"{lesson}-{run.name}.jsonl", run) for run in runs]}
        for label, lesson, variants in _EXAMPLES
        if (runs := [run for run in _recorded(recordings, lesson) if run.name in variants])
    ]
    return f"window.asyncdemoExamples = {json.dumps(examples)};\n"


def _recorded(recordings: Recordings, lesson: str) -> tuple[Run, ...]:
    try:
        return recordings.get(lesson)
    except MissingError:  # only some lessons were prepared
        return ()


def _file(name: str, run: Run) -> dict[str, str]:
    return {"name": name, "text": "".join(f"{line}\n" for line in store.dumps(run))}
