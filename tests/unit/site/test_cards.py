"""The picture beside a link: bars where they were, in the colours of the timelines."""

from __future__ import annotations

import struct
import zlib

from asyncdemo.model import Run
from asyncdemo.render.terminal.theme import COLOURS
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.site.cards import card_png
from tests.support.runs import Story


def colours(png: bytes) -> list[list[str]]:
    """Of each pixel, line by line. What a reader of PNG files would do with these."""
    chunks, at = {}, 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, body, crc = (
            png[at + 4 : at + 8],
            png[at + 8 : at + 8 + length],
            png[at + 8 + length : at + 12 + length],
        )
        assert struct.unpack(">I", crc) == (zlib.crc32(kind + body),)
        chunks[kind] = body
        at += 12 + length
    wide, high = struct.unpack(">II", chunks[b"IHDR"][:8])
    data = zlib.decompress(chunks[b"IDAT"])
    palette = [f"#{chunks[b'PLTE'][at : at + 3].hex()}" for at in range(0, len(chunks[b"PLTE"]), 3)]
    lines = [data[line * (wide + 1) : (line + 1) * (wide + 1)] for line in range(high)]
    assert {line[0] for line in lines} == {0}
    return [[palette[pixel] for pixel in line[1:]] for line in lines]


def story(*, runs_ms: int, rows: int = 1) -> Run:
    story = Story()
    for number in range(rows):
        story.task(f"brew({number})").runs(runs_ms).sleeps(100 - runs_ms).returns()
    return story.run()


def test_a_bar_is_where_it_was() -> None:
    seen = colours(card_png([story(runs_ms=50)]))
    assert (len(seen[0]), len(seen)) == (1200, 630)
    middle = seen[315]
    assert middle[59] == middle[1141] == seen[30][600] == "#ffffff"
    assert {*middle[62:598]} == {COLOURS[Shade.RUNNING]}
    assert {*middle[602:1138]} == {COLOURS[Shade.WAITING]}


def test_runs_are_stacked_and_rows_beyond_a_dozen_are_folded() -> None:
    seen = colours(card_png([story(runs_ms=100, rows=3), story(runs_ms=0, rows=500)]))
    of_lines = [line[600] for line in seen]
    drawn = [this for last, this in zip(["", *of_lines], of_lines, strict=False) if this != last]
    assert drawn.count(COLOURS[Shade.RUNNING]) == 3
    assert drawn.count(COLOURS[Shade.WAITING]) == 12


def test_a_run_without_rows_is_an_empty_card() -> None:
    assert {pixel for line in colours(card_png([Story().run()])) for pixel in line} == {"#ffffff"}
