"""The stack of the benchmark of twenty-one pairs: load, nginx, a server with workers, pgbouncer, PostgreSQL.

Not here: measuring it (see ``protocol``), or the experiment (see ``experiments.twenty_one_pairs``).
"""
