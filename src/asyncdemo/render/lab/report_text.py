"""What a report says of a record, as words: every view of it (terminal, plain, HTML) has them from here.

Not for: how they are laid out, or the histograms (``spectrum``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from asyncdemo.lab.results.audit import number
from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.lab.results.flags import RULES, Flag, FlagKind, Withdraws
from asyncdemo.lab.results.ratio import FEWEST, Ratio, Verdict
from asyncdemo.lab.results.record import Record
from asyncdemo.lab.results.setup import Arm, Setting
from asyncdemo.render.words import size

_BYTES: Final = {"B", "bytes"}
_COSTS: Final = {
    Withdraws.NOTHING: "",
    Withdraws.PERCENTILES: "So no percentile is quoted.",
    Withdraws.RANKING: "So nothing is ranked.",
    Withdraws.FIGURE: "So the figure is withdrawn.",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that stand on one axis: the same figure, under the same setting."""

    title: str
    better: str
    rows: tuple[Comparison, ...]


def groups(record: Record) -> list[Group]:
    """In the order of the record; the equal arms are told apart from them (``twins``)."""
    found: dict[tuple[str, str], list[Comparison]] = {}
    for row in record.comparisons:
        if not is_twin(record, row):
            found.setdefault((row.setting, row.title), []).append(row)
    return [
        Group(f"{title}, {record.setting(setting).title}", f"{rows[0].better.value} is better", tuple(rows))
        for (setting, title), rows in found.items()
    ]


def is_twin(record: Record, row: Comparison) -> bool:
    """Whether it compares an arm with itself, only to see that (A/A): what is published has its row."""
    return bool(record.arm(row.arm).twin_of) and row.published is None


def verdict_words(row: Comparison) -> str:
    """With the number of its rounds, if they are few; "" if nothing is published."""
    if row.verdict is None:
        return ""
    if row.measured is None or not row.measured.rests_on_few:
        return row.verdict.value
    return f"{row.verdict.value}, in {_rounds(len(row.measured.pairs))}"


def verdicts(record: Record) -> str:
    """How many rows came to which verdict, as a sentence; and how many of them to one from few rounds."""
    judged = [row for row in record.comparisons if row.verdict]
    if not judged:
        return "Nothing is published to compare with."
    counts = Counter(row.verdict for row in judged)
    told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    few = sum(row.measured is not None and row.measured.rests_on_few for row in judged)
    rest = f" {few} of them rest{'s' * (few == 1)} on fewer than {FEWEST} rounds." if few else ""
    return f"Of {len(judged)} published ratio{'s' * (len(judged) != 1)}: {told}.{rest}"


def run_words(record: Record) -> str:
    """Its extent and rounds; that it was ended early, if it was."""
    if record.interrupted:
        begun = len({trial.round for trial in record.trials})
        return f"{record.extent.value}, ended early: {begun} of {record.rounds} rounds"
    return f"{record.extent.value}, {_rounds(record.rounds)}"


def _rounds(count: int) -> str:
    return f"{count} round{'s' * (count != 1)}"


def times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    if ratio < 0.1:
        return f"{ratio:.2g}×"
    return f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.1f}×"


def interval(ratio: Ratio) -> str:
    return f"{times(ratio.median)} [{times(ratio.least)[:-1]}, {times(ratio.most)[:-1]}]"


def published(row: Comparison) -> str:
    """The ratio, or that there is only a sentence or a chart; "" if there is nothing."""
    if row.published is None:
        return ""
    return times(row.published.ratio) or "in words"


def medians(row: Comparison) -> str:
    """Of both sides, in their unit: of this machine, and not to be compared with those of another."""
    if row.arm_median is None or row.base_median is None:
        return ""
    if row.unit in _BYTES:
        return f"{size(round(row.arm_median))} and {size(round(row.base_median))}"
    return f"{number(row.arm_median)} and {number(row.base_median)} {row.unit}".rstrip()


def costs(flag: Flag) -> str:
    """What it withdraws, as a sentence; "" if it is nothing."""
    return _COSTS[RULES[flag.kind].withdraws]


def flag_words(flag: Flag) -> str:
    """What happened, what it costs, and what to do."""
    return " ".join(filter(None, (flag.words, costs(flag), flag.advice)))


def twins(record: Record) -> Iterator[tuple[str, str]]:
    """What the equal arms came to: how far this machine can tell two things apart."""
    for row in record.comparisons:
        if is_twin(record, row):
            title = f"{row.name}, {record.setting(row.setting).title}"
            words = interval(row.measured) if row.measured else "refused"
            yield title, ". ".join((words, *(flag.words.rstrip(".") for flag in row.flags)))


def not_there(record: Record) -> Iterator[tuple[str, str]]:
    """Contestants and programs that were not to be had, with what one takes instead."""
    for arm in record.arms:
        if arm.unavailable:
            successor = f"Today one would take {arm.successor}." if arm.successor else ""
            yield arm.title, " ".join(filter(None, (f"{arm.unavailable.rstrip('.')}.", successor)))
    yield from record.environment.missing.items()


def remarks(record: Record) -> Iterator[str]:
    """What was flagged in single trials, and what else is to be known."""
    counts: Counter[FlagKind] = Counter(flag.kind for trial in record.trials for flag in trial.flags)
    for kind, count in counts.items():
        yield f"{kind.value} in {count} of {len(record.trials)} trials: {RULES[kind].when}."
    for verification in record.verifications:
        if not verification.held:
            name = record.arm(verification.arm).title
            seen = f"{verification.asked} was asked for, {verification.seen} was seen"
            yield f"{name}, {verification.what}: {seen}."
    yield from record.notes


def method(record: Record) -> Iterator[tuple[str, str]]:
    """How it was measured, in terms with their words."""
    yield "Run", f"{run_words(record)}, {record.started} to {record.ended}, order {record.order_seed}"
    coverages = {len(row.measured.pairs): row.measured.coverage for row in record.comparisons if row.measured}
    if coverages:
        yield "Interval", "; ".join(_covers(*each) for each in sorted(coverages.items(), reverse=True))
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


def _covers(rounds: int, coverage: float) -> str:
    return f"of {_rounds(rounds)}, which holds the median with {coverage:.1%}"


def machine(record: Record) -> Iterator[tuple[str, str]]:
    environment = record.environment
    yield "Processor", f"{environment.processor}, {environment.cores} cores"
    yield "Memory", f"{environment.memory_bytes / 1e9:.1f} GB"
    yield "System", f"{environment.system}; {environment.python}"
    named: tuple[tuple[str, Mapping[str, str]], ...] = (
        ("Packages", environment.packages),
        ("Programs", environment.programs),
        ("Kernel", environment.sysctls),
        ("CPUs", environment.pinning),
    )
    for title, values in named:
        if values:
            yield title, ", ".join(f"{name} {value}" for name, value in values.items())
    if environment.load_average is not None:
        yield "Load before", f"{environment.load_average:.2f}"


def commands(record: Record, arm: Arm) -> list[tuple[str, str]]:
    """(the settings' titles, "" for all of them; the exact command): the same one once."""
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
