"""Cases that are many and alike, as a table in text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Row = TypeVar("Row")


def rows(make: Callable[..., Row], table: str) -> list[Row]:
    """A line each, with the arguments between bars; spaces at their ends do not count, escapes do."""
    lines = [line.split(" | ") for line in table.strip().splitlines()]
    return [make(*(cell.strip().encode().decode("unicode_escape") for cell in cells)) for cells in lines]
