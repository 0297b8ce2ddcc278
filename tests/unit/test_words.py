"""The words of the project: those that no file may use, and how long a test's name may be."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.unit.test_architecture import texts

INSTEAD = {
    "told": "said, reported, notified, or the plain noun",
    "anew": "again, or a verb with re-",
    "whoever": "anyone who, or the person or part itself",
    "so many": "this many, or the number",
    "of which": "whose, that, or a second sentence",
    "at their left": "on the left",
    "in vain": "for nothing",
    "as they do": "as, or like",
    "all the same": "still",
}
"""Old word -> what to write for it."""
# As a part of a name, too, and over the end of a line, also of a comment.
WORD = r"(?<![A-Za-z])(?i:{})(?![a-z])"
REFUSED = {
    re.compile(WORD.format(word.replace(" ", r"[\s_#*>-]+"))): instead for word, instead in INSTEAD.items()
}
THIS_FILE = "tests/unit/test_words.py"

LONGEST_NAME = 60
TEST = re.compile(r"^[ \t]*(?:async )?def (test_\w+)", re.MULTILINE)


def found(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each place that matches."""
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[match.lastindex or 0]


def old_words(name: str, text: str) -> Iterator[str]:
    for pattern, instead in REFUSED.items():
        for line, word in found(pattern, text):
            yield f"{name}:{line}: {' '.join(word.split())!r}: write {instead}"
        for _, word in found(pattern, name.replace("/", " ")):
            yield f"{name}: {word!r} in its name: write {instead}"


def long_names(name: str, text: str) -> Iterator[str]:
    for line, test in found(TEST, text):
        if len(test) > LONGEST_NAME:
            yield f"{name}:{line}: {test} has {len(test)} characters: write at most {LONGEST_NAME}"


def test_no_file_uses_a_word_of_the_old_dialect() -> None:
    faults = [fault for name, text in texts() if name != THIS_FILE for fault in old_words(name, text)]
    assert not faults, "\n" + "\n".join(faults)


def test_name_of_a_test_has_at_most_60_characters() -> None:
    faults = [fault for name, text in texts() if name.endswith(".py") for fault in long_names(name, text)]
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.parametrize(
    "text",
    ["told = recorded()", "class Told:", "_LINES_TOLD = 15", "_told_", "a\nso\n# many of", "in_vain"],
)
def test_old_word_is_found_in_prose_and_in_names(text: str) -> None:
    assert list(old_words("a.py", text))


@pytest.mark.parametrize("text", ["unfolded", "a new one", "so, many begin", "retold"])
def test_part_of_another_word_is_no_old_word(text: str) -> None:
    assert not list(old_words("a.py", text))


def test_fault_has_the_file_the_line_and_the_better_word() -> None:
    assert list(old_words("a.py", "one\nDrawn anew.")) == ["a.py:2: 'anew': write again, or a verb with re-"]
    name = "test_" + 56 * "x"
    (fault,) = long_names("a.py", f"\n    async def {name}():")
    assert fault == f"a.py:2: {name} has 61 characters: write at most 60"
