"""How an experiment is measured: verified, calibrated, warmed up, run in shuffled rounds, and compared.

``description`` describes an experiment as data; ``running.run`` measures it.
"""
