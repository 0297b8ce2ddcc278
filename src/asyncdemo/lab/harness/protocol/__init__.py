"""How an experiment is measured: verified, calibrated, warmed up, in rounds of random order, and compared.

``description`` is an experiment as data, ``running.run`` measures it.
Not for: servers (``launching``), the load (``engines``), or how any of it is shown.
"""
