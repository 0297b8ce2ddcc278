"""Other load programs as engines, if they are on PATH: to see that ours agrees with them, labelled as theirs.

They are never what a figure rests on. wrk and ab know closed loops only; oha's latencies are from the
intended send when it is given a rate.
Not for: our own client (``engines``).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Final, Self

from asyncdemo.errors import AsyncdemoError, UsageError
from asyncdemo.lab.harness.engines import Engine, Measured
from asyncdemo.lab.harness.load_reports import read_ab, read_oha, read_wrk
from asyncdemo.load import Plan

__all__ = ["PROGRAMS", "Program", "found_engines"]

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


PROGRAMS: Final = (
    Program("wrk", _wrk, read_wrk),
    Program("ab", _ab, read_ab),
    Program("oha", _oha, read_oha),
)


def found_engines() -> tuple[Engine, ...]:
    return tuple(program for program in PROGRAMS if shutil.which(program.name) and hasattr(os, "waitid"))
