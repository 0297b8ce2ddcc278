"""Other load programs as engines, if they are on PATH: a cross-check of our client, labelled with their
names.

No figure is based on them. wrk and ab can only do closed loops; given a rate, oha measures latency from the
intended send.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import psutil

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness.engines import Engine, Measured, latencies_ms
from asyncdemo.lab.results.trial import Load
from asyncdemo.load import Plan, Send

_POLL_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class Program:
    """A load program. A plan that it cannot follow fails an assertion: it would measure something else."""

    name: str
    command: Callable[[Plan], list[str]]
    read: Callable[[str], Measured]

    def prepared(self, plan: Plan) -> AbstractContextManager[ProgramSending]:
        return ProgramSending(self, plan)


class ProgramSending:
    def __init__(self, program: Program, plan: Plan) -> None:
        self._program, self._plan = program, plan
        self._command = program.command(plan)
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
            raise AsyncdemoError(f"{self._program.name} ended with exit code {code} and said: {last[0]}")
        try:
            measured = self._program.read(said)
        except (ValueError, KeyError, TypeError) as error:
            words = f"{self._program.name} printed something unexpected: {said.strip()[-200:]}"
            raise AsyncdemoError(words) from error
        wall_s = measured.load.wall_s
        load = replace(
            measured.load,
            client_cpu_s=cpu_s,
            client_busy=None if cpu_s is None or not wall_s else cpu_s / wall_s,
            engine=self._program.name,
            command=" ".join(self._command).replace(f":{self._plan.port}", ":PORT"),
        )
        return replace(measured, load=load)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._output.close()


# -- their commands ----------------------------------------------------------------------------------------


def _wrk(plan: Plan) -> list[str]:
    assert plan.clients is not None and plan.duration_s is not None
    options = [f"-c{plan.clients}", "-t1", f"-d{max(1, round(plan.duration_s))}", "--latency"]
    options.append(f"--timeout={max(1, round(plan.timeout_s))}")
    options += [] if plan.keep_alive else ["-H", "Connection: close"]
    return ["wrk", *options, _url(plan)]


def _ab(plan: Plan) -> list[str]:
    assert plan.clients is not None
    lasts = [f"-t{round(plan.duration_s or 1)}", "-n99999999"]
    many = lasts if plan.requests is None else [f"-n{plan.requests}"]
    # -r: a connection reset counts as a failed request and doesn't abort the run
    options = [f"-c{plan.clients}", *many, f"-s{max(1, round(plan.timeout_s))}", "-q", "-l", "-r"]
    return ["ab", *options, *(["-k"] if plan.keep_alive else []), _url(plan)]


def _oha(plan: Plan) -> list[str]:
    assert plan.arrivals != "poisson"
    lasts = f"-z{plan.duration_s:g}s" if plan.requests is None else f"-n{plan.requests}"
    rate = ["-q", f"{plan.rate:g}", "--latency-correction"] if plan.rate is not None else []
    options = ["-c", str(plan.clients or 200), lasts, *rate, "--output-format", "json", "--no-tui"]
    return ["oha", *options, *([] if plan.keep_alive else ["--disable-keepalive"]), _url(plan)]


def _url(plan: Plan) -> str:
    (send,) = plan.sends
    assert send == Send("GET", send.path)
    return f"http://{plan.host}:{plan.port}{send.path}"


# -- parsing their output; anything unexpected is a ValueError, KeyError or TypeError ------------------------

_MS: Final = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6}
_BAD_STATUS: Final = "status not 2xx or 3xx"


def _measured(
    answered: int,
    wall_s: float,
    per_s: float,
    mean_ms: float,
    percents_ms: Mapping[float, float],
    least_ms: float | None = None,
    statuses: Mapping[str, int] | None = None,
    errors: Mapping[str, int] | None = None,
) -> Measured:
    """Count as these programs do: the window is the whole time, and failed requests count as requests.

    ``answered`` includes any status. ``percents_ms`` has the maximum as 100. ``errors`` is kind -> count.
    """
    failed = {kind: count for kind, count in (errors or {}).items() if count}
    latencies = latencies_ms(answered, mean_ms, least_ms or 0.0, percents_ms)
    if least_ms is None:
        latencies.pop("0", None)
    load = Load(
        requests=answered + sum(failed.values()) - failed.get(_BAD_STATUS, 0),
        answered=answered,
        wall_s=wall_s,
        window_s=wall_s,
        answered_in_window=answered,
        throughput_per_s=per_s,
        statuses=statuses or {},
        errors=failed,
        latency_ms=latencies,
    )
    return Measured(load, p99_ms=percents_ms.get(99.0))


def read_wrk(text: str) -> Measured:
    """Parse ``wrk --latency``. Its latency excludes connecting."""
    count, wall = _find(text, r"(\d+) requests in (\S+?),")
    (per_s,) = _find(text, r"Requests/sec:\s+(\S+)")
    mean, _, most = _find(text, r"Latency\s+([\d.]+\w+)\s+(\S+)\s+([\d.]+\w+)")
    percents = re.findall(r"^\s+([\d.]+)%\s+([\d.]+\w+)$", text, re.MULTILINE)
    kinds = ("connect", "read", "write", "timeout")
    failed = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    return _measured(
        int(count),
        _ms(wall) / 1000,
        float(per_s),
        _ms(mean),
        {**{float(percent): _ms(value) for percent, value in percents}, 100.0: _ms(most)},
        errors={
            **(dict(zip(kinds, map(int, failed.groups()), strict=True)) if failed else {}),
            _BAD_STATUS: _count(text, r"Non-2xx or 3xx responses: (\d+)"),
        },
    )


def read_ab(text: str) -> Measured:
    """Parse the output of ab. Its percentiles are whole milliseconds."""
    (count,) = _find(text, r"Complete requests:\s+(\d+)")
    (wall_s,) = _find(text, r"Time taken for tests:\s+(\S+)")
    (per_s,) = _find(text, r"Requests per second:\s+(\S+)")
    least, mean = _find(text, r"Total:\s+(\d+)\s+(\d+)")
    failed = _count(text, r"Failed requests:\s+(\d+)")
    if kinds := re.search(r"\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)", text):
        *others, exceptions = map(int, kinds.groups())
        failed = max(sum(others), exceptions)  # a connection reset is both a receive error and an exception
    return _measured(
        max(0, int(count) - failed),  # ab counts these as complete, too
        float(wall_s),
        float(per_s),
        float(mean),
        {float(at): float(ms) for at, ms in re.findall(r"^\s+(\d+)%\s+(\d+)", text, re.MULTILINE)},
        float(least),
        errors={"failed": failed, _BAD_STATUS: _count(text, r"Non-2xx responses:\s+(\d+)")},
    )


def read_oha(text: str) -> Measured:
    """Parse ``oha --output-format json``. All its times are in seconds."""
    values: Any = json.loads(text)
    summary, statuses = values["summary"], values["statusCodeDistribution"]
    percents = {
        float(name[1:].replace("_", ".")): at_s * 1000
        for name, at_s in values["latencyPercentiles"].items()
        if at_s is not None
    }
    errors = values["errorDistribution"]
    # requests under way when the time is up are aborted, which is no fault of the server
    errors.pop("aborted due to deadline", None)
    return _measured(
        answered=sum(statuses.values()),
        wall_s=summary["total"],
        per_s=summary["requestsPerSec"],
        mean_ms=summary["average"] * 1000,
        percents_ms={**percents, 100.0: summary["slowest"] * 1000},
        least_ms=summary["fastest"] * 1000,
        statuses=statuses,
        errors=errors,
    )


def _find(text: str, pattern: str) -> tuple[str, ...]:
    if (found := re.search(pattern, text)) is None:
        raise ValueError(pattern)
    return found.groups()


def _count(text: str, pattern: str) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def _ms(text: str) -> float:
    number, unit = _find(text, r"^([\d.]+)(us|ms|s|m|h)$")
    return float(number) * _MS[unit]


PROGRAMS: Final = (
    Program("wrk", _wrk, read_wrk),
    Program("ab", _ab, read_ab),
    Program("oha", _oha, read_oha),
)


def found_engines() -> tuple[Engine, ...]:
    return tuple(program for program in PROGRAMS if shutil.which(program.name) and hasattr(os, "waitid"))
