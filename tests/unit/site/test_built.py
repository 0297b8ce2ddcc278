"""The built site: the policy of each page, ``llms.txt``, and all of it in one file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from zipfile import ZipFile

import pytest

from asyncdemo.errors import MissingError
from asyncdemo.site.built import pack, write_llms, write_policies

INDEX = {"docs": [{"title": "Two sleeps", "text": "\u2028 </script> \u00e9"}]}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    for name in ("search", "assets", "lessons"):
        (folder / name).mkdir(parents=True)
    (folder / "index.html").write_text("start")
    (folder / "lessons" / "two-sleeps.html").write_text("two sleeps")
    (folder / "assets" / "theme.js.map").write_text("{}")
    (folder / "sitemap.xml").write_text("<day>2026-11-21</day>")
    (folder / "search" / "search_index.json").write_text(json.dumps(INDEX), encoding="utf-8")
    return folder


def test_it_unpacks_to_one_folder_with_the_site(site: Path, tmp_path: Path) -> None:
    archive = tmp_path / "dist" / "docs.zip"
    pack(site, archive)
    with ZipFile(archive) as packed:
        assert packed.namelist() == [
            "asyncdemo-docs/index.html",
            "asyncdemo-docs/lessons/two-sleeps.html",
            "asyncdemo-docs/search/search_index.js",
            "asyncdemo-docs/search/search_index.json",
        ]
        assert packed.read("asyncdemo-docs/lessons/two-sleeps.html") == b"two sleeps"


def test_a_sitemap_stays_if_the_site_has_an_address(site: Path, tmp_path: Path) -> None:
    (site / "sitemap.xml").write_text("<loc>https://tea.example/index.html</loc>")
    pack(site, tmp_path / "docs.zip")
    assert (site / "sitemap.xml").is_file()


def test_it_is_the_same_file_for_the_same_site(site: Path, tmp_path: Path) -> None:
    pack(site, tmp_path / "first.zip")
    for path in site.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o700)
    pack(site, tmp_path / "second.zip")
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()


def test_the_index_is_a_script_too(site: Path, tmp_path: Path) -> None:
    pack(site, tmp_path / "docs.zip")
    script = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert json.loads(script.removeprefix("var __index = ")) == INDEX


def test_without_a_built_site_the_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="make docs"):
        pack(tmp_path, tmp_path / "docs.zip")
    assert not (tmp_path / "docs.zip").exists()


def test_inline_scripts_are_named_by_digest_and_data_is_not(tmp_path: Path) -> None:
    page = tmp_path / "lessons" / "tea.html"
    page.parent.mkdir()
    page.write_text(
        '<head><meta charset="utf-8"></head><script>brew()</script>'
        '<script type="application/json">{}</script><script src="a.js"></script>'
    )
    write_policies(tmp_path)
    digest = base64.b64encode(hashlib.sha256(b"brew()").digest()).decode()
    (policy,) = [line for line in page.read_text().split("<") if "Content-Security-Policy" in line]
    assert f"script-src 'self' 'wasm-unsafe-eval' 'sha256-{digest}';" in policy
    assert policy.count("sha256") == 1
    assert page.read_text().startswith('<head><meta charset="utf-8"><meta http-equiv=')


def test_a_page_without_a_place_for_it_fails_the_build(tmp_path: Path) -> None:
    (tmp_path / "bare.html").write_text("<p>no head")
    with pytest.raises(ValueError, match=r"bare\.html"):
        write_policies(tmp_path)


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
