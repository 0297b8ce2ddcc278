"""What was published and what was measured, as data: articles, their audit, records, ratios, flags.

Pure: nothing here starts a server, reads a clock or draws.
"""
