"""The navigation lists the course as course.toml does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mkdocs.utils.yaml import yaml_load

from asyncdemo.course.content.catalog import find_course, load_course

_ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    with (_ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        return yaml_load(file)


def section(config: dict[str, Any], name: str) -> list[Any]:
    [entries] = [entry[name] for entry in config["nav"] if name in entry]
    assert isinstance(entries, list)
    return entries


def test_every_lesson_is_listed_in_order_below_its_module(config: dict[str, Any]) -> None:
    course = load_course(find_course())
    listed = [entry for entry in section(config, "Lessons") if isinstance(entry, dict)]
    assert listed == [
        {module.title: [f"lessons/{lesson.id}.md" for lesson in module.lessons]} for module in course.modules
    ]


def test_nothing_is_fetched_from_elsewhere(config: dict[str, Any]) -> None:
    assert config["theme"]["font"] is False
    assert not [path for path in [*config["extra_css"], *config["extra_javascript"]] if "//" in path]
