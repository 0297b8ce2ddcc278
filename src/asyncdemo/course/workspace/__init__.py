"""What belongs to a learner: the exercise files, which of them were saved, and the progress."""
