"""The screens of the interactive terminal: home, a lesson, a recorded run, presenting.

One Textual application. Commands start it in an interactive terminal, and print text elsewhere.
"""
