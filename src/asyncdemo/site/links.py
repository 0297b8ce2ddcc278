"""Links in a lesson's text: a lesson's id to its page, ``owner/repository#number`` to the thread.

The terminal shows the same text without any.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_PART: Final = re.compile(r"(```.*?```|`[^`\n]+`|\[[^\]]*\]\([^)]*\))", re.DOTALL)
"""Code, and what is a link already."""
_THREAD: Final = re.compile(r"\b([\w.-]+/[\w.-]+)#(\d+)")


def linked(text: str, lessons: Collection[str]) -> str:
    """lessons: the ids whose pages are to be linked to."""
    return "".join(
        _id_linked(part, lessons)
        if place % 2
        else _THREAD.sub(r"[\g<0>](https://github.com/\1/issues/\2)", part)
        for place, part in enumerate(_PART.split(text))
    )


def _id_linked(code: str, lessons: Collection[str]) -> str:
    name = code.strip("`")
    return f"[{code}]({name}.md)" if name in lessons and not code.startswith("```") else code
