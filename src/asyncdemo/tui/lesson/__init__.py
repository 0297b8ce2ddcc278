"""The screen of a lesson: question, predict, run, result, change, exercise.

Not for: what a lesson says or how it is judged (``course``).
"""
