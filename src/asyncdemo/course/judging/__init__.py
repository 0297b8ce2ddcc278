"""Runs an exercise and checks what was recorded."""
