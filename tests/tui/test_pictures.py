"""The pictures of the screens in README and docs can be made, and ask no other host for anything."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import ROOT

SAID = {
    "home": ("Two sleeps", "How long until the last cup is ready?"),
    "question": ("1 Question", "6 Exercise", "There are three programs."),
    "predict": ("Question 2 of 4, 1 answered",),
    "result": ("✓", "✗", "blocking", "threaded", "awaited"),
    "viewer": ("awaited", "Zoom", "States"),
    "failed": ("Not passed yet", "6 brews should be at work"),
    "passed": ("Passed",),
    "present": ("awaited",),
}
"""What a learner reads in each of them."""
MOST_BYTES = 60_000


@pytest.mark.slow
def test_pictures_of_the_screens_are_made_of_real_runs(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "screens.py", tmp_path], check=True, timeout=300)
    pictures = {file.stem: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    assert pictures.keys() == SAID.keys()
    for name, picture in pictures.items():
        assert "url(" not in picture.replace("url(#", "") and "@import" not in picture, name
        assert len(picture.encode()) < MOST_BYTES, name
        text = html.unescape(re.sub(r"<style.*?</style>|<[^>]+>", "", picture, flags=re.DOTALL))
        for words in SAID[name]:
            assert words in " ".join(text.replace("\xa0", " ").split()), name


def test_what_stands_in_readme_and_docs_is_there() -> None:
    shown = {
        name
        for file in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for name in re.findall(r"assets/screens/([\w-]+)\.svg", file.read_text(encoding="utf-8"))
    }
    assert {file.stem for file in (ROOT / "docs" / "assets" / "screens").iterdir()} == shown <= SAID.keys()
