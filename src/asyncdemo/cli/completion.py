"""``asyncdemo completion``: the script that lets a shell complete commands, options and lessons."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from asyncdemo.errors import UsageError


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash: echo 'eval "$(asyncdemo completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(asyncdemo completion zsh)"' >> ~/.zshrc
    fish: asyncdemo completion fish > ~/.config/fish/completions/asyncdemo.fish

    It takes effect in the next shell that you open.
    """
    from asyncdemo.cli.app import app

    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"There is no completion for {shell}.")
    try:
        click.echo(kind(app, {}, "asyncdemo", "_ASYNCDEMO_COMPLETE").source())
    except RuntimeError as error:  # click: bash is older than 4.4
        raise UsageError(str(error)) from None
