"""The project's own speed: what watching a program costs, against peers, all measured in one run.

``python -m benchmarks`` prints the tables and writes them into ``RESULTS.md``. Not for learning
about servers or about sync and async: that is what the lessons are for.
"""
