"""The rows of seed 000's report: uploads, memory, computations, with what is published and what must hold.

Not for: how any of it is measured (``flask_and_sanic``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from asyncdemo.lab.harness.protocol import THROUGHPUT, Asked, Figure
from asyncdemo.lab.results.comparison import Better, Bound, Published
from asyncdemo.lab.results.laws import bound_per_s
from asyncdemo.lab.results.published import load_article

__all__ = [
    "ARTICLE",
    "CALCS",
    "GATE",
    "MEAN_MS",
    "MOST",
    "SANIC",
    "THREADED",
    "UNTHREADED",
    "UPLOADS",
    "rows",
]

ARTICLE: Final = "flask-and-sanic"
UNTHREADED, THREADED, SANIC = "flask-unthreaded", "flask-threaded", "sanic"
UPLOADS, CALCS = (10, 20, 30, 40, 50), (10, 50)
MOST: Final = 50
GATE: Final = 5
MEAN_MS: Final = 150.0
"""Of an upload."""
_WALL: Final = Figure("load.wall_s", "Time until the last answer", "s", Better.LESS)
_VIRTUAL: Final = Figure("server.most.virtual_bytes", "Virtual memory", "bytes", Better.LESS)
_RESIDENT: Final = Figure("server.most.resident_bytes", "Resident memory", "bytes", Better.LESS)
_CHART: Final = "a chart, whose figures are not in the text"
_READ: Final = "the 1 is ours, read from the words"
_DIFFERS: Final = (
    "Sanic without its manager, a second process that it has today.",
    "No line is printed for an upload.",
)
_SQUARES: Final = "A square is i * i, not i ** 2."


def rows() -> tuple[Asked, ...]:
    return (*_uploads(), _time(), *_threads(), *_memory(), *_computations(), _by_ab())


def _uploads() -> Iterator[Asked]:
    for many in reversed(UPLOADS):
        published = _published("rate", "per s") if many == MOST else Published(f"{_CHART}: Sanic is ahead")
        name = f"Sanic and Flask without threads, {many} uploads"
        yield _rate(name, SANIC, UNTHREADED, f"uploads-{many}", published, _one_against_gate(many))


def _time() -> Asked:
    """The same as the rate, the other way up; both are published."""
    bound = _one_against_gate(MOST)
    return Asked(
        name=f"Sanic and Flask without threads, {MOST} uploads",
        figure=_WALL,
        arm=SANIC,
        base=UNTHREADED,
        setting=f"uploads-{MOST}",
        published=_published("total", "s"),
        bound=Bound(1 / bound.ratio, bound.words),
        differs=_DIFFERS,
    )


def _threads() -> Iterator[Asked]:
    published = Published(f"{_CHART}, and in words: with threads Flask competes; {_READ}", 1.0)
    bound = Bound(1.0, f"both {GATE} / {MEAN_MS:g} ms")
    for many in reversed(UPLOADS):
        name = f"Flask with threads and Sanic, {many} uploads"
        yield _rate(name, THREADED, SANIC, f"uploads-{many}", published, bound)


def _memory() -> Iterator[Asked]:
    """Of each the published virtual memory, and beside it what is really used."""
    few, many = f"uploads-{UPLOADS[0]}", f"uploads-{MOST}"
    against = f"{UPLOADS[0]} uploads against {MOST}"
    sides = (
        (
            f"Sanic and Flask with threads, {MOST} uploads",
            (SANIC, many),
            (THREADED, many),
            Published(f"{_CHART}: threads need more"),
        ),
        (
            f"Flask with threads: {against}",
            (THREADED, few),
            (THREADED, many),
            Published(f"{_CHART}: it grows with each thread"),
        ),
        (
            f"Sanic: {against}",
            (SANIC, few),
            (SANIC, many),
            Published(f"{_CHART}, and in words: it does not grow; {_READ}", 1.0),
        ),
    )
    for figure in (_VIRTUAL, _RESIDENT):
        for name, (arm, setting), (base, base_setting), published in sides:
            yield Asked(
                name=name,
                figure=figure,
                arm=arm,
                base=base,
                setting=setting,
                base_setting="" if base_setting == setting else base_setting,
                published=published if figure is _VIRTUAL else None,
                differs=() if figure is _VIRTUAL else ("Not in the article.",),
            )


def _computations() -> Iterator[Asked]:
    for many in CALCS:
        for flask, words in ((UNTHREADED, "without"), (THREADED, "with")):
            name = f"Sanic and Flask {words} threads, {many} computations"
            row = _rate(name, SANIC, flask, f"calc-{many}", _equal())
            yield replace(row, differs=(_DIFFERS[0], _SQUARES))
        row = _rate(
            f"Flask with and without threads, {many} computations",
            THREADED,
            UNTHREADED,
            f"calc-{many}",
            _equal(),
        )
        yield replace(row, differs=(_SQUARES,))


def _by_ab() -> Asked:
    """A cross-check of our own client, with the article's."""
    row = _rate("Sanic and Flask without threads, by ab", SANIC, UNTHREADED, "calc-ab", _equal())
    return replace(row, differs=("Each client sends many requests, not one.", _DIFFERS[0], _SQUARES))


def _equal() -> Published:
    return Published(f"{_CHART}, and in words: no meaningful difference; {_READ}", 1.0)


def _rate(
    name: str, arm: str, base: str, setting: str, published: Published, bound: Bound | None = None
) -> Asked:
    return Asked(
        name=name,
        figure=THROUGHPUT,
        arm=arm,
        base=base,
        setting=setting,
        published=published,
        bound=bound,
        differs=_DIFFERS,
    )


def _one_against_gate(many: int) -> Bound:
    gate = bound_per_s(MEAN_MS, clients=many, slots=GATE)
    alone = bound_per_s(MEAN_MS, clients=many, slots=GATE, workers=1)
    words = f"{GATE} / {MEAN_MS:g} ms = {gate:.1f} per s, and 1 / {MEAN_MS:g} ms = {alone:.1f} per s"
    return Bound(gate / alone, words)


def _published(column: str, unit: str) -> Published:
    """Of Sanic and Flask, the two rows of the table."""
    table = load_article(ARTICLE).table("uploads")
    flask, sanic = (table.figure(row, column) for row in table.rows)
    assert flask.value is not None and sanic.value is not None
    return Published(f"{sanic.text} / {flask.text} {unit}", sanic.value / flask.value)
