"""How much memory a run had, and by how much it grew. Not here: sampling it (see ``recording.processes``)."""

from __future__ import annotations

from dataclasses import dataclass

from asyncdemo.model import Run


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """The maximum of each figure, and its growth since the first sample, taken before the script began.

    Attributes:
        samples: How many samples were taken.
        most_resident_bytes: The most in memory.
        resident_growth_bytes: By how much the memory grew.
        most_virtual_bytes: The most reserved, whether or not it was ever touched.
        virtual_growth_bytes: By how much that grew.
        most_threads: The most threads, over all processes.
        threads_growth: By how much the number of threads grew.
    """

    samples: int = 0
    most_resident_bytes: int = 0
    most_virtual_bytes: int = 0
    most_threads: int = 0
    resident_growth_bytes: int = 0
    virtual_growth_bytes: int = 0
    threads_growth: int = 0


def memory_use(run: Run) -> MemoryUse:
    """Return the memory use of a run; zeros if it was not sampled."""
    if not run.memory:
        return MemoryUse()
    first = run.memory[0]
    resident = max(sample.resident_bytes for sample in run.memory)
    virtual = max(sample.virtual_bytes for sample in run.memory)
    threads = max(sample.threads for sample in run.memory)
    return MemoryUse(
        len(run.memory),
        resident,
        virtual,
        threads,
        resident - first.resident_bytes,
        virtual - first.virtual_bytes,
        threads - first.threads,
    )
