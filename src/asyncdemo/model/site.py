"""Places in source code."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PACKAGES = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Site:
    """A place in source code.

    Attributes:
        file: The file, as the program names it.
        line: The line number, from 1.
        function: The function that the line is in, if known.
    """

    file: str
    line: int
    function: str = ""

    @property
    def installed(self) -> bool:
        """Whether it is in an installed package, and so not the user's own code."""
        return any(part in _PACKAGES for part in re.split(r"[/\\]", self.file))
