"""The lab: five published benchmarks, what arithmetic says about them, and our own measurements and reports.

All of it is here, its command and its pages too. The commands know it by ``cli.registration``, the site
by ``pages``; nothing else imports it.
"""
