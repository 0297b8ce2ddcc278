"""``llms.txt``: all pages of the navigation, in its order, each with what it says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.site.llms import write_llms

CONFIG = """\
site_name: Tea
site_description: All about tea.
docs_dir: docs
site_url: !ENV SITE_URL
nav:
  - Start:
      - index.md
      - Cups:
          - Big: cups/big.md
"""


@pytest.mark.parametrize("address", ["", "https://tea.example/docs/"])
def test_a_line_for_each_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("SITE_URL", address)
    config = tmp_path / "mkdocs.yml"
    config.write_text(CONFIG)
    (tmp_path / "docs").mkdir()
    site = tmp_path / "site"
    (site / "cups").mkdir(parents=True)
    said = '<meta name="description" content="{}">'
    (site / "index.html").write_text("<title>Tea</title>" + said.format("All about tea."))
    (site / "cups" / "big.html").write_text(
        "<title>Big &amp; blue - Tea</title>" + said.format("One &lt; two.")
    )
    write_llms(site, str(config))
    assert (site / "llms.txt").read_text().splitlines() == [
        "# Tea",
        "",
        "> All about tea.",
        "",
        "## Start",
        "",
        f"- [Tea]({address}index.html)",
        f"- [Big & blue]({address}cups/big.html): One < two.",
    ]
