"""What is known of a server's end from what it wrote."""

from __future__ import annotations

import pytest

from asyncdemo.serving.stderr_tail import StderrTail

TRACEBACK = """Traceback (most recent call last):
  File "/home/ada/server.py", line 40, in <module>
    main()
  File "/usr/lib/python3/site-packages/{package}/mixins/startup.py", line 1214, in <listcomp>
    (state := s.get("state"))
              ^^^^^
AttributeError: 'str' object has no attribute 'get'
"""


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_the_package_that_a_server_failed_in_is_known(size: int) -> None:
    heard = StderrTail(None)
    text = "Main: Stopping\n" + TRACEBACK.format(package="sanic")
    for start in range(0, len(text), size):
        heard.output("stderr", text[start : start + size])
    assert heard.failed_in("sanic")
    assert not heard.failed_in("quart")
    assert heard.last_words().endswith("AttributeError: 'str' object has no attribute 'get'")


def test_the_programs_own_failure_is_no_packages() -> None:
    heard = StderrTail(None)
    heard.output("stderr", TRACEBACK.format(package="sanic"))
    heard.output(
        "stderr", '  File "/home/ada/server.py", line 3, in close\n    1 / 0\nZeroDivisionError: x\n'
    )
    assert not heard.failed_in("sanic")
    assert not StderrTail(None).failed_in("sanic")
