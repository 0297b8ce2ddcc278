"""The load client against a server that does nothing: what it can send at most, and how late it is.

Not for: judging a trial by it (``validity_checks`` looks at the client in the trial itself).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from asyncdemo.lab.harness.engines import OURS
from asyncdemo.lab.harness.protocol.attempts import started_contestant, warmed_up
from asyncdemo.lab.harness.protocol.bench import Bench, plan_of
from asyncdemo.lab.harness.protocol.description import Condition, Contender, Scene, Size
from asyncdemo.lab.results.setup import Arm, Calibration, Loop, Model, Setting
from asyncdemo.lab.results.trial import Load
from asyncdemo.load import Send

__all__ = ["NULL", "RATES", "calibrate"]

NULL: Final = Arm("null", "A server that does nothing", Model.COROUTINES)
RATES: Final = (500, 2000)
"""Per second, of the open loops."""
_CLIENTS: Final = 50
_SENDS: Final = (Send("GET", "/"),)
_CLOSED: Final = Setting("closed", "", Loop.CLOSED, (), clients=_CLIENTS, keep_alive=True)


def calibrate(bench: Bench, size: Size, say: Callable[[str], None]) -> Calibration:
    """Raises NotStarted, Interrupted, and Failed if even that server answers nothing."""
    figures: dict[str, float] = {}
    condition = Condition(_CLOSED, _SENDS)
    say("start")
    with started_contestant(bench, Contender(NULL, bench.null), condition) as started:
        scene = Scene(NULL, _CLOSED, started)

        def load(setting: Setting) -> Load:
            plan = plan_of(condition, Condition(setting, _SENDS).described(size), started.port, cpus=cpus)
            if setting is _CLOSED:
                warmed_up(bench, plan, scene, size)
            say("measure")
            return bench.window(OURS, plan, scene).measured.load

        cpus = bench.pinning.client
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
