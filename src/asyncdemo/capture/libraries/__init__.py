"""Observes other libraries: the connection pools of database and HTTP clients, and the requests of servers.

There is one module for each library. It names the few functions in which the library makes a pool, opens a
connection, hands it out, takes it back and closes it. A function that a version does not have is left out.
"""
