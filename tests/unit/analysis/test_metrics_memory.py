"""How much memory a run had: the most, and how much more than before it began."""

from __future__ import annotations

from asyncdemo.analysis.metrics.memory import MemoryUse, memory_use
from tests.support.runs import Story


def test_the_most_of_each_and_how_much_more_that_is_than_at_first() -> None:
    story = Story()
    story.has_memory(-5, resident_mb=40, virtual_mb=400, threads=2)
    story.has_memory(10, resident_mb=61, virtual_mb=900, threads=53)
    story.has_memory(20, resident_mb=55, virtual_mb=950, threads=4)
    assert memory_use(story.run()) == MemoryUse(
        samples=3,
        most_resident_bytes=61_000_000,
        most_virtual_bytes=950_000_000,
        most_threads=53,
        resident_growth_bytes=21_000_000,
        virtual_growth_bytes=550_000_000,
        threads_growth=51,
    )


def test_memory_that_only_shrinks_did_not_grow() -> None:
    story = Story()
    story.has_memory(0, resident_mb=60, virtual_mb=400)
    story.has_memory(10, resident_mb=50, virtual_mb=300)
    use = memory_use(story.run())
    assert (use.resident_growth_bytes, use.virtual_growth_bytes, use.threads_growth) == (0, 0, 0)


def test_a_run_that_was_not_sampled_has_zeros() -> None:
    assert memory_use(Story().run()) == MemoryUse()
