"""Recordings to try the page "Open your own run" with, as a script: so they also open from the file system.

Not for: the page (``docs/explore/open.md``), its script (``render.html.open_run``).
"""

from __future__ import annotations

import json
from typing import Final

from asyncdemo import store
from asyncdemo.errors import MissingError
from asyncdemo.site.recordings import Recordings

__all__ = ["examples_js"]

_EXAMPLES: Final = (
    ("Two sleeps", "two-sleeps", ("blocking", "threaded", "awaited")),
    ("Redis pools", "redis-pools", ("threads_plain", "threads_blocking")),
)
"""(what the button says, the lesson, which of its variants)."""


def examples_js(recordings: Recordings) -> str:
    """The script. Raises MissingError if an example was not recorded."""
    examples = [
        {"label": label, "files": [_file(recordings, lesson, variant) for variant in variants]}
        for label, lesson, variants in _EXAMPLES
    ]
    return f"window.asyncdemoExamples = {json.dumps(examples)};\n"


def _file(recordings: Recordings, lesson: str, variant: str) -> dict[str, str]:
    for run in recordings.get(lesson):
        if run.name == variant:
            text = "".join(f"{line}\n" for line in store.dumps(run))
            return {"name": f"{lesson}-{variant}.jsonl", "text": text}
    raise MissingError(f"There is no recording of {lesson}, {variant}: explore/open.md has it as an example.")
