"""Letters have a contrast of 4.5 : 1 to their ground, in both schemes; code has it on marked lines too.

axe looks at the colours that a page happens to use; this, at all that the style sheet has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from tests.browser.conftest import OpenPage

pytestmark = pytest.mark.browser

ENOUGH: Final = 4.5
"""WCAG 2.2, 1.4.3."""

CODE: Final = ("--md-code-bg-color", "--md-code-hl-color--light")
KINDS_OF_CODE: Final = (
    "fg",
    "hl-keyword",
    "hl-constant",
    "hl-string",
    "hl-number",
    "hl-special",
    "hl-function",
    "hl-name",
    "hl-variable",
    "hl-operator",
    "hl-punctuation",
    "hl-comment",
    "hl-generic",
)
PAIRS: Final = [
    *((f"--md-code-{kind}-color", ground) for kind in KINDS_OF_CODE for ground in CODE),
    *(
        (letters, ground)
        for letters in (
            "--md-typeset-a-color",
            "--md-default-fg-color",
            "--md-default-fg-color--light",
            "--md-default-fg-color--lighter",
            "--md-accent-fg-color",
        )
        for ground in ("--md-default-bg-color", "--md-code-bg-color", "--site-tint")
    ),
    ("--md-footer-fg-color--light", "--md-footer-bg-color"),
    ("--md-footer-fg-color--light", "--md-footer-bg-color--dark"),
    ("--md-primary-bg-color", "--md-primary-fg-color"),
    ("--md-primary-bg-color--light", "--md-primary-fg-color--dark"),
]

COLOURS: Final = """(names) => {
    const probe = document.querySelector(".md-typeset").appendChild(document.createElement("span"));
    return names.map((name) => {
        probe.style.color = `var(${name})`;
        return getComputedStyle(probe).color;
    });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_from_their_ground(scheme: str, page: OpenPage) -> None:
    names = sorted({name for pair in PAIRS for name in pair})
    computed = page("404.html", scheme=scheme, still=True).evaluate(COLOURS, names)
    colours = {name: rgb(text) for name, text in zip(names, computed, strict=True)}
    contrasts = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in PAIRS}
    assert {pair: found for pair, found in contrasts.items() if found < ENOUGH} == {}
    assert len(set(colours.values())) > len(KINDS_OF_CODE) / 2  # the names mean something to the browser


def rgb(text: str) -> tuple[int, int, int]:
    """Of ``rgb(1, 2, 3)``: what a browser computes of a colour that nothing shines through."""
    red, green, blue = text.removeprefix("rgb(").removesuffix(")").split(", ")
    return int(red), int(green), int(blue)


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def luminance(colour: tuple[int, int, int]) -> float:
    """WCAG 2.2, "relative luminance"."""
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
