"""The screens of the interactive terminal: home, a lesson, a recorded run, presenting.

One Textual application. Commands start it in an interactive terminal, and print text elsewhere.
Not here: the content of lessons and runs (see ``course``, ``render``); nothing else imports Textual.
"""
