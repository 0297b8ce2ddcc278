"""How a fence of the site's Markdown becomes HTML: shared by all our formatters for superfences.

```timeline
lesson: two-sleeps
```
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps

from pymdownx.superfences import SuperFencesException

Formatter = Callable[..., str]


def formatter(make: Callable[[str], str]) -> Formatter:
    """Turn ``make``, which gets the text of the fence and returns HTML, into a formatter.

    A failing formatter must fail the build, and superfences lets only its own exception through: with any
    other, the page would quietly show the text of the fence.
    """

    @wraps(make)
    def shown(source: str, *_: object, **__: object) -> str:
        try:
            return make(source)
        except Exception as error:
            first = source.strip().replace("\n", ", ")
            raise SuperFencesException(
                f"{make.__module__}: {first}: {type(error).__name__}: {error}"
            ) from error

    return shown


def settings(source: str, known: Collection[str]) -> dict[str, str]:
    """Return the lines ``key: value`` of a fence. Raises ValueError for any other line or key."""
    found = {}
    for line in filter(None, map(str.strip, source.splitlines())):
        key, colon, value = line.partition(":")
        if not colon or key.strip() not in known:
            raise ValueError(f"{line!r} is not one of the settings {', '.join(sorted(known))}")
        found[key.strip()] = value.strip()
    return found
