"""The stack of the twenty-one pairs: load, nginx, a server with workers, pgbouncer, PostgreSQL."""
