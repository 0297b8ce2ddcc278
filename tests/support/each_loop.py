"""Compares a script with and without the tracer, on asyncio's own loop and on uvloop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.plain_and_traced import alike, has

UVLOOP = has("uvloop")
LOOPS = ["asyncio", pytest.param("uvloop", marks=pytest.mark.skipif(not UVLOOP, reason="no uvloop here"))]


def assert_nothing_changes(folder: Path, source: str, loop: str) -> None:
    """Assert that the script does and prints the same, byte for byte, and that it was recorded."""
    if loop == "uvloop":
        source = source.replace("import asyncio", "import uvloop, asyncio", 1)
        source = source.replace("asyncio.run(", "uvloop.run(")
    _, run = alike(folder, source)
    assert any(track.steps for track in run.tracks), "nothing was recorded, so nothing was tested"
    assert not [note for note in run.notes if "hook there failed" in note]
