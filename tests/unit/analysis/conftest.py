"""A story to tell."""

from __future__ import annotations

import pytest

from tests.support.runs import Story


@pytest.fixture
def story() -> Story:
    return Story()
