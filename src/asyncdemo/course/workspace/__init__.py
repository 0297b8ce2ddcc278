"""What belongs to a learner: the exercises' files, which of them were saved, and the progress."""
