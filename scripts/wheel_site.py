"""Hatchling's hook for the wheel: the built site goes with it, as asyncdemo/_site, if there is one.

`make wheel` builds it before. A wheel made without it has no site, and `asyncdemo docs` then says so.
Not for: an editable install, which finds the site of the checkout.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SiteInWheel(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        site = Path(self.root, "site")
        if version != "editable" and (site / "index.html").is_file():
            build_data["force_include"][str(site)] = "asyncdemo/_site"
