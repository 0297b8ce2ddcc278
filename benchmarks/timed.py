"""Copies of scripts that take their own time: neither the interpreter's start nor imports count."""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["timed"]


def timed(source: str, report: Path) -> str:
    """The script, which also writes how long its ``if __name__ == "__main__"`` took: imports not counted.

    Raises ValueError if it has no such part.
    """
    tree = ast.parse(source)
    main = next((node for node in tree.body if isinstance(node, ast.If)), None)
    if main is None or ast.unparse(main.test) != "__name__ == '__main__'":
        raise ValueError('the script has no `if __name__ == "__main__"`')
    before = ast.parse("import json, time\n__start_s__ = time.perf_counter()").body
    after = ast.parse(
        "__wall_s__ = time.perf_counter() - __start_s__\n"
        f"with open({str(report)!r}, 'w', encoding='utf-8') as __file__:\n"
        "    json.dump({'wall_s': __wall_s__}, __file__)"
    ).body
    main.body = [*before, ast.Try(body=main.body, handlers=[], orelse=[], finalbody=after)]
    return ast.unparse(ast.fix_missing_locations(tree))
