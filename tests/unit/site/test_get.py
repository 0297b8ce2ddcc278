"""What installs asyncdemo, as the site says it: real lines, with or without an address of the repository."""

from __future__ import annotations

from importlib.metadata import version

from asyncdemo.site.get import get_html


def test_the_address_is_the_one_that_is_set() -> None:
    assert "$ git clone https://example.org/one asyncdemo &amp;&amp; cd asyncdemo\n$ make tour\n" in get_html(
        "https://example.org/one"
    )


def test_without_one_it_is_the_wheel() -> None:
    assert f"install asyncdemo-{version('asyncdemo')}-py3-none-any.whl\n" in get_html("")
