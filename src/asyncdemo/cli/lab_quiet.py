"""Whether the machine is quiet enough to measure on, looked at for a moment before it begins.

Not for: what other programs use while it is measured; each trial is watched (``lab.harness.watching``).
"""

from __future__ import annotations

import os
from typing import Final

import psutil

from asyncdemo.lab.results.flags import RULES, FlagKind

__all__ = ["noise_words"]

_LOOK_S: Final = 1.0


def noise_words() -> str:
    """What to do if it is not; "" if it is."""
    most = RULES[FlagKind.FOREIGN_CPU].limit or 0.0
    used = psutil.cpu_percent(_LOOK_S) / 100
    load = os.getloadavg()[0]
    if used <= most:
        return ""
    return (
        f"The machine is not quiet: other programs use {used:.0%} of the CPU (load average {load:.1f}). "
        f"A trial during which they use more than {most:.0%} does not count. Close what you can, or end "
        "this with Ctrl-C and come back later. `top` shows what it is."
    )
