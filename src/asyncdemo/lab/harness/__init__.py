"""What measures: contestants are started with every worker at work, loaded, watched, and ended.

``protocol`` is the order in which that happens.
Not for: the programs (``lab.servers``), what is measured (``lab.experiments``), or what it comes to
(``lab.results``).
"""
