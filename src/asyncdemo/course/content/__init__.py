"""What a lesson is: its manifest, knobs, predictions and claims, as data."""
