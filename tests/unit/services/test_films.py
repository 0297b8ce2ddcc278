"""The films are the same on every machine and in every Python."""

from __future__ import annotations

import hashlib

from asyncdemo.services.films import COUNT, films


def test_the_thousand_different_films_never_change() -> None:
    found = films()
    assert len({film.title for film in found}) == COUNT
    text = "\n".join("|".join(map(str, film)) for film in found)
    assert (
        hashlib.sha256(text.encode()).hexdigest()
        == "8250e5378255c7eeb8fea20a47e4165482a87fe33e8fa37d14203af3820756bd"
    )
