"""Links in a lesson's text."""

from __future__ import annotations

import pytest

from asyncdemo.site.links import linked


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        (
            "See python/cpython#112191.",
            "[python/cpython#112191](https://github.com/python/cpython/issues/112191)",
        ),
        (
            "(Kludex/starlette#1724)",
            "([Kludex/starlette#1724](https://github.com/Kludex/starlette/issues/1724))",
        ),
        ("as in `upload-gate`", "as in [`upload-gate`](upload-gate.md)"),
    ],
)
def test_threads_and_lessons_are_linked(text: str, becomes: str) -> None:
    assert becomes in linked(text, ["upload-gate"])


@pytest.mark.parametrize(
    "text",
    [
        "`python/cpython#1` in code",
        "```\nasyncdemo run upload-gate # a/b#1\n```",
        "[a/b#1](https://example.org/a/b#1)",
        "`asyncdemo run upload-gate`",
        "`two-sleeps` is no page here",
    ],
)
def test_code_and_links_stay_as_they_are(text: str) -> None:
    assert linked(text, ["upload-gate"]) == text
