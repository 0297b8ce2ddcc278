"""By how much the memory of a run grew. Not for: taking the samples (``runner``)."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model import Run

__all__ = ["MemoryUse", "memory_use"]


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """From the first sample, taken before the script began, to the highest of each.

    resident: in memory. virtual: reserved, whether or not it was ever touched.
    """

    resident_growth_bytes: int = 0
    virtual_growth_bytes: int = 0
    most_threads: int = 0


def memory_use(run: Run) -> MemoryUse:
    """Zeros if it was not sampled."""
    if not run.memory:
        return MemoryUse()
    first = run.memory[0]
    return MemoryUse(
        max(sample.resident_bytes for sample in run.memory) - first.resident_bytes,
        max(sample.virtual_bytes for sample in run.memory) - first.virtual_bytes,
        max(sample.threads for sample in run.memory),
    )
