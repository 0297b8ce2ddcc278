"""The pictures of the screens in README and docs can be made, and ask no other host for anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import ROOT

SHOWN = ("predict", "result", "failed", "present")
"""In README and docs."""


@pytest.mark.slow
def test_pictures_of_the_screens_are_made_of_real_runs(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "screens.py", tmp_path], check=True, timeout=300)
    pictures = {file.stem: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    assert {*SHOWN} < {*pictures}
    assert all("url(" not in picture.replace("url(#", "") for picture in pictures.values())
    assert "Not&#160;passed&#160;yet" in pictures["failed"]
    assert "✗" in pictures["result"] and "✓" in pictures["result"]
