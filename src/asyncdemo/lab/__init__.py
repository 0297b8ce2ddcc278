"""The lab: five published benchmarks, what arithmetic says about them, and records of our own measurements.

Not here: display (see ``site``, ``cli``), or sending requests (see ``load``).
"""
