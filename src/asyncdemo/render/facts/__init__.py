"""What there is to tell about runs, in words, for every view."""
