"""The report of a record as plain text: for a pipe, a log, a screen reader.

Sentences and figures only.
"""

from __future__ import annotations

from collections.abc import Iterator

from asyncdemo.lab.render import report_text
from asyncdemo.lab.render.folding import Folded, differing, differing_everywhere, doubts
from asyncdemo.lab.render.report_text import blocks, flag_words, groups, interval, medians, published, times
from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.lab.results.record import Record
from asyncdemo.safe_text import clean


def render_plain(record: Record, encoding: str = "utf-8") -> str:
    """Return the text, with a final newline. Characters that ``encoding`` lacks become escapes."""
    lines = map(clean, _lines(record))
    text = "\n".join(lines) + "\n"
    return text.replace("×", "x").encode(encoding, "backslashreplace").decode(encoding)


def _lines(record: Record) -> Iterator[str]:
    yield f"{record.title}: {report_text.run_words(record)}"
    yield report_text.verdicts(record)
    for flag in record.flags:
        yield f"{flag.kind.value}: {flag_words(flag)}"
    every = groups(record)
    everywhere = differing_everywhere(every)
    yield from (f"differs in all rows: {words}" for words in everywhere)
    for group in every:
        yield ""
        yield f"{group.title} ({group.better}):"
        for row in group.rows:
            yield from _row(row)
        for folded in (differing(group, everywhere), *doubts(group)):
            yield from _folded(folded)
    for title, pairs in blocks(record):
        yield ""
        yield f"{title}:"
        yield from (f"  {term}: {words}" if term else f"    {words}" for term, words in pairs)


def _row(row: Comparison) -> Iterator[str]:
    yield f"  {row.name}: {report_text.verdict_words(row) or 'nothing is published'}"
    if row.published is not None:
        yield f"    published: {published(row)} ({row.published.words})"
    if row.bound is not None:
        yield f"    bound: {times(row.bound.ratio)} ({row.bound.words})"
    if row.measured is not None:
        yield f"    measured: {interval(row.measured)} in {len(row.measured.pairs)} rounds"
    if medians(row):
        yield f"    medians of both sides, of this machine: {medians(row)}"


def _folded(folded: Folded) -> Iterator[str]:
    if folded.said:
        yield f"  {folded.term}:"
        yield from (f"    {names}: {words}" if names else f"    {words}" for names, words in folded.lines())
