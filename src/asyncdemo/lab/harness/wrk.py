"""wrk as an engine, if it is on PATH: a cross-check of our client, labelled with its name.

No figure is based on it. It can only do closed loops.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from typing import Final, Self

import psutil

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness.engines import Measured, latencies_ms
from asyncdemo.lab.results.trial import Load
from asyncdemo.load import Plan, Send

_POLL_S: Final = 0.01
_MS: Final = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6}
_FAILURES: Final = ("connect", "read", "write", "timeout")
"""In the order in which wrk prints them."""
_BAD_STATUS: Final = "status not 2xx or 3xx"


def is_installed() -> bool:
    return shutil.which(Wrk.name) is not None and hasattr(os, "waitid")


class Wrk:
    """An ``Engine``. A plan that wrk cannot follow fails an assertion: it would measure something else."""

    name: Final = "wrk"

    def prepared(self, plan: Plan) -> WrkSending:
        return WrkSending(plan)


class WrkSending:
    def __init__(self, plan: Plan) -> None:
        self._plan, self._command = plan, command(plan)
        self._process: subprocess.Popen[bytes] | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed at the end)

    @property
    def pids(self) -> tuple[int, ...]:
        return () if self._process is None else (self._process.pid,)

    def go(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        if self._plan.cpus:
            with contextlib.suppress(OSError):  # it has ended already
                os.sched_setaffinity(self._process.pid, self._plan.cpus)

    def finished(self, within_s: float) -> bool:
        """Leave the process unreaped, so that its CPU time can still be read."""
        assert self._process is not None
        deadline_s = time.monotonic() + within_s
        while os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= deadline_s:
                return False
            time.sleep(_POLL_S)
        return True

    def measured(self) -> Measured:
        assert self._process is not None
        cpu_s = None
        with contextlib.suppress(psutil.Error):  # only Linux tells that of a process that has ended
            times = psutil.Process(self._process.pid).cpu_times()
            cpu_s = float(times.user + times.system)
        code = self._process.wait()
        self._output.seek(0)
        said = self._output.read().decode(errors="replace")
        if code:
            last = said.strip().splitlines()[-1:] or ["nothing"]
            raise AsyncdemoError(f"wrk ended with exit code {code} and said: {last[0]}")
        shown = " ".join(self._command).replace(f":{self._plan.port}", ":PORT")
        try:
            return read_output(said, shown, cpu_s)
        except ValueError as error:
            raise AsyncdemoError(f"wrk printed something unexpected: {said.strip()[-200:]}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._output.close()


def command(plan: Plan) -> list[str]:
    assert plan.clients is not None and plan.duration_s is not None
    (send,) = plan.sends
    assert send == Send("GET", send.path)
    options = [f"-c{plan.clients}", "-t1", f"-d{max(1, round(plan.duration_s))}", "--latency"]
    options.append(f"--timeout={max(1, round(plan.timeout_s))}")
    options += [] if plan.keep_alive else ["-H", "Connection: close"]
    return [Wrk.name, *options, f"http://{plan.host}:{plan.port}{send.path}"]


def read_output(text: str, shown_command: str = "", cpu_s: float | None = None) -> Measured:
    """Parse ``wrk --latency``, whose latency excludes connecting. Raises ValueError for anything else.

    The window is the whole time, and failed requests count as requests.
    """
    count, wall = _find(text, r"(\d+) requests in (\S+?),")
    (per_s,) = _find(text, r"Requests/sec:\s+(\S+)")
    mean, _, most = _find(text, r"Latency\s+([\d.]+\w+)\s+(\S+)\s+([\d.]+\w+)")
    shown = re.findall(r"^\s+([\d.]+)%\s+([\d.]+\w+)$", text, re.MULTILINE)
    percents_ms = {**{float(percent): _ms(value) for percent, value in shown}, 100.0: _ms(most)}
    numbers = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    failed = dict(zip(_FAILURES, map(int, numbers.groups()), strict=True)) if numbers else {}
    statuses = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    errors = {**failed, _BAD_STATUS: int(statuses[1]) if statuses else 0}
    answered, wall_s = int(count), _ms(wall) / 1000
    latencies = latencies_ms(answered, _ms(mean), 0.0, percents_ms)
    latencies.pop("0", None)  # wrk does not say the minimum
    load = Load(
        requests=answered + sum(failed.values()),
        answered=answered,
        wall_s=wall_s,
        window_s=wall_s,
        answered_in_window=answered,
        throughput_per_s=float(per_s),
        statuses={},
        errors={kind: number for kind, number in errors.items() if number},
        latency_ms=latencies,
        client_cpu_s=cpu_s,
        client_busy=None if cpu_s is None or not wall_s else cpu_s / wall_s,
        engine=Wrk.name,
        command=shown_command,
    )
    return Measured(load, p99_ms=percents_ms.get(99.0))


def _find(text: str, pattern: str) -> tuple[str, ...]:
    if (found := re.search(pattern, text)) is None:
        raise ValueError(pattern)
    return found.groups()


def _ms(text: str) -> float:
    number, unit = _find(text, r"^([\d.]+)(us|ms|s|m|h)$")
    return float(number) * _MS[unit]
