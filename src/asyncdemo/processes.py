"""Ends a child process with everything it started, also what left its process group.

Not for starting processes: ``runner`` does that.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

from asyncdemo.capture import wire

__all__ = ["end_group", "memory_of", "physical_memory"]

_GRACE_S = 0.3


def end_group(process: subprocess.Popen[bytes], token: str) -> None:
    """Kill the child's process group and, on Linux, every process that carries the run's token."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
    process.wait()
    deadline = time.monotonic() + _GRACE_S
    while strays := _strays(token):
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            return
        time.sleep(0.01)


def _strays(token: str) -> list[int]:
    """Processes whose environment names this run: daemons that the script left behind."""
    if not sys.platform.startswith("linux"):
        return []
    found = []
    mark = token.encode()
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                marked = any(
                    line.startswith(wire.ENV.encode()) and mark in line for line in file.read().split(b"\0")
                )
        except OSError:
            continue  # it has ended, or is somebody else's
        if marked and not _is_zombie(entry):
            found.append(int(entry))
    return found


def _is_zombie(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return True


def memory_of(pid: int) -> int | None:
    """Resident bytes of a process; None where the system does not tell."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None
