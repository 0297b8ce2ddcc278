"""The result of one check of ``asyncdemo doctor``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Works, but with a remark."""
    MISSING = "missing"
    """Nothing here needs it, but something optional will not work."""
    BROKEN = "broken"
    """Needed, but missing."""


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """A check's result. ``fix`` is the exact command, or what to change; "" if there is nothing to fix."""

    name: str
    status: Status
    words: str
    fix: str = ""
