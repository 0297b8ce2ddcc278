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

from asyncdemo.errors import AsyncdemoError, UsageError
from asyncdemo.lab.harness.engines import Engine, Measured, latencies_ms
from asyncdemo.lab.results.trial import Load
from asyncdemo.load import Plan

_POLL_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class Program:
    """A load program. ``command`` raises UsageError if the program cannot follow the plan."""

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
        cpu_s = _cpu_s(self._process.pid)
        code = self._process.wait()
        self._output.seek(0)
        said = self._output.read().decode(errors="replace")
        if code:
            last = said.strip().splitlines()[-1:] or ["nothing"]
            raise AsyncdemoError(f"{self._program.name} ended with exit code {code} and said: {last[0]}")
        measured = self._program.read(said)
        load = replace(
            measured.load,
            client_cpu_s=cpu_s,
            client_busy=None if cpu_s is None or not measured.load.wall_s else cpu_s / measured.load.wall_s,
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


def _cpu_s(pid: int) -> float | None:
    """Return the CPU time of a process that has ended but is not yet reaped (Linux)."""
    with contextlib.suppress(psutil.Error):  # another system
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return None


def _wrk(plan: Plan) -> list[str]:
    _check(plan, "wrk", needs="duration_s")
    send = _only_get(plan, "wrk")
    options = [f"-c{plan.clients}", "-t1", f"-d{max(1, round(plan.duration_s or 0))}", "--latency"]
    options.append(f"--timeout={max(1, round(plan.timeout_s))}")
    options += [] if plan.keep_alive else ["-H", "Connection: close"]
    return ["wrk", *options, _url(plan, send)]


def _ab(plan: Plan) -> list[str]:
    _check(plan, "ab", needs="")
    send = _only_get(plan, "ab")
    many = (
        [f"-n{plan.requests}"]
        if plan.requests is not None
        else [f"-t{round(plan.duration_s or 1)}", "-n99999999"]
    )
    # -r: a connection reset counts as a failed request and doesn't abort the run
    options = [f"-c{plan.clients}", *many, f"-s{max(1, round(plan.timeout_s))}", "-q", "-l", "-r"]
    return ["ab", *options, *(["-k"] if plan.keep_alive else []), _url(plan, send)]


def _oha(plan: Plan) -> list[str]:
    send = _only_get(plan, "oha")
    if plan.arrivals == "poisson":
        raise UsageError("oha has no Poisson arrivals; leave it out of this setting")
    lasts = [f"-n{plan.requests}"] if plan.requests is not None else [f"-z{plan.duration_s:g}s"]
    rate = ["-q", f"{plan.rate:g}", "--latency-correction"] if plan.rate is not None else []
    options = ["-c", str(plan.clients or 200), *lasts, *rate, "--output-format", "json", "--no-tui"]
    return ["oha", *options, *([] if plan.keep_alive else ["--disable-keepalive"]), _url(plan, send)]


def _check(plan: Plan, name: str, needs: str) -> None:
    if plan.clients is None:
        raise UsageError(f"{name} knows closed loops only; leave it out of this setting")
    if needs and getattr(plan, needs) is None:
        raise UsageError(f"{name} needs {needs} in the setting")


def _only_get(plan: Plan, name: str) -> str:
    first = plan.sends[0]
    if len(plan.sends) > 1 or first.method != "GET" or first.body or first.headers:
        raise UsageError(f"{name} is a cross-check of one plain GET; leave it out of this setting")
    return first.path


def _url(plan: Plan, path: str) -> str:
    return f"http://{plan.host}:{plan.port}{path}"


# -- parsing their output ----------------------------------------------------------------------------------

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
    failed = errors or {}
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
    count, wall = _find(text, r"(\d+) requests in (\S+?),", "wrk")
    (per_s,) = _find(text, r"Requests/sec:\s+(\S+)", "wrk")
    mean, _, most = _find(text, r"Latency\s+([\d.]+\w+)\s+(\S+)\s+([\d.]+\w+)", "wrk")
    percents = {
        float(percent): _ms(value)
        for percent, value in re.findall(r"^\s+([\d.]+)%\s+([\d.]+\w+)$", text, re.MULTILINE)
    }
    failed = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    errors = (
        dict(zip(("connect", "read", "write", "timeout"), failed.groups(), strict=True)) if failed else {}
    )
    if wrong := re.search(r"Non-2xx or 3xx responses: (\d+)", text):
        errors[_BAD_STATUS] = wrong[1]
    return _measured(
        int(count),
        _ms(wall) / 1000,
        float(per_s),
        _ms(mean),
        {**percents, 100.0: _ms(most)},
        errors=_counts(errors),
    )


def read_ab(text: str) -> Measured:
    """Parse the output of ab. Its percentiles are whole milliseconds."""
    (count,) = _find(text, r"Complete requests:\s+(\d+)", "ab")
    (wall_s,) = _find(text, r"Time taken for tests:\s+(\S+)", "ab")
    (per_s,) = _find(text, r"Requests per second:\s+(\S+)", "ab")
    least, mean = _find(text, r"Total:\s+(\d+)\s+(\d+)", "ab")
    percents = re.findall(r"^\s+(\d+)%\s+(\d+)", text, re.MULTILINE)
    errors = {"failed": str(_failed_by_ab(text))}
    if wrong := re.search(r"Non-2xx responses:\s+(\d+)", text):
        errors[_BAD_STATUS] = wrong[1]
    return _measured(
        max(0, int(count) - int(errors["failed"])),  # ab counts these as complete, too
        float(wall_s),
        float(per_s),
        float(mean),
        {float(percent): float(value) for percent, value in percents},
        float(least),
        errors=_counts(errors),
    )


def _failed_by_ab(text: str) -> int:
    """Count a connection reset only once: ab counts it both as a receive error and as an exception."""
    kinds = re.search(r"\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)", text)
    if kinds is None:
        told = re.search(r"Failed requests:\s+(\d+)", text)
        return int(told[1]) if told else 0
    *failed, exceptions = map(int, kinds.groups())
    return max(sum(failed), exceptions)


def read_oha(text: str) -> Measured:
    """Parse ``oha --output-format json``. All its times are in seconds."""
    try:
        values: Any = json.loads(text)
        summary = values["summary"]
        percents = {
            float(name[1:].replace("_", ".")): at_s * 1000
            for name, at_s in values["latencyPercentiles"].items()
            if at_s is not None
        }
        statuses = values["statusCodeDistribution"]
        return _measured(
            answered=sum(statuses.values()),
            wall_s=summary["total"],
            per_s=summary["requestsPerSec"],
            mean_ms=summary["average"] * 1000,
            percents_ms={**percents, 100.0: summary["slowest"] * 1000},
            least_ms=summary["fastest"] * 1000,
            statuses=statuses,
            # requests under way when the time is up are aborted, which is no fault of the server
            errors={
                kind: count
                for kind, count in values["errorDistribution"].items()
                if kind != "aborted due to deadline"
            },
        )
    except (ValueError, KeyError, TypeError) as error:
        raise AsyncdemoError(f"oha printed something unexpected: {error!r}") from error


def _find(text: str, pattern: str, program: str) -> tuple[str, ...]:
    found = re.search(pattern, text)
    if found is None:
        raise AsyncdemoError(f"{program} printed something unexpected: {text.strip()[-200:]}")
    return found.groups()


def _ms(text: str) -> float:
    number, unit = _find(text, r"^([\d.]+)(us|ms|s|m|h)$", "wrk")
    return float(number) * _MS[unit]


def _counts(found: Mapping[str, str]) -> dict[str, int]:
    return {kind: int(count) for kind, count in found.items() if int(count)}


PROGRAMS: Final = (
    Program("wrk", _wrk, read_wrk),
    Program("ab", _ab, read_ab),
    Program("oha", _oha, read_oha),
)


def found_engines() -> tuple[Engine, ...]:
    return tuple(program for program in PROGRAMS if shutil.which(program.name) and hasattr(os, "waitid"))
