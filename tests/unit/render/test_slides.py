"""Slides: everything of them is shown, nothing is dim, wide or cut, on screens of any size."""

from __future__ import annotations

import pytest

from asyncdemo.model import Run
from asyncdemo.render.terminal.block_text import block_letters
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.slide_blocks import (
    Block,
    Code,
    Figures,
    Program,
    Programs,
    Row,
    Words,
    prose,
)
from asyncdemo.render.terminal.slides import Slide, pages, projected, timeline
from asyncdemo.render.terminal.theme import ASCII, UNICODE, Theme
from asyncdemo.render.timeline.grid import Shade
from tests.support.runs import Story
from tests.support.screens import text_of

SIZES = [(20, 5), (40, 12), (80, 24), (120, 40), (200, 50)]
MARKDOWN = """
Ten cups, and `await asyncio.sleep` for each of them. See [the list](list.md), **carefully**, *here*,
`2 *x* 3`:

- `blocking`: one after
  another
- all at the same time

1. first
2. second

```python
async def main() -> None:

    await brew(1)
```

What now?
"""
LONG = Slide(
    "Key points",
    tuple(Words(f"Point {n}: " + "one gate, made once, shared by all, is a limit. " * 3) for n in range(12)),
)


def words_of(lines: list[Line]) -> str:
    return " ".join(" ".join(text_of(lines)).split())


def laid_out(*blocks: Block, heading: str = "Run", width: int = 80, height: int = 23) -> list[str]:
    (page,) = pages(Slide(heading, blocks), UNICODE, width, height)
    return text_of(page)


def staircase(calls: int) -> Run:
    """Calls of 100 ms, one after another."""
    story = Story()
    main = story.task("main")
    for n in range(1, calls + 1):
        main.enters(f"brew({n})").sleeps(100).leaves()
    main.returns()
    return story.run()


def alone(run: Run, theme: Theme, width: int, height: int) -> list[Line]:
    return timeline(run, [run], theme, width, height)


# block letters


def test_letters_have_two_dots_in_the_height_of_a_line() -> None:
    assert block_letters("Ti", 80, 0) == ["▀▀█▀▀ ▀█▀", "  █    █", "  ▀   ▀▀▀"]


def test_larger_letters_have_even_strokes_and_need_no_blocks() -> None:
    assert block_letters("-.", 80, 1, "#") == ["", "", "######", "", "        ##"]
    assert block_letters("-", 80, 2, "#") == [""] * 4 + ["#" * 12] * 2 + [""] * 4
    assert block_letters("-", 80, 0, "#") is None


def test_letters_break_between_words_and_do_not_break_a_word() -> None:
    assert block_letters("it is", 20, 0) == [
        *(block_letters("it", 20, 0) or []),
        "",
        *(block_letters("is", 20, 0) or []),
    ]
    assert block_letters("parallel", 20, 0) is None


# text


def test_the_markdown_of_a_lesson_becomes_blocks() -> None:
    assert prose(MARKDOWN) == [
        Words(
            "Ten cups, and `await asyncio.sleep` for each of them. See the list, carefully, here, `2 *x* 3`:"
        ),
        Words("`blocking`: one after another", mark="-"),
        Words("all at the same time", mark="-"),
        Words("first", mark="1."),
        Words("second", mark="2."),
        Code("async def main() -> None:\n\n    await brew(1)"),
        Words("What now?"),
    ]


def test_code_in_a_text_is_marked_and_its_marks_are_not_shown() -> None:
    (page,) = pages(Slide("Run", (Words("so `await` it"),)), UNICODE, 80, 23)
    line = page[-1]
    styles = {segment.text: segment.style for segment in line if segment.text.strip()}
    assert set(styles) == {"so", "await", "it"}
    assert styles["await"] != styles["so"] == styles["it"]


def test_list_item_is_indented_below_its_words_not_its_mark() -> None:
    lines = laid_out(Words("one " * 30, mark="1)"))
    first, second = [line for line in lines if "one" in line]
    assert first.index("one") == second.index("one")
    assert first.lstrip().startswith("1)")


def test_long_line_of_code_continues_indented_and_loses_nothing() -> None:
    long = f"    return call({', '.join(f'argument_{n}' for n in range(12))})"
    for block in (Code(f"def f():\n{long}"), Program("a.py", ("def f():", long))):
        lines = laid_out(block)
        at = next(at for at, line in enumerate(lines) if "def f" in line)
        code = lines[at:]
        assert "".join("".join(code).split()) == "".join(f"def f():{long}".split())
        margin = code[0].index("def")
        assert [len(line) - len(line.lstrip()) - margin for line in code] == [0, 4, 8, 8]


# figures and facts


def test_figures_stand_next_to_each_other_in_letters() -> None:
    lines = laid_out(Figures((("The class said", "3 s"), ("It was", "10 s"))))
    labels = next(line for line in lines if "It was" in line)
    at = labels.index("It was")
    three, ten = block_letters("3 s", 80, 0), block_letters("10 s", 80, 0)
    assert three and ten
    assert [line[2:at].rstrip() for line in lines[-3:]] == three
    assert [line[at:] for line in lines[-3:]] == ten


def test_rows_that_follow_each_other_stand_close() -> None:
    lines = laid_out(
        Words("before"), Row("wall", "3 s"), Row("peak", "1"), Words("after"), width=80, height=14
    )
    at = {word: next(n for n, line in enumerate(lines) if word in line) for word in ("before", "wall")}
    assert lines[at["wall"] + 1].split() == ["peak", "1"]
    assert lines[at["wall"] - 1] == ""


# votes and programs


def test_programs_are_side_by_side_if_they_fit_or_on_a_page_each() -> None:
    slide = Slide("Code", (Programs(tuple(Program(name, ("x = 1",) * 15) for name in ("a.py", "b.py"))),))
    (wide,) = pages(slide, UNICODE, 120, 23)
    assert any("a.py" in line and "b.py" in line for line in text_of(wide))
    first, second = pages(slide, UNICODE, 80, 24)
    assert "b.py" not in words_of(first)
    assert "b.py" in words_of(second)


def test_omitted_parts_of_a_program_are_marked_and_dedented() -> None:
    lines = laid_out(Program("a.py", ("    import time", "", "        time.sleep(1)")))
    assert [line.rstrip() for line in lines[-4:]] == ["  a.py", "  import time", "  …", "      time.sleep(1)"]


# pages


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("theme", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_page_fits_the_screen_and_loses_no_word(width: int, height: int, theme: Theme) -> None:
    drawn = pages(LONG, theme, width, height)
    for page in drawn:
        assert len(page) <= height
        assert all(len(line) <= width for line in text_of(page))
    text = "".join(words_of([line for page in drawn for line in page]).split())
    for block in LONG.blocks:
        assert isinstance(block, Words)
        whole = "".join(block.text.split())
        # A heading may stand between two parts of a paragraph that two pages share.
        assert whole in text or (len(drawn) > 1 and whole[:8] in text and whole[-8:] in text)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nothing_is_dim(width: int, height: int) -> None:
    slide = Slide("Run", (*prose(MARKDOWN), Row("wall", "3 s"), Figures((("wall", "3 s"),))))
    lines = [line for page in pages(slide, UNICODE, width, height) for line in page]
    lines += alone(staircase(60), UNICODE, width, height)
    shown = [segment for line in lines for segment in line if segment.text.strip()]
    assert shown
    assert all(segment.style and segment.style.bold and not segment.style.dim for segment in shown)


def test_heading_is_on_every_page_and_large_on_a_large_screen() -> None:
    small, large = block_letters("Key points", 80, 0), block_letters("Key points", 200, 1)
    assert small and large
    for page in pages(LONG, UNICODE, 80, 24):
        assert [line[2:] for line in text_of(page)[1:4]] == small
    assert [line.strip() for line in text_of(pages(LONG, UNICODE, 200, 60)[0])[1:6]] == [
        line.strip() for line in large
    ]


def test_a_heading_without_letters_is_a_line_of_capitals() -> None:
    assert laid_out(heading="größe")[1] == "  GRÖSSE"


# timelines


def test_rows_have_room_between_them_if_there_is_any() -> None:
    roomy = [
        line.split()[0] if line.split() else "" for line in text_of(alone(staircase(5), UNICODE, 80, 24))
    ]
    assert roomy[2:8] == ["brew(1)", roomy[3], "", "brew(2)", roomy[6], ""]
    assert "─" in roomy[3]
    close = text_of(alone(staircase(5), UNICODE, 80, 10))
    assert [line.split()[0] for line in close[2:7]] == [f"brew({n})" for n in range(1, 6)]


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("calls", [1, 60, 500])
def test_timeline_fits_any_screen_and_counts_its_folded_lanes(width: int, height: int, calls: int) -> None:
    lines = text_of(alone(staircase(calls), UNICODE, width, height))
    assert 0 < len(lines) <= height
    assert all(len(line) <= width for line in lines)
    if calls == 500 and height > 5 and width >= 80:
        assert any("of all 500" in line for line in lines)


def test_a_timeline_can_be_drawn_on_the_scale_of_a_longer_run() -> None:
    short, long = staircase(1), staircase(4)
    shared = text_of(timeline(short, [short, long], UNICODE, 80, 24))[2].rstrip()
    assert len(shared) < len(text_of(alone(short, UNICODE, 80, 24))[2].rstrip()) / 2


def test_projector_draws_waits_heavier_and_keeps_other_textures() -> None:
    for theme in (UNICODE, ASCII):
        heavy = projected(theme)
        assert {**heavy.textures, Shade.WAITING: theme.textures[Shade.WAITING]} == theme.textures
        assert len(set(heavy.textures.values())) == len(heavy.textures)
    lines = text_of(alone(staircase(1), projected(UNICODE), 80, 24))
    assert any("━━━" in line and "brew(1)" in line for line in lines)
    assert projected(ASCII).textures == ASCII.textures
