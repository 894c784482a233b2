"""`outrider completion`: scripts that teach a shell to complete."""

from __future__ import annotations

import click

from outrider.errors import InvalidArgument
from outrider.interfaces import terminal
from outrider.interfaces.options import debug_option

_EPILOG = """\b
Set it up once:
  bash   echo 'eval "$(outrider completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(outrider completion zsh)"' >> ~/.zshrc
  fish   outrider completion fish > ~/.config/fish/completions/outrider.fish
"""


@click.command("completion", help="Print the completion script for bash, zsh or fish.", epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@debug_option
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print it."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise InvalidArgument(f"there is no completion for {shell}")
    terminal.write(_Script.of(kind, ctx.find_root().command).rstrip() + "\n")


class _Script:
    """A completion script without the check of the running shell's version, which would start that shell."""

    @staticmethod
    def of(kind: type, command: click.Command) -> str:
        from click.shell_completion import ShellComplete

        complete = kind(command, {}, "outrider", "_OUTRIDER_COMPLETE")
        assert isinstance(complete, ShellComplete)
        return ShellComplete.source(complete)


COMMAND = completion
