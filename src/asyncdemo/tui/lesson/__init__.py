"""The screen of a lesson: question, predict, run, result, change, exercise.

Not here: the content of a lesson, or judging it (see ``course``).
"""
