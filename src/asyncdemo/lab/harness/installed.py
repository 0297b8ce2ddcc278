"""Programs of this machine that are no Python packages: where they lie, if they are installed.

Not for: starting them (``stack.programs``), or what to do without one (``cli.lab_facts``).
"""

from __future__ import annotations

import os
import shutil
from typing import Final

_FOLDERS: Final = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/opt/homebrew/sbin")
"""Where servers lie that are not on everybody's PATH."""


def find(program: str) -> str | None:
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", os.defpath), *_FOLDERS]))
