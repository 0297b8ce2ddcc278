"""What was published and what was measured, as data: articles, their audit, records, ratios, flags.

Pure: nothing here starts a server, looks at a clock or draws.
Not for: how a record comes about (``lab.harness``), or how it is shown (``render.lab``).
"""
