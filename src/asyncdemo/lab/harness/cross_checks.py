"""Other load programs as engines, if they are on PATH: to see that ours agrees with them, labelled as theirs.

They are never what a figure rests on. wrk and ab know closed loops only; oha's latencies are from the
intended send when it is given a rate.
Not for: our own client (``engines``).
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

from asyncdemo.errors import AsyncdemoError, UsageError
from asyncdemo.lab.harness.engines import Engine, Measured, latencies_ms
from asyncdemo.lab.results.trial import Load
from asyncdemo.load import Plan

_POLL_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class Program:
    """A load program. command: for a plan; raises UsageError if it cannot do that."""

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
        """Without waiting for the process in the system's sense: so its CPU time can still be read."""
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
    """Of a process that has ended and was not waited for yet (Linux)."""
    import psutil  # only the lab's extra has it

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
    # -r: a connection that is reset is a failed request, not the end of all
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


# -- what they print ----------------------------------------------------------------------------------------

_MS: Final = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6}
_S: Final = {unit: ms / 1e3 for unit, ms in _MS.items()}


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
    """As these programs count, all the time is the window, and what failed was begun, too.

    answered: of any status. percents_ms: the greatest as 100. errors: kind -> how many.
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
    """``wrk --latency``. Its latency leaves connecting out."""
    count, wall = _find(text, r"(\d+) requests in (\S+?),", "wrk")
    (per_s,) = _find(text, r"Requests/sec:\s+(\S+)", "wrk")
    mean, _, most = _find(text, r"Latency\s+([\d.]+\w+)\s+(\S+)\s+([\d.]+\w+)", "wrk")
    percents = {
        float(percent): _units(value, _MS)
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
        _units(wall, _S),
        float(per_s),
        _units(mean, _MS),
        {**percents, 100.0: _units(most, _MS)},
        errors=_counts(errors),
    )


def read_ab(text: str) -> Measured:
    """Its percentiles are whole milliseconds."""
    (count,) = _find(text, r"Complete requests:\s+(\d+)", "ab")
    (wall_s,) = _find(text, r"Time taken for tests:\s+(\S+)", "ab")
    (per_s,) = _find(text, r"Requests per second:\s+(\S+)", "ab")
    least, mean = _find(text, r"Total:\s+(\d+)\s+(\d+)", "ab")
    percents = re.findall(r"^\s+(\d+)%\s+(\d+)", text, re.MULTILINE)
    errors = {"failed": str(_failed_by_ab(text))}
    if wrong := re.search(r"Non-2xx responses:\s+(\d+)", text):
        errors[_BAD_STATUS] = wrong[1]
    return _measured(
        max(0, int(count) - int(errors["failed"])),  # which are complete to it, too
        float(wall_s),
        float(per_s),
        float(mean),
        {float(percent): float(value) for percent, value in percents},
        float(least),
        errors=_counts(errors),
    )


def _failed_by_ab(text: str) -> int:
    """A connection that was reset is twice in its sum: as received in vain, and as an exception."""
    kinds = re.search(r"\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)", text)
    if kinds is None:
        told = re.search(r"Failed requests:\s+(\d+)", text)
        return int(told[1]) if told else 0
    *failed, exceptions = map(int, kinds.groups())
    return max(sum(failed), exceptions)


def read_oha(text: str) -> Measured:
    """``oha --output-format json``; seconds throughout."""
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
            # what is under way at the end of the time is let go, and is no fault of the server
            errors={
                kind: count
                for kind, count in values["errorDistribution"].items()
                if kind != "aborted due to deadline"
            },
        )
    except (ValueError, KeyError, TypeError) as error:
        raise AsyncdemoError(f"oha said something that is not understood: {error!r}") from error


def _find(text: str, pattern: str, program: str) -> tuple[str, ...]:
    found = re.search(pattern, text)
    if found is None:
        raise AsyncdemoError(f"{program} said something that is not understood: {text.strip()[-200:]}")
    return found.groups()


def _units(text: str, units: Mapping[str, float]) -> float:
    number, unit = _find(text, r"^([\d.]+)(us|ms|s|m|h)$", "wrk")
    return float(number) * units[unit]


def _counts(found: Mapping[str, str]) -> dict[str, int]:
    return {kind: int(count) for kind, count in found.items() if int(count)}


PROGRAMS: Final = (
    Program("wrk", _wrk, read_wrk),
    Program("ab", _ab, read_ab),
    Program("oha", _oha, read_oha),
)


def found_engines() -> tuple[Engine, ...]:
    return tuple(program for program in PROGRAMS if shutil.which(program.name) and hasattr(os, "waitid"))
