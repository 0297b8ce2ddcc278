"""Makes what the docs site shows beyond plain text: recordings, lesson pages, and the fences in its Markdown.

Only for building the site, from the checkout: nothing else of asyncdemo imports it.
"""
