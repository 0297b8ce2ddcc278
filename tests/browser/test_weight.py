"""A reader on a slow line waits for every byte: a lesson's page keeps to its budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.site import BUDGET_BYTES, lesson_pages, loaded

from tests.browser.built import SITE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_there_are_lessons() -> None:
    assert lesson_pages(SITE)


@pytest.mark.parametrize("name", lesson_pages(SITE))
def test_a_lesson_with_all_that_it_loads_keeps_to_its_budget(name: str, site: str, browser: Browser) -> None:
    sizes = loaded(browser, site + name)
    assert sum(sizes.values()) <= BUDGET_BYTES, sorted(sizes.items(), key=lambda item: -item[1])
