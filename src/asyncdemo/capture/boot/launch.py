"""Entry point of the traced process; for those that the script starts, in place of ``python -c CODE``.

It finds the tracer beside this file and hands over to it. It is in its own folder because Python puts a
script's folder first on the import path.
"""

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
if sys.path and os.path.abspath(sys.path[0]) == here:
    del sys.path[0]
root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
sys.path.append(root)
from asyncdemo.capture.script import launch  # noqa: E402

del sys.path[-1]  # by index: the same path may also be further up
if len(sys.argv) == 1:
    launch.main()
else:
    launch.work()
