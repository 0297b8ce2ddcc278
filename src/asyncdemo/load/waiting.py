"""How long this thread could have run, and another program had its processor.

Not for: the CPU time it used (``time.process_time`` says that).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_SCHEDSTAT: Final = Path("/proc/thread-self/schedstat")


def waited_s() -> float | None:
    """Since it was started; differences are what matters. None where the system does not say: not Linux."""
    try:
        return int(_SCHEDSTAT.read_bytes().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return None
