"""A fence either becomes HTML or fails the build."""

from __future__ import annotations

import markdown
import pytest
from pymdownx.superfences import SuperFencesException

from asyncdemo.site.fence import Formatter, formatter, settings


@formatter
def shouted(source: str) -> str:
    return f"<b>{source.strip().upper()}</b>"


@formatter
def broken(source: str) -> str:
    raise KeyError(source)


def built(text: str, make: Formatter) -> str:
    fences = [{"name": "mine", "class": "mine", "format": make}]
    configs = {"pymdownx.superfences": {"custom_fences": fences}}
    html: str = markdown.markdown(text, extensions=["pymdownx.superfences"], extension_configs=configs)
    return html


def test_the_text_of_a_fence_becomes_html() -> None:
    assert "<b>HELLO</b>" in built("```mine\nhello\n```", shouted)


def test_an_error_fails_the_build_and_names_the_fence() -> None:
    with pytest.raises(SuperFencesException, match=r"test_fence: hello: KeyError"):
        built("```mine\nhello\n```", broken)


def test_settings_are_lines_of_key_and_value() -> None:
    assert settings("lesson: two-sleeps\n\ncovered: yes\n", ("lesson", "covered")) == {
        "lesson": "two-sleeps",
        "covered": "yes",
    }


@pytest.mark.parametrize("line", ["lesson", "lessons: two-sleeps", ": x"])
def test_a_mistyped_setting_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match="is not one of the settings lesson"):
        settings(line, ("lesson",))
