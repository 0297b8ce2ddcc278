"""The lab: five published benchmarks, what arithmetic says about them, and the records of our own
measurements.

Not for: how any of it looks (``site``, ``cli``), or sending requests (``load``).
"""
