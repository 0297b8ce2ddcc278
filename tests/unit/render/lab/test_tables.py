"""Tables of the pages about measurements."""

from __future__ import annotations

import re

from asyncdemo.render.lab.tables import table


def test_a_column_without_anything_is_left_out_but_not_the_name() -> None:
    rows = [("", "", "1.0"), ("", "", "")]
    html = table(["row", "published", "ours"], rows, "a table", words=True)
    assert re.findall(r'<th scope="col">(.*?)</th>', html) == ["row", "ours"]
    assert re.findall(r"<td.*?>(.*?)</td>", html) == ["1.0", ""]
    assert re.findall(r'data-label="(.*?)"', html) == ["ours", "ours"]
