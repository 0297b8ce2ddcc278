"""Blames the function with `time.sleep` in it, which runs in a thread and holds nothing up.

Breaks: Find it, write its name into CULPRIT, in quotes,
Fault: It waits too, but in its own thread, where it holds nothing up
"""

CULPRIT = "print_label"
