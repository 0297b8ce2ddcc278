"""Runs as plain text: for a pipe, a log, a screen reader, a golden test.

Sentences and figures only, no control codes or pictures: a line for each run, and its findings. With details,
all figures, and a line for each lane or request up to a limit; the others share one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from asyncdemo.model import Clock, Run, RunOutcome
from asyncdemo.render.facts.runs import (
    Account,
    account_for,
    empty_words,
    finding_words,
    folded_words,
    row_words,
    summary_words,
)
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.timeline.layout import ChartRow, noun, open_ns
from asyncdemo.render.timeline.pools import PoolSection, pool_sections
from asyncdemo.render.words import count, duration, size, status, title
from asyncdemo.safe_text import clean

_MOST_POOLS = 8
_CONNECTIONS = 20
_HOLDERS = 5
_POINTS = 8


def render_plain(
    runs: Sequence[Run],
    lanes: int = 40,
    encoding: str = "utf-8",
    expected: Collection[str] = (),
    details: bool = False,
) -> str:
    """Return the text, with a final newline.

    ``lanes`` is how many get their own line. Names of the script that ``encoding`` can't represent are
    escaped. ``expected`` is as in ``account_for``.
    """
    accounts = account_for(runs, expected)
    if details:
        text = "\n".join("\n".join(_details(account, lanes)) + "\n" for account in accounts)
    else:
        text = "".join(f"{line}\n" for account in accounts for line in _brief(account))
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _brief(account: Account) -> Iterator[str]:
    """Yield just one line if everything went well and there are no findings."""
    run = account.run
    words = summary_words(run, account.metrics) or empty_words(run)
    how = "" if run.outcome is RunOutcome.OK else f"{status(run)}; "
    virtual = " (virtual time)" if run.clock is Clock.VIRTUAL and not how else ""
    yield f"{title(run)}: {how}{words}{virtual}"
    for fact in account.brief:
        if fact.warns:
            yield f"  {fact.label}: {fact.value}"
    yield from _findings(account, "  ")
    yield from (f"  - {note}" for note in account.notes)


def _findings(account: Account, indent: str) -> Iterator[str]:
    for finding in account.findings:
        message, advice = finding_words(finding)
        yield f"{indent}- {message}"
        if advice:
            yield f"{indent}  {advice}"


def _details(account: Account, lanes: int) -> Iterator[str]:
    run = account.run
    yield f"{title(run)}: {status(run)}"
    for fact in account.facts:
        yield f"  {fact.label:<14}{fact.value}"
    if account.findings:
        yield "  findings:"
        yield from _findings(account, "    ")
    if account.notes:
        yield "  notes:"
        yield from (f"    - {note}" for note in account.notes)
    yield from _rows(account, lanes)
    for pool in pool_sections(run)[:_MOST_POOLS]:
        yield from _pool(pool)
    yield from _memory(run)


def _pool(pool: PoolSection) -> Iterator[str]:
    """Yield a line for each connection up to a limit, with its holders, up to another."""
    yield f"  {clean(pool.title)}, {pool.about}:"
    shown = len(pool.rows) if len(pool.rows) <= _CONNECTIONS + 1 else _CONNECTIONS
    for row in pool.rows[:shown]:
        yield f"    {clean(row.label)}: {_connection(row)}"
    if shown < len(pool.rows):
        yield f"    and {count(len(pool.rows) - shown, 'more connection')}"
    if pool.queued:
        yield f"    queued for it: {pool.most_queued:,} at most"
    if pool.refused:
        yield f"    refused: {count(pool.refused, 'time')}"


def _connection(row: ChartRow) -> str:
    """ "opened at 1.0 ms by GET /film 1 in 4.0 ms, held 10 times for 445 ms in all, by GET /film 1, ..."."""
    if not row.bars:
        return "closed before the first row opened, or opened after the last one ended"
    first = row.bars[0]
    words = "open from the start"
    if first.shade is Shade.OPENING:
        by = f" by {clean(first.why)}" if first.why else ""
        words = f"opened at {duration(first.start_ns)}{by} in {duration(first.end_ns - first.start_ns)}"
    held = [stretch for stretch in row.bars if stretch.shade is Shade.HELD]
    if not held:
        return words + ", never held"
    held_ns = sum(stretch.end_ns - stretch.start_ns for stretch in held)
    holders = list(dict.fromkeys(clean(stretch.why) for stretch in held if stretch.why))
    more = f" and {len(holders) - _HOLDERS:,} more" if len(holders) > _HOLDERS else ""
    by = f", by {', '.join(holders[:_HOLDERS])}{more}" if holders else ""
    return f"{words}, held {count(len(held), 'time')} for {duration(held_ns)} in all{by}"


def _memory(run: Run) -> Iterator[str]:
    """Yield some points of the curve, from the first to the last."""
    samples = run.memory
    if not samples:
        return
    zero, last = open_ns(run), len(samples) - 1
    yield "  memory:"
    for index in sorted({round(point * last / _POINTS) for point in range(_POINTS + 1)}):
        sample = samples[index]
        yield (
            f"    at {duration(sample.at_ns - zero)}: resident {size(sample.resident_bytes)}, "
            f"virtual {size(sample.virtual_bytes)}, {count(sample.threads, 'thread')}"
        )


def _rows(account: Account, most: int) -> Iterator[str]:
    run = account.run
    rows = run.rows
    if not rows:
        yield f"  {empty_words(run)}"
        return
    zero = open_ns(run)
    yield f"  {noun(run)}s:"
    # One line above the limit: a summary of one row would not be shorter than the row.
    shown = len(rows) if len(rows) <= most + 1 else most
    for row in rows[:shown]:
        yield f"    {clean(row.name)}: {row_words(row, zero)}"
    if shown < len(rows):
        yield f"    {folded_words(rows[shown:])}"
