"""The driver is patched and the standard library is not: the lock of the pool blocks the thread of all.

Breaks: none of them blocks the hub.
Fault: waits at psycogreen_alone.py
"""

del monkey.patch_all
