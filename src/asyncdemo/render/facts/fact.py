"""One thing there is to tell about a run. Not for: which there are (``facts``, ``facts.servers``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """warns: something a reader should look at first."""

    label: str
    value: str
    warns: bool = False
