"""A/A runs: a contestant against itself, through the lab's real protocol, again and again.

The two are equal, so of the intervals that the protocol gives almost all must hold 1; and how wide they are
says which differences it can see here. Not for: what any server can do (``asyncdemo lab``).
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.lab.contestants import contestant
from asyncdemo.lab.experiment import Arm, Extent, Loop, Model, Setting
from asyncdemo.lab.flags import FlagKind
from asyncdemo.lab.protocol import Condition, Contender, Experiment, Size, run
from asyncdemo.lab.protocol.bench import Bench
from asyncdemo.lab.ratio import Ratio
from asyncdemo.lab.record import Record
from asyncdemo.lab.servers import PROGRAMS, App, Interface
from asyncdemo.load import Send
from benchmarks.processes import ROOT
from benchmarks.summary import Summary
from benchmarks.table import Bound, Row, Target

__all__ = ["Twin", "measure_twins", "twin_rows"]

APP: Final = ROOT / "lessons" / "07-measurement" / "23-open-loop" / "apps" / "in_sanic.py"
_SHARE: Final = 0.9
"""36 of 40. The interval of seven rounds holds the true median with 98.4 %, so that is to be expected."""
_HALF_WIDTH: Final = 0.03
_TAKEN_OVER: Final = ("calibration", "visit")
"""What the first run finds out for all: its own part of a journal."""


@dataclass(frozen=True, slots=True)
class Twin:
    """ratio: None if too much else was going on; why: in words, then."""

    number: int
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
    for twin in _twins(folder, runs, size, Bench()):
        twins.append(twin)
        held = sum(one.ratio is not None and one.ratio.holds_one for one in twins)
        each_s = (time.monotonic() - start_s) / len(twins)
        print(
            f"  twins, run {twin.number} of {runs}: {twin.words}; {held} of {len(twins)} hold 1, "
            f"{each_s * (runs - len(twins)):.0f} s left",
            file=sys.stderr,
            flush=True,
        )
        if keep is not None:
            with keep.open("a", encoding="utf-8") as file:
                pairs = None if twin.ratio is None else twin.ratio.pairs
                file.write(json.dumps({"run": twin.number, "pairs": pairs, "words": twin.words}) + "\n")
        if time.monotonic() - start_s + each_s > most_s:
            break
    return twin_rows(twins)


def twin_rows(twins: list[Twin]) -> list[Row]:
    """A run without an interval does not hold 1."""
    if not twins:
        return []
    held = [float(twin.ratio is not None and twin.ratio.holds_one) for twin in twins]
    widths = [twin.half_width for twin in twins if twin.half_width is not None]
    count = len(twins)
    rows = [
        Row(
            f"A/A: share of {count} runs whose interval holds 1",
            Summary(statistics.fmean(held), statistics.fmean(held), statistics.fmean(held), 1),
            lambda share: f"{round(share * count)} of {count}",
            Target(_SHARE, Bound.AT_LEAST),
        )
    ]
    if widths:
        rows.append(
            Row(
                "A/A: half the width of an interval of seven rounds",
                Summary.of(widths),
                lambda width: f"{width:.2%}",
                Target(_HALF_WIDTH),
            )
        )
    return rows


def _twins(folder: Path, runs: int, size: Size, bench: Bench) -> Iterator[Twin]:
    first = folder / "twins-1.journal"
    for number in range(1, runs + 1):
        journal = folder / f"twins-{number}.journal"
        if number > 1:
            journal.write_text("\n".join(_known(first, number)) + "\n", encoding="utf-8")
        record = run(_experiment(size), Extent.DEFAULT, journal=journal, seed=number, bench=bench)
        if record.interrupted:
            return
        yield _twin(number, record)


def _known(first: Path, seed: int) -> Iterator[str]:
    """The beginning of a journal in which all is found out, and nothing measured."""
    header, *lines = first.read_text(encoding="utf-8").splitlines()
    yield json.dumps({**json.loads(header), "seed": seed})
    yield from (line for line in lines if json.loads(line).keys() <= set(_TAKEN_OVER))


def _twin(number: int, record: Record) -> Twin:
    (row,) = record.comparisons
    reasons = ", ".join(flag.kind.value for flag in row.flags if flag.kind is not FlagKind.TWINS_DIFFER)
    return Twin(number, row.measured, reasons)


def _experiment(size: Size) -> Experiment:
    """Hello world in Sanic: it starts quickly, and what it can do varies little."""
    arm = Arm("sanic", "Sanic", Model.COROUTINES, "Sanic", "Sanic's own")
    served = contestant(PROGRAMS["sanic"], App(APP, Interface.SANIC), "sanic")
    setting = Setting("closed", "8 clients", Loop.CLOSED, (), clients=8, keep_alive=True)
    return Experiment(
        name="twins",
        title="A contestant against itself",
        contenders=(Contender(arm, served),),
        conditions=(Condition(setting, (Send("GET", "/"),), warm=False),),
        asked=(),
        sizes={Extent.DEFAULT: size},
        twin_of="sanic",
    )
