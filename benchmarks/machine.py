"""On what the figures were measured: a table without it means nothing."""

from __future__ import annotations

import os
import platform

from asyncdemo.lab.harness.machine import processor_name


def describe() -> dict[str, str]:
    """Facts by name, in the order to show them."""
    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.python_compiler()}"
    return {
        "processor": f"{processor_name()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "Python": python,
        "load before the run": f"{os.getloadavg()[0]:.2f} (0 would be a quiet machine)",
    }
