"""Which lessons a learner has run, kept between sessions in one small file.

Not for: results of runs; ``--save`` and ``store`` keep those.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Record", "default_file", "load", "save"]

FORMAT = "asyncdemo.progress/1"


@dataclass(frozen=True, slots=True)
class Record:
    """asked, right: predictions of the latest run in which any was answered."""

    runs: int = 0
    asked: int = 0
    right: int = 0

    def after(self, asked: int, right: int) -> Record:
        """The record after one more run."""
        return Record(self.runs + 1, asked, right) if asked else Record(self.runs + 1, self.asked, self.right)


def default_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the system keeps such state: $XDG_STATE_HOME, on Windows %LOCALAPPDATA%."""
    named = environment.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME")
    return (Path(named) if named else Path.home() / ".local" / "state") / "asyncdemo" / "progress.json"


def load(file: Path) -> dict[str, Record]:
    """Lesson id -> record. Empty if the file is not there or makes no sense: it is only a convenience."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            return {}
        return {
            str(name): Record(**{key: int(value) for key, value in entry.items()})
            for name, entry in data["lessons"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def save(file: Path, records: Mapping[str, Record]) -> None:
    """Replaces the file as a whole, so that two commands at once cannot leave half of one. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = {"format": FORMAT, "lessons": {name: asdict(record) for name, record in records.items()}}
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.write_text(json.dumps(data, indent=1), encoding="utf-8")
    draft.replace(file)
