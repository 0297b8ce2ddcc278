"""Load from several machines: Locust's master and workers, each worker with our open-loop client.

Each worker sends Poisson arrivals at its share of the rate, independent of the others. The sum of
independent Poisson streams is one, so the machines need not agree on the time. What each measured travels to
the master as it is, histogram and arrivals, and is merged there.
Not for: one machine, where the lab's own client is enough (``asyncdemo.load``).
"""
