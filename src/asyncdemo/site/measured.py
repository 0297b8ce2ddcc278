"""The report of a record of ours: what was published beside what we measured, how, and on what.

Not for: reading the record (``lab.record_file``), or the fence (``measure``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final

from asyncdemo.lab.audit import number
from asyncdemo.lab.comparison import Comparison
from asyncdemo.lab.experiment import Arm, Setting
from asyncdemo.lab.flags import Flag, FlagKind
from asyncdemo.lab.ratio import Ratio, Verdict
from asyncdemo.lab.record import Record
from asyncdemo.site.bars import Bar, Bars, Mark, bars_html
from asyncdemo.site.tables import items, table

__all__ = ["report_html", "verdicts"]

_HEAD: Final = ("row", "published", "bound", "ours [interval]", "verdict", "what differs")
_LEGEND: Final[tuple[tuple[str, str], ...]] = (
    ("ours", "ours, as a multiple of the base"),
    ("interval", "its interval"),
    ("published", "published"),
    ("bound", "what the waiting allows"),
)

_ABSOLUTE: Final = (
    '<p class="published-note">In small letters below our ratios: the medians of both sides. They are of '
    "this machine, and not to be compared with those of another.</p>"
)


def report_html(record: Record, address: str) -> str:
    """address: of the record itself, from the page."""
    rows = [row for row in record.comparisons if not record.arm(row.arm).twin_of]
    parts = (
        f'<p class="measured-verdicts"><b>{escape(verdicts(record))}</b></p>',
        _flags(record.flags),
        *_figures(record, rows),
        _ABSOLUTE if any(row.arm_median is not None for row in rows) else "",
        _twins(record),
        _details("How it was measured", items(_method(record))),
        _details("The machine", items(_machine(record))),
        _details("The contestants", _contestants(record)),
        _notes(record),
        f'<p><a href="{escape(address)}" download>The record</a>, with every trial and all latencies as '
        'histograms, as <a href="../reference/record-format.html">JSON</a>.</p>',
    )
    return f'<div class="measured">{"".join(parts)}</div>'


def verdicts(record: Record) -> str:
    """How many rows came to which verdict, as a sentence."""
    counts = Counter(row.verdict for row in record.comparisons if row.verdict)
    told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    rows = counts.total()
    return (
        f"Of {rows} published {'ratio' if rows == 1 else 'ratios'}: {told}."
        if rows
        else "Nothing is published to compare with."
    )


def _figures(record: Record, rows: Iterable[Comparison]) -> Iterator[str]:
    """A table and a chart for each setting and figure, in the order of the record."""
    groups: dict[tuple[str, str], list[Comparison]] = {}
    for row in rows:
        groups.setdefault((row.setting, row.title), []).append(row)
    for (setting, title), group in groups.items():
        what = f"{title}, {record.setting(setting).title}"
        better = f"{group[0].better.value} is better"
        yield f'<p class="published-title"><b>{escape(what)}</b> ({better})</p>'
        yield table(_HEAD, map(_row, group), f"{what}: published and ours", words=True)
        drawn = tuple(_bar(row) for row in group if row.measured or (row.published and row.published.ratio))
        if drawn:
            kinds = [key for key in _LEGEND if key[0] != "bound" or any(row.bound for row in group)]
            yield bars_html(Bars(f"{what}: ratios", "×", drawn, tuple(kinds), origin=1, logarithmic=True))


def _row(row: Comparison) -> tuple[str, ...]:
    ratio = row.published.ratio if row.published else None
    absolute = ""
    if row.arm_median is not None and row.base_median is not None:
        medians = f"{number(row.arm_median)} and {number(row.base_median)} {row.unit}"
        absolute = f"<br><small>{escape(medians)}</small>"
    return (
        escape(row.name),
        "" if row.published is None else _with_words(_times(ratio), row.published.words),
        "" if row.bound is None else _with_words(_times(row.bound.ratio), row.bound.words),
        f"<b>{_interval(row.measured)}</b>{absolute}" if row.measured else "refused",
        (_verdict(row.verdict) if row.verdict else "nothing published") + "".join(map(_flag, row.flags)),
        "<br>".join(map(escape, row.differs)),
    )


def _bar(row: Comparison) -> Bar:
    measured, published = row.measured, row.published
    ratio = published.ratio if published else None
    told = [
        f"{row.name}: ours {_interval(measured)}" if measured else f"{row.name}: refused",
        f"published {_times(ratio)}" if ratio else "",
        f"bound {_times(row.bound.ratio)}" if row.bound else "",
    ]
    return Bar(
        label=row.name,
        text=_interval(measured) if measured else "refused",
        told=", ".join(filter(None, told)),
        bar=measured.median if measured else None,
        least=measured.least if measured else None,
        most=measured.most if measured else None,
        marks=(Mark("published", ratio),) if ratio else (),
        bound=row.bound.ratio if row.bound else None,
    )


def _twins(record: Record) -> str:
    """What the equal arms came to: how far this machine can tell two things apart."""
    told = [
        f"{row.name}, {record.setting(row.setting).title}: {_interval(row.measured)}"
        for row in record.comparisons
        if row.measured and record.arm(row.arm).twin_of
    ]
    lines = "<br>".join(map(escape, told))
    return (
        items(
            [
                (
                    "Equal arms (A/A)",
                    f"{lines}<br><small>The same contestant twice: the ratio should be 1.</small>",
                )
            ]
        )
        if told
        else ""
    )


def _method(record: Record) -> Iterator[tuple[str, str]]:
    measured = max((len(row.measured.pairs) for row in record.comparisons if row.measured), default=0)
    covered = max((row.measured.coverage for row in record.comparisons if row.measured), default=0.0)
    ended = ", ended early" if record.interrupted else ""
    yield (
        "Run",
        escape(f"{record.extent.value}, {record.rounds} rounds{ended}, {record.started} to {record.ended}"),
    )
    if measured:
        yield "Interval", f"of {measured} rounds, which holds the median with {covered:.1%}"
    for setting in record.settings:
        yield escape(setting.title), escape(", ".join(_load(setting)))
    held = [verification for verification in record.verifications if verification.held]
    if record.verifications:
        yield (
            "Verified",
            f"{len(held)} of {len(record.verifications)} answers, effects and knobs were as asked for",
        )
    for calibration in record.calibrations:
        figures = ", ".join(f"{name} {number(value)}" for name, value in calibration.figures.items())
        yield "Load client", escape(f"{calibration.tool} against {calibration.against}: {figures}")
    yield "Command", f"<code>{escape(record.command)}</code>, asyncdemo {escape(record.asyncdemo)}"


def _load(setting: Setting) -> Iterator[str]:
    yield f"{setting.loop.value} loop"
    if setting.clients is not None:
        yield f"{setting.clients} clients"
    if setting.rate_per_s is not None:
        yield f"{number(setting.rate_per_s)} per s, {setting.arrivals or 'uniform'}"
    if setting.of_capacity is not None:
        yield f"{setting.of_capacity:.0%} of what the slowest can do"
    if setting.budget_ms is not None:
        yield f"the highest rate with a 99th percentile of at most {number(setting.budget_ms)} ms"
    if setting.duration_s is not None:
        yield f"{number(setting.duration_s)} s"
    if setting.warm_up_s is not None:
        yield f"warmed up for {number(setting.warm_up_s)} s"
    yield "connections kept" if setting.keep_alive else "a connection for each request"
    yield f"by {setting.tool}: {', '.join(setting.sends)}"
    yield from (f"{name} {value}" for name, value in setting.knobs.items())


def _machine(record: Record) -> Iterator[tuple[str, str]]:
    machine = record.environment
    yield "Processor", escape(f"{machine.processor}, {machine.cores} cores")
    yield "Memory", f"{machine.memory_bytes / 1e9:.1f} GB"
    yield "System", escape(f"{machine.system}; {machine.python}")
    named: tuple[tuple[str, Mapping[str, str]], ...] = (
        ("Packages", machine.packages),
        ("Programs", machine.programs),
        ("Kernel", machine.sysctls),
        ("CPUs", machine.pinning),
        ("Not there", machine.missing),
    )
    for title, values in named:
        yield title, escape(", ".join(f"{name} {value}" for name, value in values.items()))
    if machine.load_average is not None:
        yield "Load before", f"{machine.load_average:.2f}"


def _contestants(record: Record) -> str:
    return table(
        ("contestant", "model", "command", "to be known"),
        map(_contestant, record.arms),
        "Contestants",
        words=True,
    )


def _contestant(arm: Arm) -> tuple[str, ...]:
    commands = (f"<code>{escape(command)}</code>" for command in arm.commands.values())
    remarks = [
        f"not measured: {arm.unavailable}" if arm.unavailable else "",
        f"today: {arm.successor}" if arm.successor else "",
        ", ".join(f"{name} {version}" for name, version in arm.versions.items()),
        *arm.notes,
    ]
    return (
        escape(arm.title),
        arm.model.value,
        "<br>".join(commands),
        "<br>".join(map(escape, filter(None, remarks))),
    )


def _notes(record: Record) -> str:
    """What was flagged in single trials, and what else is to be known."""
    counts: Counter[FlagKind] = Counter(flag.kind for trial in record.trials for flag in trial.flags)
    flagged = (f"{kind.value} in {count} of {len(record.trials)} trials" for kind, count in counts.items())
    told = "".join(f"<li>{escape(words)}</li>" for words in (*flagged, *record.notes))
    return f"<ul>{told}</ul>" if told else ""


def _flags(flags: Iterable[Flag]) -> str:
    told = "".join(f"<li>{escape(flag.words)} {escape(flag.advice)}</li>" for flag in flags)
    return f'<ul class="measured-flags">{told}</ul>' if told else ""


def _flag(flag: Flag) -> str:
    return f'<br><small class="measured-flag">{escape(flag.words)} {escape(flag.advice)}</small>'


def _verdict(verdict: Verdict) -> str:
    kind = verdict.name.lower().replace("_", "-")
    return f'<span class="measure-tag measure-{kind}">{verdict.value}</span>'


def _with_words(figure: str, words: str) -> str:
    return "<br>".join(filter(None, (figure, f"<small>{escape(words)}</small>")))


def _interval(ratio: Ratio) -> str:
    return f"{_times(ratio.median)} [{_times(ratio.least)[:-1]}, {_times(ratio.most)[:-1]}]"


def _times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.1f}×"


def _details(title: str, inner: str) -> str:
    return f'<details class="measured-more"><summary>{title}</summary>{inner}</details>'
