"""The policy of each page lets its own scripts run, and no others."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from asyncdemo.site.policy import write_policies


def test_scripts_within_the_page_are_named_by_their_digests_and_data_is_not(tmp_path: Path) -> None:
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
