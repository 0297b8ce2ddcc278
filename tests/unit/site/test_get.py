"""What installs asyncdemo, as the site says it: real lines, with or without an address of the repository."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from asyncdemo.site.get import fence


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        (
            "https://example.org/one",
            "$ git clone https://example.org/one asyncdemo &amp;&amp; cd asyncdemo\n$ make tour\n",
        ),
        ("", f"install asyncdemo-{version('asyncdemo')}-py3-none-any.whl\n"),
    ],
)
def test_the_address_is_the_one_that_is_set_or_it_is_the_wheel(
    address: str, lines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPO_URL", address)
    assert lines in fence("")
