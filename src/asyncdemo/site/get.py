"""The fence ``get``: the lines that install asyncdemo, ready to paste.

When building for publication, set the environment variable ``REPO_URL`` to the address of the repository.
Without it, the lines name the wheel. (MkDocs' own ``repo_url`` would make the theme ask GitHub for stars.)
"""

from __future__ import annotations

import os
from html import escape
from importlib.metadata import version

from asyncdemo.site.fence import formatter, settings


@formatter
def fence(source: str) -> str:
    """It has no settings."""
    settings(source, ())
    if repository := os.environ.get("REPO_URL", ""):
        words = "With git, make and Python 3.11 or newer:"
        lines = [f"git clone {repository} asyncdemo && cd asyncdemo", "make tour"]
    else:
        words = "With Python 3.11 or newer and the wheel, which <code>make wheel</code> builds in a checkout:"
        wheel = f"asyncdemo-{version('asyncdemo')}-py3-none-any.whl"
        install = f"python3 -m venv .venv && .venv/bin/pip install {wheel}"
        lines = [install, ".venv/bin/asyncdemo run two-sleeps"]
    code = "\n".join(f"$ {escape(line)}" for line in lines)
    return f'<p>{words}</p><div class="highlight"><pre><code>{code}\n</code></pre></div>'
