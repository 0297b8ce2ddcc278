"""Runs as plain text: for a pipe, a log, a screen reader, a golden test.

Sentences and figures only, no control codes and no pictures; every lane or request has a line up to a bound,
the others share one. Not for: what the facts are (``facts``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from asyncdemo.metrics import row_totals
from asyncdemo.model import Run
from asyncdemo.render.facts import (
    Account,
    account_for,
    empty_words,
    finding_words,
    folded_words,
    row_words,
)
from asyncdemo.render.layout import noun, open_ns
from asyncdemo.render.words import clean, status, title

__all__ = ["render_plain"]


def render_plain(
    runs: Sequence[Run], lanes: int = 40, encoding: str = "utf-8", meant: Collection[str] = ()
) -> str:
    """The text, ending in a newline.

    lanes: how many get a line each. encoding: of the stream it goes to; what it cannot hold of
    the script's names is written as an escape. meant: as for ``account_for``.
    """
    text = "\n".join("\n".join(_run(account, lanes)) + "\n" for account in account_for(runs, meant))
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _run(account: Account, lanes: int) -> Iterator[str]:
    run = account.run
    yield f"{title(run)}: {status(run)}"
    for fact in account.facts:
        yield f"  {fact.label:<14}{fact.value}"
    yield from _rows(account, lanes)
    if account.findings:
        yield "  findings:"
        for finding in account.findings:
            message, advice = finding_words(finding)
            yield f"    - {message}"
            if advice:
                yield f"      {advice}"
    if account.notes:
        yield "  notes:"
        for note in account.notes:
            yield f"    - {note}"


def _rows(account: Account, most: int) -> Iterator[str]:
    run = account.run
    rows, totals = run.rows, row_totals(run)
    if not rows:
        yield f"  {empty_words(run)}"
        return
    zero = open_ns(run)
    yield f"  {noun(run)}s:"
    # One line more than the bound says nothing that the last row itself would not.
    shown = len(rows) if len(rows) <= most + 1 else most
    for row, total in zip(rows[:shown], totals[:shown], strict=True):
        yield f"    {clean(row.name)}: {row_words(row, total, zero)}"
    if shown < len(rows):
        yield f"    {folded_words(rows[shown:], totals[shown:])}"
