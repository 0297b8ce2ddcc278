"""This machine: which processors are used for what, which programs exist, and what else affects figures.

Client and servers never compete for a processor. Nothing here reveals the machine's or the user's name.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

import psutil

from asyncdemo.lab.results.setup import Environment
from asyncdemo.packages import version_of


@dataclass(frozen=True, slots=True)
class Pinning:
    """Empty if nothing is pinned: there is one processor, or the system cannot pin."""

    client: tuple[int, ...] = ()
    server: tuple[int, ...] = ()

    @property
    def words(self) -> Mapping[str, str]:
        """In the format of ``Environment.pinning``."""
        if not self.client:
            return {"client": "any", "server": "any"}
        return {"client": ranges(self.client), "server": ranges(self.server)}

    def of_server(self) -> contextlib.AbstractContextManager[frozenset[int]]:
        """Keep whatever is started meanwhile, and its children, on the server's processors."""
        return running_on(self.server)


def own_processors() -> frozenset[int]:
    """Return those of the calling thread; empty if the system cannot say."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


@contextlib.contextmanager
def running_on(processors: Collection[int]) -> Iterator[frozenset[int]]:
    """Pin the calling thread, and what it starts, to the processors, if any. Yields where it ran before.

    Processes started from another thread are not affected.
    """
    own = own_processors()
    if processors:
        os.sched_setaffinity(0, processors)
    try:
        yield own
    finally:
        if processors:
            os.sched_setaffinity(0, own)


def keep_to(processors: frozenset[int], pids: Iterable[int]) -> None:
    """Pin the processes, with all their threads and whatever they start, from now on."""
    if not processors:
        return
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            for thread in os.listdir(f"/proc/{pid}/task"):
                os.sched_setaffinity(int(thread), processors)


def choose_pinning(allowed: Sequence[int] | None = None) -> Pinning:
    """Give the client the last processor and the servers all others. ``allowed``: those we may use."""
    if allowed is None:
        allowed = sorted(own_processors())
    if len(allowed) < 2:
        return Pinning()
    return Pinning(client=(allowed[-1],), server=tuple(allowed[:-1]))


def ranges(processors: Sequence[int]) -> str:
    """Format as ``0``, ``1-3`` or ``0-2,5``."""
    parts = []
    for _, group in groupby(enumerate(sorted(processors)), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ",".join(parts)


_PACKAGES: Final = ("hdrhistogram", "httptools", "uvloop")
"""Packages of the load client."""
_SYSCTLS: Final = (
    "net.core.somaxconn",
    "net.core.netdev_max_backlog",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_tw_reuse",
    "fs.file-max",
    "kernel.randomize_va_space",
)
_GOVERNOR: Final = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
_VERSION_S: Final = 10.0
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
_LOAD_PROGRAMS: Final = {"wrk": ("wrk", "--version")}


def describe_machine(
    pinning: Pinning,
    packages: Iterable[str] = (),
    programs: Mapping[str, tuple[str, ...]] | None = None,
    missing: Mapping[str, str] | None = None,
) -> Environment:
    """``programs`` is name -> the command that prints its version; missing ones are left out."""
    named = {**_LOAD_PROGRAMS, **(programs or {})}
    return Environment(
        processor=processor_name(),
        cores=len(own_processors()) or os.cpu_count() or 1,
        memory_bytes=psutil.virtual_memory().total,
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        sysctls=_sysctls(),
        packages={name: said for name in sorted({*_PACKAGES, *packages}) if (said := version_of(name))},
        programs={name: said for name, command in named.items() if (said := _program_version(command))},
        missing=dict(missing or {}),
        pinning=pinning.words,
        load_average=os.getloadavg()[0],
    )


def processor_name() -> str:
    with contextlib.suppress(OSError):  # macOS
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in {"model name", "Model"}:
                return value.strip()
        return platform.machine()
    return _run(("sysctl", "-n", "machdep.cpu.brand_string")).strip() or platform.machine()


def _sysctls() -> dict[str, str]:
    files = {name: Path("/proc/sys", *name.split(".")) for name in _SYSCTLS} | {"cpufreq governor": _GOVERNOR}
    found = {}
    for name, file in files.items():
        with contextlib.suppress(OSError):  # another system, an older kernel, or a virtual machine
            found[name] = " ".join(file.read_text(encoding="utf-8").split())
    return found


def _program_version(command: tuple[str, ...]) -> str:
    """Return only the number: the rest of the line may name a folder."""
    number = _NUMBER.search(_run(command))
    return number[0] if number else ""


def _run(command: tuple[str, ...]) -> str:
    """Return stdout and stderr. Some programs print their version on stderr, and wrk exits with an error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_VERSION_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


_FOLDERS: Final = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/opt/homebrew/sbin")
"""Folders with servers that are not on everyone's PATH."""


def find(program: str) -> str | None:
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", os.defpath), *_FOLDERS]))
