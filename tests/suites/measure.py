"""A separate program, run by the suite's Python: runs a module, plain or under the tracer.

``measure.py plain|traced LIMIT_S REPORT PACKAGES MODULE ARGS``: writes how it ended and what it used.
It also runs in environments without the tracer's dependencies, so PACKAGES is a folder that has them.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

_SRC = Path(__file__).parents[2] / "src"


def _plain(limit_s: float, command: list[str]) -> dict[str, object]:
    with subprocess.Popen([sys.executable, "-m", *command], start_new_session=True) as process:
        try:
            return {"exit_code": process.wait(limit_s)}
        except subprocess.TimeoutExpired:
            return {"exit_code": None}
        finally:
            with contextlib.suppress(ProcessLookupError):  # it left nobody behind
                os.killpg(process.pid, signal.SIGKILL)


def _traced(limit_s: float, packages: str, command: list[str]) -> dict[str, object]:
    sys.path[0] = os.fspath(_SRC)
    sys.path.append(packages)  # of this process, not of the traced one
    from asyncdemo.recording.runner import Options, Target, record

    run = record(Target(None, command[0], tuple(command[1:])), Options(timeout_s=limit_s))
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "exit_code": run.exit_code,
        "notes": list(run.notes),
        "recorder_cpu_s": used.ru_utime + used.ru_stime,
        "recorder_kib": used.ru_maxrss,
    }


def main() -> None:
    how, limit, report, packages, *command = sys.argv[1:]
    limit_s = float(limit)
    ended = _traced(limit_s, packages, command) if how == "traced" else _plain(limit_s, command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures = {"cpu_s": used.ru_utime + used.ru_stime, "kib": used.ru_maxrss}
    Path(report).write_text(json.dumps(ended | figures), encoding="utf-8")


if __name__ == "__main__":
    main()
