"""Experiments that take seconds, a course that has their app, and the command with just these.

``python -m tests.support.brief_lab ARGUMENTS`` is ``asyncdemo ARGUMENTS``. The app lies in the course, so all
servers that a test started are known by its folder.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from asyncdemo.lab import experiments
from asyncdemo.lab.experiments import Entry, ExperimentContext
from asyncdemo.lab.harness.checks import answer_check
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Experiment, PlannedRow, Size
from asyncdemo.lab.harness.served_app import served_script
from asyncdemo.lab.results.comparison import THROUGHPUT, Bound, Published
from asyncdemo.lab.results.setup import Extent, Loop, Setting
from asyncdemo.load import Send
from tests.support.fake_lab import an_arm
from tests.support.small_course import make_course

_APP: Final = Path(__file__).resolve().parents[1] / "lab" / "scripts" / "serving.py"
_MINUTES: Final = {Extent.QUICK: 0.1, Extent.DEFAULT: 0.2, Extent.FULL: 0.3}


def _entry(name: str, title: str, opener: str, *lessons: str) -> Entry:
    return Entry(name, title, "tea", lessons, _MINUTES, opener=f"tests.support.{opener}")


ENTRIES: Final = (
    _entry("two-cups", "Two cups", "brief_lab:prepared", "tea"),
    _entry("broken-cups", "Broken cups", "failing_labs:failing_contestants", "coffee"),
    _entry("rare-tea", "Rare tea", "failing_labs:missing_package"),
    _entry("cold-cup", "A cup that stays cold", "failing_labs:never_ready"),
    _entry("spilt-tea", "Spilt tea", "failing_labs:port_kept"),
    _entry("empty-pot", "An empty pot", "failing_labs:database_died"),
)


def make_lab_course(folder: Path) -> Path:
    apps = make_course(folder) / "01-hot" / "01-tea" / "apps"
    apps.mkdir()
    shutil.copy(_APP, apps)
    return folder


def serving(apps: Path, name: str, ready_s: float = 20, **behaviour: int | float | str) -> Contestant:
    return Contestant(an_arm(name), served_script(name, apps / _APP.name, ready_s), behaviour)


def brief(name: str, title: str, rounds: int, *contestants: Contestant) -> Experiment:
    """Each is compared with the first, ten clients each."""
    first, *others = contestants
    setting = Setting("ten", "10 clients", Loop.CLOSED, (), clients=10, timeout_s=2, keep_alive=True)
    hello = answer_check(Send("GET", "/"), "hello", b"hello".__eq__, always=True)
    size = Size(rounds, 0.5, 0.2, 2)
    return Experiment(
        name,
        title,
        contestants,
        (Condition(setting, (Send("GET", "/"),), checks=(hello,), warm=False),),
        tuple(_row(one.arm.name, first.arm.name) for one in others),
        sizes=dict.fromkeys(Extent, size),
    )


def _row(arm: str, base: str) -> PlannedRow:
    return PlannedRow(
        name=f"{arm} / {base}",
        figure=THROUGHPUT,
        arm=arm,
        base=base,
        setting="ten",
        published=Published("200 / 100 per s", 2.0),
        bound=Bound(2.0, "10 clients / 5 ms against 10 clients / 10 ms"),
    )


@contextmanager
def prepared(context: ExperimentContext) -> Iterator[Experiment]:
    context.say("Washing the cups")
    slow = serving(context.apps, "slow", delays_ms=10)
    yield brief("two-cups", "Two cups", 2, slow, serving(context.apps, "quick", delays_ms=5))


def main() -> int:
    experiments.EXPERIMENTS = ENTRIES  # type: ignore[misc]
    from asyncdemo.cli import main as asyncdemo

    return asyncdemo(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
