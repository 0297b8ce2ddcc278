"""The player of the HTML page, in a real browser where there is one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.model import Run
from asyncdemo.render.html import render_html
from tests.support.runs import Story, at_line
from tests.support.server_runs import pooled, threaded

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

PROBE = """
<script>
addEventListener('load', () => {
  const player = document.querySelector('async-timeline');
  const told = [];
  const look = what => told.push({
    what, time: player.time, said: player.said.textContent, button: player.play.textContent,
    clock: player.clock.textContent, veil: player.veil.style.display !== 'none',
    figures: document.querySelector('.told').style.visibility });
  const key = key => player.shadowRoot.querySelector('.bar').dispatchEvent(
    new KeyboardEvent('keydown', { key, cancelable: true }));
  try {
    look('loaded');
    key('Home'); look('home');
    key('ArrowRight'); look('right');
    key('ArrowRight'); look('right again');
    key('ArrowLeft'); look('left');
    player.scrub.value = 500; player.scrub.dispatchEvent(new Event('input')); look('scrubbed');
    key(' '); look('space');
    key('End'); look('end');
  } catch (error) { told.push({ what: String(error.stack) }); }
  const out = document.createElement('pre');
  out.id = 'told';
  out.textContent = JSON.stringify(told);
  document.body.append(out);
});
</script>
"""


def slow_and_fast() -> list[Run]:
    slow, fast = Story(), Story()
    slow.task("brew(0)").blocks(100, at=at_line(12, "brew")).sleeps(100).returns()
    fast.task("</script>").sleeps(50).runs(10).returns()
    return [slow.run(name="slow"), fast.run(name="fast")]


def played(
    tmp_path: Path, *flags: str, covered: bool = False, runs: Sequence[Run] | None = None
) -> dict[str, dict[str, Any]]:
    """What the player shows after each thing that is done to it."""
    page = render_html(slow_and_fast() if runs is None else runs)
    if covered:
        page = page.replace("<async-timeline>", "<async-timeline covered>")
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    # As root, as in a container, Chromium has no sandbox.
    command = [
        str(CHROMIUM),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        *flags,
        "--dump-dom",
        path.as_uri(),
    ]
    seen = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.search(r'<pre id="told">(.*?)</pre>', seen, re.DOTALL)
    assert found, seen[-2_000:]
    return {told["what"]: told for told in json.loads(unescape(found.group(1)))}


def test_the_keyboard_plays_it(tmp_path: Path) -> None:
    told = played(tmp_path)
    assert told["loaded"]["said"] == "slow: over. fast: over."
    assert not told["loaded"]["veil"]
    assert told["home"]["time"] == 0
    assert told["home"]["said"] == (
        "slow: brew(0) blocks the loop (sleep at app.py:12 in brew). fast: 1 waiting."
    )
    assert told["right"]["time"] == 50_000_000
    assert "fast: </script> running." in told["right"]["said"]
    assert told["right again"]["time"] == 60_000_000
    assert told["left"]["time"] == 50_000_000
    assert told["scrubbed"]["clock"] == "100 ms"
    assert told["scrubbed"]["said"] == "slow: 1 waiting. fast: over."
    assert told["scrubbed"]["veil"]
    assert told["space"]["button"] == "Pause"
    assert told["end"]["time"] == 200_000_000
    assert told["end"]["button"] == "Play"


def test_it_tells_what_a_server_does(tmp_path: Path) -> None:
    told = played(tmp_path, runs=[pooled(20, connections=5)])
    assert told["loaded"]["said"] == "pooled: over."
    said = told["scrubbed"]["said"]
    assert re.fullmatch(
        r"pooled: (GET /films/7/ \d+ running; )?(\d+ waiting for \w+; )+\d+ queued for a connection"
        r"; redis pool: 5 held, \d+ queued; resident 43 MB, virtual 325 MB\.",
        said,
    ), said


def test_a_crowd_of_requests_is_told_by_what_they_do(tmp_path: Path) -> None:
    told = played(tmp_path, runs=[threaded(400, limit=5)])
    assert re.search(r"threaded: .*5 waiting; \d+ queued", told["scrubbed"]["said"])


def test_who_wants_no_motion_gets_steps(tmp_path: Path) -> None:
    told = played(tmp_path, "--force-prefers-reduced-motion")
    assert told["loaded"]["button"] == "Next step"
    assert told["space"]["time"] == 200_000_000
    assert told["space"]["button"] == "Next step"


def test_what_is_to_be_predicted_is_not_shown_before_it_was_played(tmp_path: Path) -> None:
    told = played(tmp_path, covered=True)
    assert told["loaded"]["time"] == 0
    assert told["loaded"]["veil"]
    assert told["scrubbed"]["figures"] == "hidden"
    assert told["end"]["figures"] == ""
