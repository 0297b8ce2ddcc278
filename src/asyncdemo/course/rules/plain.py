"""Scripts of a lesson under plain Python: each ends as intended, or serves every request once."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from asyncdemo.course.content.lesson import Variant
from asyncdemo.course.content.load import Load, Sending
from asyncdemo.course.rules.lesson_source import Fault, LessonSource, Rule
from asyncdemo.packages import missing_packages
from asyncdemo.serving.ports import HOST, free_port
from asyncdemo.serving.readiness import Probe

TIMEOUT_S: Final = 60.0
HANGS_S: Final = 10.0
"""For scripts that are meant to hang: longer than any other takes."""
_READY_S: Final = 30.0
_ANSWER_S: Final = 30.0
_FIRST_ERROR: Final = 400


@dataclass(frozen=True, slots=True)
class Ending:
    """How a script ended. ``outcome`` is "ok", "failed" or "timeout"."""

    outcome: str
    stdout: str
    stderr: str

    @property
    def last_words(self) -> str:
        return (self.stderr.strip().splitlines() or [""])[-1]


def plain_runs(source: LessonSource) -> Iterator[Fault]:
    """Check that each variant is plain Python: without asyncdemo, it ends and warns only as intended."""
    lesson = source.lesson
    if missing_packages(name.partition("[")[0] for name in lesson.packages):
        return  # `ends` reports it
    with source.services(lesson.services) as services:
        environment = {} if services is None else services.environment
        for variant in lesson.variants:
            if services is not None:
                services.reset()
            if lesson.load is not None:
                yield from faults_of_server(variant.path, lesson.load, environment)
            else:
                yield from _faults_of_script(variant, environment)


def _faults_of_script(variant: Variant, environment: Mapping[str, str]) -> Iterator[Fault]:
    done = ending(variant.path, HANGS_S if variant.expect == "timeout" else TIMEOUT_S, environment)
    if done.outcome != variant.expect:
        message = f"under plain Python it ends as {done.outcome!r}, not {variant.expect!r}"
        yield Fault(f"{message}: {done.last_words}".rstrip(": "), variant.path)
        return
    if variant.warns and variant.warns not in done.stderr:
        yield Fault(f"does not warn about {variant.warns!r} on standard error", variant.path)
    if not variant.warns and variant.expect == "ok" and done.stderr:
        yield Fault(f"writes on standard error: {done.last_words}", variant.path)
    if variant.expect == "ok" and not done.stdout:
        yield Fault("prints nothing: a learner who runs it alone sees nothing", variant.path)


def ending(script: Path, timeout_s: float, environment: Mapping[str, str] | None = None) -> Ending:
    """Run a script under plain Python, with warnings as errors, and end all that it started.

    ``environment`` is added to ours.
    """
    process = _started(script, "error", environment or {}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        try:
            stdout, stderr = process.communicate(timeout=timeout_s)
            outcome = "failed" if process.returncode else "ok"
            _end_group(process)
        except subprocess.TimeoutExpired:
            _end_group(process)
            stdout, stderr = process.communicate()
            outcome = "timeout"
    return Ending(outcome, stdout, stderr)


def faults_of_server(script: Path, load: Load, environment: Mapping[str, str]) -> Iterator[Fault]:
    """Yield the faults of a server that uses services with this ``environment``."""
    port = free_port()
    environment = {**environment, "PORT": str(port)}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
        # Only warnings about the lesson's own code are errors: the frameworks' are not ours to fix.
        process = _started(script, "error:::__main__", environment, stdout=subprocess.DEVNULL, stderr=stderr)
        try:
            if _is_ready(process, port):
                messages = [_refusal(sending, port) for sending in dict.fromkeys(load.sends)]
            elif process.poll() is None:
                messages = [f"it takes no connections within {_READY_S:.0f} s"]
            else:
                messages = [f"it ends with {process.returncode}"]
        finally:
            _end_group(process)
            process.wait()
        stderr.seek(0)
        last = stderr.read().strip().splitlines()[-1:]
    for message in filter(None, messages):
        yield Fault(": ".join([f"under plain Python {message}", *last]), script)


def _started(
    script: Path, warnings: str, environment: Mapping[str, str], **streams: Any
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", "-W", warnings, script.name],
        cwd=script.parent,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
        **streams,
    )


def _end_group(process: subprocess.Popen[str]) -> None:
    """Kill the process and what it has started, if they have not ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _is_ready(process: subprocess.Popen[str], port: int) -> bool:
    end_s = time.monotonic() + _READY_S
    with contextlib.closing(Probe(port)) as probe:
        while process.poll() is None and time.monotonic() < end_s:
            if probe.answered():
                return True
            time.sleep(0.02)
    return False


def _refusal(sending: Sending, port: int) -> str:
    """Return how the answer to a request is not as the manifest says; "" if it is."""
    what = f"{sending.method} {sending.path}"
    with contextlib.closing(http.client.HTTPConnection(HOST, port, timeout=_ANSWER_S)) as connection:
        try:
            connection.request(sending.method, sending.path, sending.body or None, dict(sending.headers))
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            return f"{what} is not answered: {type(error).__name__}"
    if (status >= _FIRST_ERROR) if sending.status is None else status != sending.status:
        wanted = "" if sending.status is None else f", not with {sending.status}"
        return f"{what} is answered with {status}{wanted}"
    return ""


RULES: Final = (Rule("plain", plain_runs),)
