"""The stack of the benchmark of twenty-one pairs: load, nginx, a server with workers, pgbouncer, PostgreSQL.

Not for: measuring it (``protocol``), or the experiment (``experiments.twenty_one_pairs``).
"""
