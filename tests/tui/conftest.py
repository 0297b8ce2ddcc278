"""Tests of the screens are coroutines: pytest runs them with anyio's plugin, in asyncio's event loop."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
