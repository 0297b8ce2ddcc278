"""The words of a report, for all its views (terminal, plain, HTML)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from asyncdemo.lab.render.spectrum import Curve, percent_words, spectra
from asyncdemo.lab.results.audit import number
from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.lab.results.flags import RULES, Flag, Withdraws
from asyncdemo.lab.results.ratio import FEWEST, Ratio, Reproduction
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Arm, Setting
from asyncdemo.render.words import count, size

_BYTES: Final = {"B", "bytes"}
_COSTS: Final = {
    Withdraws.NOTHING: "",
    Withdraws.PERCENTILES: "So no percentile is quoted.",
    Withdraws.RANKING: "So nothing is ranked.",
    Withdraws.FIGURE: "So the figure is withdrawn.",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Rows on one axis: the same figure, in the same setting."""

    title: str
    better: str
    rows: tuple[Comparison, ...]


def groups(record: Record) -> list[Group]:
    """Return groups in the order of the record, without the equal arms (see ``twins``)."""
    found: dict[tuple[str, str], list[Comparison]] = {}
    for row in record.comparisons:
        if not is_twin(record, row):
            found.setdefault((row.setting, row.title), []).append(row)
    return [
        Group(f"{title}, {record.setting(setting).title}", f"{rows[0].better.value} is better", tuple(rows))
        for (setting, title), rows in found.items()
    ]


def is_twin(record: Record, row: Comparison) -> bool:
    """Return whether it compares an arm with itself (A/A), only for that. Not so if a figure is published."""
    return bool(record.arm(row.arm).twin_of) and row.published is None


def verdict_words(row: Comparison) -> str:
    if row.verdict is None:
        return ""
    if row.measured is None or not row.measured.rests_on_few:
        return row.verdict.value
    return f"{row.verdict.value}, in {count(len(row.measured.pairs), 'round')}"


def verdicts(record: Record) -> str:
    """Return, as a sentence, how many rows have which verdict, and how many of those from few rounds."""
    judged = [row for row in record.comparisons if row.verdict]
    if not judged:
        return "Nothing is published to compare with."
    counts = Counter(row.verdict for row in judged)
    tally = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Reproduction if counts[verdict])
    few = sum(row.measured is not None and row.measured.rests_on_few for row in judged)
    rest = f" {few} of them rest{'s' * (few == 1)} on fewer than {FEWEST} rounds." if few else ""
    return f"Of {count(len(judged), 'published ratio')}: {tally}.{rest}"


def run_words(record: Record) -> str:
    if record.interrupted:
        begun = len({trial.round for trial in record.trials})
        return f"{record.extent.value}, ended early: {begun} of {record.rounds} rounds"
    return f"{record.extent.value}, {count(record.rounds, 'round')}"


def times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    if ratio < 0.1:
        return f"{ratio:.2g}×"
    return f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.1f}×"


def interval(ratio: Ratio) -> str:
    return f"{times(ratio.median)} [{times(ratio.least)[:-1]}, {times(ratio.most)[:-1]}]"


def published(row: Comparison) -> str:
    """Return the published ratio, or that there is only a sentence or a chart; "" if there is nothing."""
    if row.published is None:
        return ""
    return times(row.published.ratio) or "in words"


def medians(row: Comparison) -> str:
    """Return both medians, in their unit. They are not comparable with those of another machine."""
    if row.arm_median is None or row.base_median is None:
        return ""
    if row.unit in _BYTES:
        return f"{size(round(row.arm_median))} and {size(round(row.base_median))}"
    return f"{number(row.arm_median)} and {number(row.base_median)} {row.unit}".rstrip()


def costs(flag: Flag) -> str:
    return _COSTS[flag.withdraws]


def flag_words(flag: Flag) -> str:
    return " ".join(filter(None, (flag.words, costs(flag), flag.advice)))


def twins(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the results of the equal arms: the smallest difference that this machine can detect."""
    for row in record.comparisons:
        if is_twin(record, row):
            title = f"{row.name}, {record.setting(row.setting).title}"
            words = interval(row.measured) if row.measured else "refused"
            yield title, ". ".join((words, *(flag.words.rstrip(".") for flag in row.flags)))


def not_there(record: Record) -> Iterator[tuple[str, str]]:
    """Yield contestants and programs that were unavailable, with what to use instead."""
    for arm in record.arms:
        if arm.unavailable:
            successor = f"Today you would use {arm.successor}." if arm.successor else ""
            yield arm.title, " ".join(filter(None, (f"{arm.unavailable.rstrip('.')}.", successor)))
    yield from record.environment.missing.items()


def remarks(record: Record) -> Iterator[str]:
    kinds = Counter(flag.kind for trial in record.trials for flag in trial.flags)
    for kind, many in kinds.items():
        yield f"{kind.value} in {many} of {len(record.trials)} trials: {RULES[kind].when}."
    for verification in record.verifications:
        if not verification.held:
            name = record.arm(verification.arm).title
            seen = f"{verification.asked} was asked for, {verification.seen} was seen"
            yield f"{name}, {verification.what}: {seen}."
    yield from record.notes


def method(record: Record) -> Iterator[tuple[str, str]]:
    yield "Run", f"{run_words(record)}, {record.started} to {record.ended}, order {record.order_seed}"
    coverages = {len(row.measured.pairs): row.measured.coverage for row in record.comparisons if row.measured}
    if coverages:
        yield (
            "Interval",
            "; ".join(
                f"of {count(rounds, 'round')}, which holds the median with {coverage:.1%}"
                for rounds, coverage in sorted(coverages.items(), reverse=True)
            ),
        )
    for setting in record.settings:
        yield setting.title, ", ".join(_load(setting))
    if record.verifications:
        held = sum(verification.held for verification in record.verifications)
        yield (
            "Verified",
            f"{held} of {len(record.verifications)} answers, effects and knobs were as asked for",
        )
    for calibration in record.calibrations:
        figures = "; ".join(f"{name}: {number(value)}" for name, value in calibration.figures.items())
        yield "Load client", f"{calibration.tool} against {calibration.against}: {figures}"
    if record.command:
        yield "Command", record.command
    yield "asyncdemo", record.asyncdemo


def machine(record: Record) -> Iterator[tuple[str, str]]:
    environment = record.environment
    yield "Processor", f"{environment.processor}, {environment.cores} cores"
    yield "Memory", f"{environment.memory_bytes / 1e9:.1f} GB"
    yield "System", f"{environment.system}; {environment.python}"
    named = {
        "Packages": environment.packages,
        "Programs": environment.programs,
        "Kernel": environment.sysctls,
        "CPUs": environment.pinning,
    }
    for title, values in named.items():
        if values:
            yield title, ", ".join(f"{name} {value}" for name, value in values.items())
    if environment.load_average is not None:
        yield "Load before", f"{environment.load_average:.2f}"


def commands(record: Record, arm: Arm) -> list[tuple[str, str]]:
    """Return (titles of the settings, or "" for all of them; the exact command), each command once."""
    titles: dict[str, list[str]] = {}
    for name, command in arm.commands.items():
        titles.setdefault(command, []).append("" if name == "*" else record.setting(name).title)
    return [("" if "" in having else "; ".join(having), command) for command, having in titles.items()]


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
    if setting.requests is not None:
        yield f"{setting.requests:,} requests"
    if setting.duration_s is not None:
        yield f"{number(setting.duration_s)} s"
    if setting.warm_up_s is not None:
        yield f"warmed up for {number(setting.warm_up_s)} s"
    yield "connections kept" if setting.keep_alive else "a connection for each request"
    yield f"by {setting.tool}: {', '.join(setting.sends)}"
    yield from (f"{name} {value}" for name, value in setting.knobs.items())


# -- below the rows -----------------------------------------------------------------------------------------

Block = tuple[str, list[tuple[str, str]]]


def blocks(record: Record) -> Iterator[Block]:
    """Yield the blocks that have content. A line without a term continues the one above it."""
    every: tuple[Block, ...] = (
        ("Equal arms (A/A): the ratio should be 1", [*twins(record)]),
        *percentile_blocks(record),
        ("Not available", [*not_there(record)]),
        ("How it was measured", [*method(record)]),
        ("The machine", [*machine(record)]),
        ("The contestants", [*_contestants(record)]),
        ("Notes", [("", words) for words in remarks(record)]),
    )
    return ((title, pairs) for title, pairs in every if pairs)


def _contestants(record: Record) -> Iterator[tuple[str, str]]:
    for arm in record.arms:
        if arm.twin_of:
            yield arm.title, f"the same as {record.arm(arm.twin_of).title}"
            continue
        versions = ", ".join(f"{name} {version}" for name, version in arm.versions.items())
        notes = (note.rstrip(".") for note in arm.notes)
        yield arm.title, "; ".join(filter(None, (arm.model.value, versions, *notes)))
        for settings, command in commands(record, arm):
            yield "", f"{settings}: {command}" if settings else command


def percentile_blocks(record: Record) -> Iterator[Block]:
    """Yield a title, and contestants with their figures, for each open loop; or why they are unavailable."""
    title = "Percentiles of latency"
    found, problem = spectra(record)
    if problem:
        yield title, [("", problem)]
    for spectrum in found:
        yield f"{title}, {spectrum.title}", [(curve.title, _words(curve)) for curve in spectrum.curves]


def _words(curve: Curve) -> str:
    if curve.overloaded:
        return f"overloaded, so no percentile is quoted; the most {number(curve.most_ms)} ms"
    quoted = "".join(f"{percent_words(percent)} {number(ms)} ms, " for percent, ms in curve.quoted)
    return f"{quoted}the most {number(curve.most_ms)} ms of {curve.answers:,} answers"
