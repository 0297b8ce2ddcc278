"""The exercise of a lesson as a pane of the screens: checked when it is saved; hints, solution, editor."""
