"""Coroutines that nobody awaits: each is recorded with the place that made it."""

from __future__ import annotations

from pathlib import Path

from tests.support.truth import recorded


def test_coroutine_dropped_late_is_reported_with_its_origin(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio
        async def fetch(n):
            return n
        class Shop:
            async def main(self):
                result = fetch(1)
                await asyncio.sleep(0)
        asyncio.run(Shop().main())
        """,
        virtual=True,
    )
    (one,) = trace.run.unawaited
    assert one.site is not None
    assert (one.function, one.site.line, one.site.function) == ("fetch", 7, "Shop.main")
