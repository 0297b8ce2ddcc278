"""On what the figures were measured: a table without it means nothing."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

__all__ = ["describe"]


def describe() -> dict[str, str]:
    """Facts by name, in the order to show them."""
    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.python_compiler()}"
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "Python": python,
        "load before the run": f"{os.getloadavg()[0]:.2f} (0 would be a quiet machine)",
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    if platform.system() == "Darwin":
        asked = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, check=False
        )
        return asked.stdout.strip()
    return platform.processor() or "unknown processor"
