"""The course as data: lessons, knobs, predictions and claims. No terminal, no exit, no drawing."""
