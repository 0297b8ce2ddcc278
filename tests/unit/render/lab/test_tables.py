"""Tables of the pages about measurements."""

from __future__ import annotations

import re

from asyncdemo.render.lab.tables import table


def columns(html: str) -> list[str]:
    return re.findall(r'<th scope="col">(.*?)</th>', html)


def test_a_column_without_anything_is_left_out() -> None:
    html = table(
        ["row", "published", "ours"], [("Flask", "", "1.0"), ("Sanic", "", "")], "a table", words=True
    )
    assert columns(html) == ["row", "ours"]
    assert re.findall(r"<td.*?>(.*?)</td>", html) == ["1.0", ""]
    assert re.findall(r'data-label="(.*?)"', html) == ["ours", "ours"]


def test_one_that_some_row_has_stays_and_so_does_the_name() -> None:
    html = table(["row", "published"], [("", "4.25"), ("", "")], "a table")
    assert columns(html) == ["row", "published"]
