"""The screens of the interactive terminal: home, a lesson, a recorded run, presenting, the rig.

One Textual application. Commands start it where somebody sits at a terminal, and print words elsewhere.
Not for: what a lesson says or a run shows (``course``, ``render``); nothing else imports Textual.
"""
