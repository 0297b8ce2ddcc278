"""A fence either becomes HTML or fails the build."""

from __future__ import annotations

import re
from pathlib import Path

import markdown
import pytest
from mkdocs.utils.yaml import yaml_load
from pymdownx.superfences import SuperFencesException

from asyncdemo.site.fence import Formatter, formatter, settings

ROOT = Path(__file__).parents[3]
LANGUAGES = {"console", "diff", "json", "python", "text", "toml"}


@formatter
def broken(source: str) -> str:
    raise KeyError(source)


def test_an_error_fails_the_build_and_names_the_fence() -> None:
    """Superfences would swallow any other exception, and show the text of the fence."""
    fences = [{"name": "mine", "class": "mine", "format": broken}]
    configs = {"pymdownx.superfences": {"custom_fences": fences}}
    with pytest.raises(SuperFencesException, match=r"test_fence: hello: KeyError"):
        markdown.markdown(
            "```mine\nhello\n```", extensions=["pymdownx.superfences"], extension_configs=configs
        )


@pytest.mark.parametrize("line", ["lesson", "lessons: two-sleeps", ": x"])
def test_a_mistyped_setting_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match="is not one of the settings lesson"):
        settings(line, ("lesson",))


def ours() -> dict[str, Formatter]:
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        config = yaml_load(file)
    [fences] = [
        extension["pymdownx.superfences"]["custom_fences"]
        for extension in config["markdown_extensions"]
        if "pymdownx.superfences" in extension
    ]
    return {fence["name"]: fence["format"] for fence in fences}


def test_every_fence_of_the_pages_is_one_of_ours_or_a_language() -> None:
    """Any other is shown as text, without a word."""
    pages = [page for page in (ROOT / "docs").rglob("*.md") if "lessons" not in page.parts]
    begun = {
        name
        for page in pages
        for name in re.findall(r"^ *```(?!`) *([\w-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {"command", "mistake", "timeline"} <= begun
    assert begun <= LANGUAGES | ours().keys()


def test_every_fence_fails_the_build_for_unknown_settings() -> None:
    for make in ours().values():
        with pytest.raises(SuperFencesException):
            make("no-such-setting: 1")
