"""Links in a lesson's text: a lesson's id to its page, ``owner/repository#number`` to the thread.

The terminal shows the same text without links.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_PART: Final = re.compile(r"(```.*?```|`[^`\n]+`|\[[^\]]*\]\([^)]*\))", re.DOTALL)
"""Code, and existing links."""
_THREAD: Final = re.compile(r"\b([\w.-]+/[\w.-]+)#(\d+)")


def linked(text: str, lessons: Collection[str]) -> str:
    """Add links. ``lessons`` has the ids with pages."""
    return "".join(
        _id_linked(part, lessons)
        if place % 2
        else _THREAD.sub(r"[\g<0>](https://github.com/\1/issues/\2)", part)
        for place, part in enumerate(_PART.split(text))
    )


def _id_linked(code: str, lessons: Collection[str]) -> str:
    name = code.strip("`")
    return f"[{code}]({name}.md)" if name in lessons and not code.startswith("```") else code
