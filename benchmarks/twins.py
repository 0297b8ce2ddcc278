"""A/A runs: a contestant against itself, through the lab's real protocol, again and again.

The two are equal, so of the intervals that the protocol gives almost all must hold 1; and how wide they are
says which differences it can see here. That depends on what a request is made of: computing takes as long as
the machine lets it at that moment, a wait as long as it was asked for. Not for: what any server can do
(``asyncdemo lab``).
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Experiment, Size
from asyncdemo.lab.harness.protocol.recording import twin_row
from asyncdemo.lab.harness.protocol.running import run
from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.ratio import Ratio
from asyncdemo.lab.results.setup import Arm, Extent, Loop, Model, Setting
from asyncdemo.lab.servers import PROGRAMS
from asyncdemo.load import Send
from benchmarks.processes import ROOT
from benchmarks.summary import Summary
from benchmarks.table import Bound, Row, Target

APP: Final = ROOT / "lessons" / "07-measurement" / "23-open-loop" / "apps" / "in_sanic.py"
_SHARE: Final = 0.9
"""36 of 40. The interval of seven rounds holds the true median with 98.4 %, so that is to be expected."""
_HALF_WIDTH: Final = 0.03
_TAKEN_OVER: Final = ("calibration", "visit")
"""What the first run finds out for all: its own part of a journal."""


CONDITIONS: Final = (
    Condition(
        Setting("computing", "hello world", Loop.CLOSED, (), clients=8, keep_alive=True),
        (Send("GET", "/"),),
        warm=False,
    ),
    Condition(
        Setting("waiting", "a wait of 20 ms", Loop.CLOSED, (), clients=8, keep_alive=True),
        (Send("GET", "/later"),),
        knobs={"delay_ms": 20},
        warm=False,
    ),
)


@dataclass(frozen=True, slots=True)
class Twin:
    """ratio: None if too much else was going on; why: in words, then."""

    number: int
    title: str
    ratio: Ratio | None
    why: str = ""

    @property
    def half_width(self) -> float | None:
        return None if self.ratio is None else (self.ratio.most - self.ratio.least) / 2

    @property
    def words(self) -> str:
        if self.ratio is None:
            return f"no interval: {self.why}"
        holds = "holds 1" if self.ratio.holds_one else "does not hold 1"
        return f"{self.ratio.median:.3f} [{self.ratio.least:.3f} to {self.ratio.most:.3f}] {holds}"


def measure_twins(
    folder: Path, runs: int, size: Size, most_s: float = float("inf"), keep: Path | None = None
) -> list[Row]:
    """keep: a file to which each run is added as a line of JSON. A Ctrl-C, or when no other run fits into
    most_s, ends it with what there is."""
    twins: list[Twin] = []
    start_s = time.monotonic()
    if keep is not None:
        keep.parent.mkdir(parents=True, exist_ok=True)
        keep.write_text("", encoding="utf-8")
    for number, found in enumerate(_runs(folder, runs, size, Bench()), start=1):
        twins += found
        each_s = (time.monotonic() - start_s) / number
        said = "; ".join(f"{twin.title} {twin.words}" for twin in found)
        left_s = each_s * (runs - number)
        print(f"  twins, run {number} of {runs}: {said}; {left_s:.0f} s left", file=sys.stderr, flush=True)
        if keep is not None:
            with keep.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(_kept(twin)) + "\n" for twin in found)
        if time.monotonic() - start_s + each_s > most_s:
            break
    return [
        row
        for condition in CONDITIONS
        for row in twin_rows([twin for twin in twins if twin.title == condition.setting.title])
    ]


def twin_rows(twins: list[Twin]) -> list[Row]:
    """Of one title. A run without an interval does not hold 1."""
    if not twins:
        return []
    held = [float(twin.ratio is not None and twin.ratio.holds_one) for twin in twins]
    widths = [twin.half_width for twin in twins if twin.half_width is not None]
    count, title = len(twins), twins[0].title
    rows = [
        Row(
            f"A/A, {title}: share of {count} runs whose interval holds 1",
            Summary(statistics.fmean(held), statistics.fmean(held), statistics.fmean(held), 1),
            lambda share: f"{round(share * count)} of {count}",
            Target(_SHARE, Bound.AT_LEAST),
        )
    ]
    if widths:
        rows.append(
            Row(
                f"A/A, {title}: half the width of an interval of seven rounds",
                Summary.of(widths),
                lambda width: f"{width:.2%}",
                Target(_HALF_WIDTH),
            )
        )
    return rows


def _kept(twin: Twin) -> dict[str, object]:
    pairs = None if twin.ratio is None else twin.ratio.pairs
    return {"run": twin.number, "title": twin.title, "pairs": pairs, "words": twin.words}


def _runs(folder: Path, runs: int, size: Size, bench: Bench) -> Iterator[list[Twin]]:
    first = folder / "twins-1.journal"
    for number in range(1, runs + 1):
        journal = folder / f"twins-{number}.journal"
        if number > 1:
            journal.write_text("\n".join(_known(first, number)) + "\n", encoding="utf-8")
        record = run(_experiment(size), Extent.DEFAULT, journal=journal, seed=number, bench=bench)
        if record.interrupted:
            return
        titles = {condition.setting.name: condition.setting.title for condition in CONDITIONS}
        yield [_twin(number, titles[row.setting], row) for row in record.comparisons]


def _known(first: Path, seed: int) -> Iterator[str]:
    """The beginning of a journal in which all is found out, and nothing measured."""
    header, *lines = first.read_text(encoding="utf-8").splitlines()
    yield json.dumps({**json.loads(header), "seed": seed})
    yield from (line for line in lines if json.loads(line).keys() <= set(_TAKEN_OVER))


def _twin(number: int, title: str, row: Comparison) -> Twin:
    reasons = ", ".join(flag.kind.value for flag in row.flags if flag.kind is not FlagKind.TWINS_DIFFER)
    return Twin(number, title, row.measured, reasons)


def _experiment(size: Size) -> Experiment:
    """Sanic, because it starts quickly. Of the first kind of work the protocol makes a row by itself."""
    arm = Arm("sanic", "Sanic", Model.COROUTINES, "Sanic", "Sanic's own")
    twin = replace(arm, name="again", title="Sanic, a second time", twin_of=arm.name)
    served = ServedApp("sanic", PROGRAMS["sanic"], APP)
    return Experiment(
        name="twins",
        title="A contestant against itself",
        contestants=(Contestant(arm, served), Contestant(twin, served)),
        conditions=CONDITIONS,
        rows=tuple(twin_row(twin, arm, condition.setting.name) for condition in CONDITIONS[1:]),
        sizes={Extent.DEFAULT: size},
    )
