"""The exercise of a lesson as a pane of the screens: checked on each save; hints, solution, editor."""
