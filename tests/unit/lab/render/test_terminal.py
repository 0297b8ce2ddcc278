"""The report on a terminal and as plain words: what it says, in what width, with and without colours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
from rich.cells import cell_len

from asyncdemo.lab.render.page import report_html
from asyncdemo.lab.render.plain import render_plain
from asyncdemo.lab.render.report_text import times
from asyncdemo.lab.render.terminal import Look, print_report, strip_lines
from asyncdemo.lab.results.comparison import Bound, Comparison, Published
from asyncdemo.lab.results.flags import Flag, FlagKind
from asyncdemo.lab.results.ratio import Reproduction
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Verification
from asyncdemo.render.terminal.theme import ASCII, UNICODE, Theme
from tests.support.lab_records import RATES, a_comparison, a_record
from tests.support.open_loops import with_open_loop
from tests.support.screens import Terminal, text_of

CODES = re.compile(r"\x1b\[[\d;]*m")
INTERRUPTED = Flag(
    FlagKind.INTERRUPTED,
    "3 of 7 rounds were finished when the run was ended.",
    "Run it again: it continues where it stopped.",
)


def shown(record: Record, width: int = 80, encoding: str = "utf-8") -> str:
    terminal = Terminal(width, 200, encoding)
    print_report(record, terminal.console)
    return CODES.sub("", terminal.written)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def with_rows(*rows: Comparison) -> Record:
    return replace(a_record(), comparisons=rows)


View = Callable[[Record], str]
views = pytest.mark.parametrize("view", [shown, render_plain])


def test_row_has_published_bound_ours_with_interval_and_verdict() -> None:
    lines = shown(a_record()).splitlines()
    row = next(line for line in lines if line.startswith("Sanic / Flask"))
    assert re.split(r"\s{2,}", row.strip()) == [
        "Sanic / Flask",
        "14.2×",
        "6.00×",
        "5.16× [5.10, 5.19]",
        "~ direction only",
    ]
    assert any("ours [interval]" in line for line in lines)


@pytest.mark.parametrize(("width", "has_column"), [(40, False), (80, False), (120, True), (200, True)])
def test_lines_fit_the_terminal_and_wide_ones_have_medians(width: int, has_column: bool) -> None:
    text = shown(with_open_loop({"sanic": [[3] * 2000]}), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert ("Sanic / Flask: 9,800 and 1,900 /s" in squeezed(text)) is not has_column
    assert "9,800 and 1,900 /s" in squeezed(text)


@views
def test_what_is_equal_in_several_rows_is_said_once(view: View) -> None:
    flags = [Flag(FlagKind.NO_RANKING, words, "Measure more.") for words in ("It holds 1.", "It is near 1.")]
    rows = [a_comparison(arm, 5.0, flags=(flags[0],)) for arm in ("sanic", "tornado")]
    rows.append(replace(a_comparison("klein", 4.7, flags=(flags[1],)), differs=("another Klein",)))
    text = squeezed(view(with_rows(*rows)))
    both = "Sanic / Flask, Tornado / Flask"
    assert text.count("Python 3.11, where it was 2.7") == text.count("Measure more.") == 1
    assert f"{both}: Python 3.11, where it was 2.7 Klein / Flask: another Klein" in text
    assert f"{both}: It holds 1. Klein / Flask: It is near 1. So nothing is ranked. Measure more." in text


@views
def test_equal_facts_are_stated_once_and_others_for_each_group(
    view: View,
) -> None:
    rows = [a_comparison(arm, 3.0) for arm in ("sanic", "tornado", "klein")]
    assert re.search(r"differs:? all: Python 3.11", squeezed(view(with_rows(*rows))))
    only = squeezed(view(with_rows(rows[0])))
    assert re.search(r"differs:? Python 3.11", only), "it is clear whom it is about"
    groups = squeezed(view(with_rows(rows[0], replace(rows[0], title="Requests once more"))))
    assert groups.count("Python 3.11, where it was 2.7") == 1
    assert re.search(r"differs in all rows:? Python 3.11.*Requests per second", groups)


def test_a_small_ratio_keeps_its_digits() -> None:
    shown_as = {0.00101: "0.001×", 0.064: "0.064×", 0.5: "0.50×", 3.14159: "3.14×", 14.18: "14.2×"}
    assert {ratio: times(ratio) for ratio in shown_as} == shown_as


def test_words_that_repeat_the_published_ratio_are_left_out() -> None:
    row = a_comparison("sanic", 4.36)
    text = with_rows(replace(row, published=Published("4.36 times Flask", 4.36)))
    assert "4.36 times" not in shown(text)
    other = with_rows(replace(row, published=Published("4,907 / 1,125 per s", 4.36)))
    assert re.search(r"published +4,907 / 1,125 per s", shown(other))


def test_twin_is_described_once_and_equal_commands_are_one() -> None:
    record = a_record()
    commands = {"closed": "begin-it", "*": "begin-it"}
    arms = tuple(replace(arm, commands=commands) for arm in record.arms[:2])
    text = squeezed(shown(replace(record, arms=(*arms, *record.arms[2:]))))
    assert "Flask, a second time the same as Flask" in text
    assert text.count("begin-it") == 1


@views
def test_everything_else_is_there_too(view: View) -> None:
    record = a_record()
    arms = tuple(
        replace(arm, commands={"*": f"python {arm.name}.py", "closed": "another"}) for arm in record.arms
    )
    environment = replace(record.environment, missing={"wrk2": "our own client instead"})
    broken = Verification("sanic", "body", "hello", "bye", held=False)
    record = replace(record, arms=arms, environment=environment, verifications=(broken,))
    text = squeezed(view(record))
    for part in (
        "Of 4 published ratios: 1 direction only, 2 not reproduced, 1 refused.",
        "Another program ran in round 3. So the figure is withdrawn. Stop it",
        "Japronto needs Python 3.6.",
        "Equal arms (A/A)",
        "[0.99, 1.01]",
        "Python 3.6 only. Today you would use Granian.",
        "our own client instead",
        "A processor that nobody makes, 2 cores",
        "Linux 6.0, x86_64; CPython 3.11",
        "flask 3.1, sanic 25.12",
        "client 1, server 0",
        "python sanic.py",
        "200 connections: another",
        "Nobody has measured this.",
        "Sanic, body: hello was asked for, bye was seen.",
        "0 of 1 answers, effects and knobs were as asked for",
    ):
        assert part in text


def of_rounds(rounds: int) -> Record:
    """The first rounds, of one row, which is reproduced."""
    record, rates = a_record(), {name: every[:rounds] for name, every in RATES.items()}
    trials = tuple(trial for trial in record.trials if trial.round <= rounds)
    return replace(record, trials=trials, comparisons=(a_comparison("sanic", 5.0, rates),))


@pytest.mark.parametrize("view", [shown, render_plain, report_html])
@pytest.mark.parametrize("rounds", range(1, 8))
def test_a_verdict_from_few_rounds_says_in_how_many(view: View, rounds: int) -> None:
    text = squeezed(view(of_rounds(rounds)))
    assert "Of 1 published ratio: 1 reproduced." in text
    words = f"reproduced, in {rounds} round{'s' * (rounds > 1)}"
    sentence = "1 of them rests on fewer than 6 rounds."
    assert (words in text, sentence in text) == (rounds < 6, rounds < 6)


@views
def test_a_run_that_was_ended_early_says_so_first(view: View) -> None:
    text = squeezed(view(replace(a_record(), interrupted=True, flags=(INTERRUPTED,), rounds=9)))
    assert "ended early: 7 of 9 rounds" in text[:160]
    assert "3 of 7 rounds were finished when the run was ended." in text
    assert "Run it again: it continues where it stopped." in text


@views
def test_what_a_record_says_moves_no_cursor_and_is_no_markup(view: View) -> None:
    record = a_record()
    rows = (replace(record.comparisons[0], name="[red]Sanic\x1b[2J / Flask", differs=("[/bold] a\x07bell",)),)
    text = view(replace(record, title="\x1b]0;title\x07 [b]", comparisons=rows, notes=("[blink]",)))
    assert "\x1b" not in text and "\x07" not in text
    assert "[red]Sanic" in text and "[blink]" in text


def test_words_fit_any_encoding_and_plain_text_has_no_controls() -> None:
    assert shown(a_record(), encoding="ascii").isascii()
    text = render_plain(a_record(), "ascii")
    assert text.isascii() and text.replace("\n", "").isprintable() and text.endswith("\n")
    assert "measured: 5.16x [5.10, 5.19] in 7 rounds" in text
    assert "published: in words (in a comment)" in text


def test_verdicts_are_distinguishable_without_colours() -> None:
    text = shown(a_record())
    signs = {verdict: re.findall(rf"([^\w\s]) {verdict.value}\b", text) for verdict in Reproduction}
    assert set(signs[Reproduction.NOT_REPRODUCED]) == {"✗"}
    assert set(signs[Reproduction.DIRECTION_ONLY]) >= {"~"}
    assert set(signs[Reproduction.REFUSED]) >= {"-"}


# --- strips ---------------------------------------------------------------------------------------


def strips(rows: Iterable[Comparison], theme: Theme = UNICODE) -> list[str]:
    return text_of(list(strip_lines([*rows], Look(theme, 80))))


def test_each_mark_stands_at_its_place_beside_one() -> None:
    sanic, klein, *_, axis, legend = strips(a_record().comparisons)
    one = sanic.index("│")
    assert one < sanic.index("▒") < sanic.index("┼") < sanic.index("┊") < sanic.index("◆")
    assert klein.index("▒") < one and klein[one] == "│" and "▒" not in klein[one:]
    assert axis.index("1×") in range(one - 1, one + 1)
    for word in ("ours", "interval", "published", "bound"):
        assert word in legend


def test_unpublished_has_no_mark_and_unmeasured_is_not_drawn() -> None:
    row = replace(a_comparison("sanic", 5.0), published=None, verdict=None, bound=Bound(2.0, "waiting"))
    *lines, legend = strips([row], ASCII)
    assert "!" in lines[0] and "P" not in lines[0] and "published" not in legend
    assert strips(row for row in a_record().comparisons if row.measured is None) == []
