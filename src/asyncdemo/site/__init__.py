"""Generates what the docs site shows beyond text: recordings, lesson pages, and fences in its Markdown.

Only for building the site, from the checkout: nothing else of asyncdemo imports it.
"""
