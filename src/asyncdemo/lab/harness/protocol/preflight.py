"""Before measuring: the load client against a server that does nothing, and one visit to each contestant
under each setting that needs it, with checks, and with a load if its capacity is needed.

Not here: the checks themselves (see ``asyncdemo.lab.harness.checks``, and the experiments).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from asyncdemo.lab.harness import NotStarted, PortKept
from asyncdemo.lab.harness.engines import OURS
from asyncdemo.lab.harness.protocol.attempts import looked, started_contestant, warmed_up
from asyncdemo.lab.harness.protocol.bench import Bench, Failed
from asyncdemo.lab.harness.protocol.description import Condition, Contestant, Scene, Size, When
from asyncdemo.lab.results.flags import Flag
from asyncdemo.lab.results.setup import Arm, Calibration, Loop, Model, Setting, Verification
from asyncdemo.lab.results.trial import Load
from asyncdemo.load import Send

NULL: Final = Arm("null", "A server that does nothing", Model.COROUTINES)
RATES: Final = (500, 2000)
"""Of the open loops, per second."""
_CLIENTS: Final = 50
_SENDS: Final = (Send("GET", "/"),)
_CLOSED: Final = Setting("closed", "", Loop.CLOSED, (), clients=_CLIENTS, keep_alive=True)


def calibrate(bench: Bench, size: Size, say: Callable[[str], None]) -> Calibration:
    """Raises NotStarted, Interrupted, or Failed if even that server answers nothing."""
    figures: dict[str, float] = {}
    condition = Condition(_CLOSED, _SENDS)
    say("start")
    with started_contestant(bench, Contestant(NULL, bench.null), condition) as started:
        scene = Scene(NULL, _CLOSED, started)

        def load(setting: Setting) -> Load:
            plan = bench.plan(condition, Condition(setting, _SENDS).described(size), started.port)
            if setting is _CLOSED:
                warmed_up(bench, plan, scene, size)
            say("measure")
            return bench.window(OURS, plan, scene).measured.load

        closed = load(_CLOSED)
        figures["requests_per_s"] = closed.throughput_per_s
        if closed.client_cpu_s:
            figures["requests_per_client_cpu_s"] = closed.answered / closed.client_cpu_s
        for rate in RATES:
            setting = Setting(f"open-{rate}", "", Loop.OPEN, (), rate_per_s=rate, keep_alive=True)
            opened = load(setting)
            figures |= {
                f"{name}, {rate} per s": value
                for name, value in (
                    ("latency_p50_ms", opened.latency_ms.get("50")),
                    ("latency_p99_ms", opened.latency_ms.get("99")),
                    ("lag_p99_ms", opened.lag_p99_ms),
                    ("client_busy", opened.client_busy),
                )
                if value is not None
            }
    return Calibration(OURS, NULL.title, figures)


_LOADED_S = 2.0
"""How long the load for the checks lasts if no capacity is needed."""


@dataclass(frozen=True, slots=True)
class Visit:
    """``capacity_per_s`` is set if it was needed. ``doubts`` would invalidate it as a figure. ``problem``
    prevented the checks. ``unavailable`` and ``successor`` are those of the arm.
    """

    arm: str
    setting: str
    verifications: tuple[Verification, ...] = ()
    capacity_per_s: float | None = None
    doubts: tuple[Flag, ...] = ()
    problem: str = ""
    unavailable: str = ""
    successor: str = ""


def visit(
    bench: Bench,
    contestant: Contestant,
    condition: Condition,
    setting: Setting,
    size: Size,
    needs_capacity: bool,
    say: Callable[[str], None],
) -> Visit:
    """Raises Interrupted and Unavailable."""
    found: list[Verification] = []
    arm = contestant.arm
    checks = condition.checks_of(arm)
    capacity: float | None = None
    doubts: tuple[Flag, ...] = ()
    problem = ""

    def look(when: When, scene: Scene) -> None:
        for check in checks:
            if check.when is when:
                seen = looked(check, scene)
                found.append(
                    Verification(arm.name, check.what, check.asked, seen.words, seen.held, setting.name)
                )

    try:
        say("start")
        with started_contestant(bench, contestant, condition) as started:
            scene = Scene(arm, setting, started)
            look(When.READY, scene)
            if needs_capacity or any(check.when is not When.READY for check in checks):
                plan = bench.plan(condition, setting, started.port)
                if needs_capacity:
                    say("warm up")
                    warmed_up(bench, plan, scene, size)
                elif plan.requests is None:
                    plan = replace(plan, duration_s=_LOADED_S)
                say("look")
                window = bench.window(setting.tool, plan, scene, meanwhile=lambda: look(When.LOADED, scene))
                look(When.AFTER, replace(scene, load=window.measured.load))
                if needs_capacity and (doubts := window.doubts(setting)):
                    # try again: the rate of all rounds follows from it
                    window = bench.window(setting.tool, plan, scene)
                    doubts = window.doubts(setting)
                capacity = window.measured.load.throughput_per_s if needs_capacity else None
    except (NotStarted, PortKept, Failed) as failure:
        problem = f"{failure.outcome.value}: {failure}"
        found.append(
            Verification(arm.name, "it can be looked at", "yes", problem, held=False, setting=setting.name)
        )
    return Visit(arm.name, setting.name, tuple(found), capacity, doubts, problem)
