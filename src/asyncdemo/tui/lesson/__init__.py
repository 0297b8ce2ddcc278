"""The screen of a lesson: question, predict, run, result, change, exercise."""
