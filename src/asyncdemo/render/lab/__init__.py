"""The report of a record of the lab: in a terminal, as words, as a page, and as a part of the docs site.

Not for: measuring, or what a figure comes to (``asyncdemo.lab``).
"""
