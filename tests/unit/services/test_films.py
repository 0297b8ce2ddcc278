"""The films are the same on every machine and in every Python."""

from __future__ import annotations

import hashlib

from asyncdemo.services.films import COUNT, films


def test_there_are_a_thousand_different_films() -> None:
    found = films()
    assert [film.film_id for film in found] == list(range(1, COUNT + 1))
    assert len({film.title for film in found}) == COUNT


def test_they_never_change() -> None:
    text = "\n".join("|".join(map(str, film)) for film in films())
    assert (
        hashlib.sha256(text.encode()).hexdigest()
        == "8250e5378255c7eeb8fea20a47e4165482a87fe33e8fa37d14203af3820756bd"
    )
