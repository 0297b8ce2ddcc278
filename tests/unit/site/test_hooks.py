"""What was rendered for the site before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from asyncdemo.site import hooks as module
from asyncdemo.site.hooks import cached


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a site is built whose pages are made from one file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lesson.toml").write_text("first")
    monkeypatch.setattr(module, "_MADE_FROM", (Path("lesson.toml"),))
    module._folder.cache_clear()
    yield tmp_path
    module._folder.cache_clear()


def test_a_piece_is_made_once_until_what_it_is_made_from_changes(checkout: Path) -> None:
    assert cached("a", lambda: b"old") == b"old"
    assert cached("a", lambda: b"new") == b"old"
    assert cached("b", lambda: b"other") == b"other"
    (checkout / "lesson.toml").write_text("second")
    module._folder.cache_clear()  # the next build
    assert cached("a", lambda: b"new") == b"new"
    assert len(list((checkout / ".cache/site/rendered").iterdir())) == 1, "what is old is kept"


def test_a_piece_that_fails_is_made_again() -> None:
    def fails() -> bytes:
        raise ValueError("no recording")

    with pytest.raises(ValueError, match="no recording"):
        cached("a", fails)
    assert cached("a", lambda: b"made") == b"made"
