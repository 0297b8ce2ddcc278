"""Load from several machines: Locust's master and workers, each worker with our open-loop client.

Each worker sends Poisson arrivals at its share of the rate, independently of the others. The sum of
independent Poisson streams is a Poisson stream, so the machines' clocks need not agree. Each worker sends its
unreduced measurements, histogram and arrivals, to the master, which merges them.
Not for a single machine, where the lab's own client is enough (see ``asyncdemo.load``).
"""
