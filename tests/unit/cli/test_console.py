"""Texts of lessons without a terminal: as they are, in lines that fit."""

from __future__ import annotations

import pytest

from asyncdemo.cli.console import print_markdown

TEXT = """\
### A heading

A paragraph that is written in a line that is far longer than the eighty columns of a terminal.
Its second line belongs to it.

- `one`: an item of a list that is longer than a line, and goes on below its first word, not below the dash
  of it.
- two

1. numbered

| a table | is never wrapped, however long its rows are, since its cells would not stand below each other |

  ```
  # as it is
  asyncdemo run two-sleeps --set BREWS=100 --set BREW_S=0.01 --no-predict --plain --details --json
  ```
"""

PRINTED = """\
A heading

A paragraph that is written in a line that is far longer than the eighty columns
of a terminal. Its second line belongs to it.

- `one`: an item of a list that is longer than a line, and goes on below its
  first word, not below the dash of it.
- two

1. numbered

| a table | is never wrapped, however long its rows are, since its cells would not stand below each other |

  ```
  # as it is
  asyncdemo run two-sleeps --set BREWS=100 --set BREW_S=0.01 --no-predict --plain --details --json
  ```

"""


def test_a_text_is_wrapped_but_for_what_must_stay(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    print_markdown(TEXT, None)
    assert capsys.readouterr().out == PRINTED
