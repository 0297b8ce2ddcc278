"""Places in source code."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Site"]

_PACKAGES = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Site:
    """A place in source code.

    file: as the program knows it. line: from 1. function: that the line is in, if known.
    """

    file: str
    line: int
    function: str = ""

    @property
    def installed(self) -> bool:
        """In a package that was installed, so not the user's own code."""
        return any(part in _PACKAGES for part in re.split(r"[/\\]", self.file))
