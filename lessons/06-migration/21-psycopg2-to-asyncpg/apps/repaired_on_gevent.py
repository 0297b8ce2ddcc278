"""``flask_repaired`` for the worker of gevent, which leaves psycopg2 as it is: psycogreen patches it first.

Served by:  gunicorn -k gevent repaired_on_gevent:app
"""

from psycogreen.gevent import patch_psycopg

patch_psycopg()

from flask_repaired import app  # noqa: E402  (after patching)

__all__ = ["app"]
