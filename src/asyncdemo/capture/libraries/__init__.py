"""Observes other libraries: the connection pools of database and HTTP clients, and the requests of servers.

One module a library; each names the few functions in which that library makes a pool, opens a connection,
hands it out, takes it back and closes it. A function that a version does not have is left out.
"""
