"""What the figures depend on: processor, system, versions, limits. Nothing that names a machine or a user.

Not for: what happens while it is measured (``watching``).
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import psutil

from asyncdemo.lab.harness.pinning import Pinning
from asyncdemo.lab.results.setup import Environment

_PACKAGES: Final = ("hdrhistogram", "httptools", "uvloop")
"""Of the load client."""
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
_LOAD_PROGRAMS: Final = {"wrk": ("wrk", "--version"), "ab": ("ab", "-V"), "oha": ("oha", "--version")}


def describe_machine(
    pinning: Pinning,
    packages: Iterable[str] = (),
    programs: Mapping[str, tuple[str, ...]] | None = None,
    missing: Mapping[str, str] | None = None,
) -> Environment:
    """programs: name -> the command that says its version; one that is not there is left out."""
    named = {**_LOAD_PROGRAMS, **(programs or {})}
    return Environment(
        processor=processor_name(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_bytes=psutil.virtual_memory().total,
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        sysctls=_sysctls(),
        packages=_versions((*_PACKAGES, *packages)),
        programs={name: said for name, command in named.items() if (said := _program_version(command))},
        missing=dict(missing or {}),
        pinning=pinning.words,
        load_average=os.getloadavg()[0],
    )


def processor_name() -> str:
    with contextlib.suppress(OSError):  # not Linux
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in {"model name", "Model"}:
                return value.strip()
    if shutil.which("sysctl"):
        done = _run(("sysctl", "-n", "machdep.cpu.brand_string"))
        if done:
            return done.strip()
    return platform.processor() or platform.machine()


def _sysctls() -> dict[str, str]:
    found = {}
    for name in _SYSCTLS:
        with contextlib.suppress(OSError):  # of another system, or an older kernel
            text = Path("/proc/sys", *name.split(".")).read_text(encoding="utf-8")
            found[name] = " ".join(text.split())
    with contextlib.suppress(OSError):  # a virtual machine shows none
        found["cpufreq governor"] = _GOVERNOR.read_text(encoding="utf-8").strip()
    return found


def _versions(names: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in names:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return dict(sorted(found.items()))


def _program_version(command: tuple[str, ...]) -> str:
    """Only the number: the rest of the line may name a folder."""
    if shutil.which(command[0]) is None:
        return ""
    number = _NUMBER.search(_run(command))
    return number[0] if number else ""


def _run(command: tuple[str, ...]) -> str:
    """Some say it on stderr, and some (wrk) with an exit code."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_VERSION_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr
