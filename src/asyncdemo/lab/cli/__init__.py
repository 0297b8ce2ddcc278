"""``asyncdemo lab``, and what ``asyncdemo doctor`` says about the lab: the only part of it that prints."""
