"""Entry point of a process that the traced script has started, in place of ``python -c CODE``."""

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
if sys.path and os.path.abspath(sys.path[0]) == here:
    del sys.path[0]
root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
sys.path.append(root)
from asyncdemo.capture.script import launch  # noqa: E402

del sys.path[-1]  # by index: the same path may also be further up
launch.work()
