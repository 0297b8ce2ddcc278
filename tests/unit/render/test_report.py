"""The report of a terminal: every width, every glyph set, any name."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from asyncdemo.model import Run, RunOutcome
from asyncdemo.render.terminal.report import print_report, report_lines
from asyncdemo.render.terminal.theme import ASCII, UNICODE, Theme, theme_for
from asyncdemo.render.timeline.grid import SHADES, Cell, Shade
from tests.support.runs import Story, at_line
from tests.support.screens import Terminal, text_of


def sleeping_in_turn() -> Run:
    story = Story()
    task = story.task("main")
    for i in range(10):
        task.enters(f"brew({i})").blocks(300, at=at_line(12, "brew")).leaves()
    task.returns()
    return story.run(name="blocking")


def sleeping_together() -> Run:
    story = Story()
    for i in range(10):
        story.task(f"brew({i})").runs(1).sleeps(299).returns()
    return story.run(name="awaited")


def crowd(lanes: int) -> Run:
    story = Story()
    for i in range(lanes):
        story.task(f"visit({i})", at=i / 100).sleeps(100).returns()
    return story.run(name="crowd")


def strange_names() -> Run:
    story = Story()
    story.task("\x1b[2J\x07\nclear").sleeps(10).raises("ValueError: \x1b[31m[bold]no")
    story.task("日本語の名前です、とても長い").sleeps(10).is_cancelled()
    story.task("[bold]x[/bold]").sleeps(5)
    story.task("\ud800 half").sleeps(10).returns()
    return story.run(name="[red]", notes=("a note with \x1b[31m",))


def report(
    *runs: Run, width: int = 100, theme: Theme = UNICODE, rows: int = 24, details: bool = False
) -> list[str]:
    return text_of(list(report_lines(runs, theme, width, rows, details=details)))


def test_two_variants_stand_side_by_side_on_one_scale() -> None:
    lines = report(sleeping_in_turn(), sleeping_together(), width=160)
    assert "blocking" in lines[0]
    assert "awaited" in lines[0]
    first = next(line for line in lines if line.startswith("brew(0)"))
    left, right = first[:80], first[80:]
    assert left.count("╳") == pytest.approx(right.count("─"), abs=2)


def test_a_narrow_terminal_stacks_them() -> None:
    lines = report(sleeping_in_turn(), sleeping_together(), width=80)
    titles = [line for line in lines if line.startswith("── ")]
    assert [("blocking" in line, "awaited" in line) for line in titles] == [(True, False), (False, True)]


def test_few_essential_facts_are_below_the_picture() -> None:
    text = "\n".join(report(sleeping_in_turn(), sleeping_together(), width=160))
    for words in (
        "time          3.00 s; at best 300 ms",
        "at work       at most 1 of 10 lanes",
        "at work       at most 10 of 10 lanes",
        "the longest 300 ms: sleep at app.py:12",
        "Found in blocking",
    ):
        assert words in text
    for words in ("wall", "ideal", "peak", "throughput", "compared", "in total  "):
        assert words not in text


def test_on_a_screen_the_findings_come_before_the_pictures() -> None:
    lines = report_lines([sleeping_in_turn(), sleeping_together()], UNICODE, 80, findings_first=True)
    first, *rest = ("".join(segment.text for segment in line) for line in lines)
    assert first == "Found in blocking"
    assert sum("Found in" in line for line in rest) == 0


@pytest.mark.parametrize("width", [20, 80, 160, 300])
@pytest.mark.parametrize("runs", [(sleeping_in_turn(), sleeping_together()), (crowd(100), strange_names())])
def test_no_line_is_wider_than_the_terminal(width: int, runs: tuple[Run, ...]) -> None:
    assert max(map(cell_len, report(*runs, width=width))) <= width


def test_a_thousand_lanes_are_folded_and_counted() -> None:
    lines = report(crowd(1_000), width=100, rows=20)
    words = "+994 lanes folded, up to 71 to a row; of all 1,000, on average:"
    assert any(words in line for line in lines)
    assert sum(line.startswith("visit(") for line in lines) == 20
    assert any(line.startswith("visit(929-999) ") for line in lines)
    assert any("at work" in line and "of 1,000 lanes" in line for line in lines)


def folded(theme: Theme) -> list[str]:
    """Thirty tasks in six rows, two of one task: half of a folded row queues while the other works."""
    story = Story()
    gate = story.semaphore(15)
    for number in range(30):
        task = story.task(f"t{number}")
        if number % 2:
            task.queues(gate, 100).takes(gate).sleeps(100).gives_back(gate).returns()
        else:
            task.takes(gate).sleeps(100).gives_back(gate).sleeps(100).returns()
    lines = report(story.run(), width=60, theme=theme, rows=6)
    return [line.split()[-1] for line in lines if line.startswith(("3-", "10-", "17-", "24-"))]


def test_folded_row_counts_its_working_lanes_unlike_one_row() -> None:
    for row in folded(UNICODE):
        assert set(row[:20]) <= set("▂▃▄")
        assert set(row[-20:]) == {"▇"}
    for row in folded(ASCII):
        assert set(row[:20]) <= set("345")
        assert set(row[-20:]) == {"8"}


def test_the_legend_has_the_marks_that_occur() -> None:
    marked, plain = report(strange_names(), width=120)[-12:], report(sleeping_together(), width=120)[-3:]
    for words in ("✗ raised", "⊘ cancelled", "… still open at the end"):
        assert any(words in line for line in marked)
        assert not any(words in line for line in plain)
    assert any("▏ ran briefly" in line for line in plain)


def test_run_that_failed_early_has_no_figures_and_no_legend() -> None:
    run = Story().run(name="m", outcome=RunOutcome.FAILED, exit_code=1, notes=("m.py has a syntax error",))
    lines = [line for line in report(run) if line.strip()]
    assert len(lines) == 4
    assert "failed with exit code 1" in lines[0]
    assert lines[-1].endswith("m.py has a syntax error")
    assert not any("waiting" in line or "wall" in line for line in lines)


def test_names_cannot_move_the_cursor_or_be_markup() -> None:
    lines = report(strange_names(), width=120)
    text = "\n".join(lines)
    assert all(line.isprintable() for line in lines)
    assert "[bold]x[/bold]" in text
    assert "ValueError: \\x1b[31m[bold]no" in text
    assert "\\ud800 half" in text


@pytest.mark.parametrize("theme", [UNICODE, ASCII])
def test_every_state_has_a_texture_of_its_own(theme: Theme) -> None:
    glyphs = [theme.glyph(Cell(shade)) for shade in SHADES]
    assert len(set(glyphs)) == len(SHADES)
    assert glyphs[Shade.CLOSED] == " "
    assert not set(theme.parts) & {theme.textures[shade] for shade in SHADES if shade is not Shade.RUNNING}


@pytest.mark.parametrize(
    ("encoding", "theme"),
    [
        ("utf-8", UNICODE),
        ("UTF8", UNICODE),
        ("utf-16", UNICODE),
        ("ascii", ASCII),
        ("cp1252", ASCII),
        (None, ASCII),
    ],
)
def test_the_stream_decides_the_glyphs(encoding: str | None, theme: Theme) -> None:
    assert theme_for(encoding) is theme


def test_no_color_is_obeyed() -> None:
    plain = Terminal(100, 40, environ={"NO_COLOR": "1"})
    coloured = Terminal(100, 40)
    for terminal in (plain, coloured):
        print_report([sleeping_in_turn()], terminal.console)
    assert "38;2;" in coloured.written
    assert "38;2;" not in plain.written
    assert plain.lines == coloured.lines
