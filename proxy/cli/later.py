"""Commands that a later version brings: refused, never silently missing."""

from __future__ import annotations

import argparse
import sys

from proxy.cli.parser import Commands

COMMANDS = {
    "audit": "find what makes the fixed part of a prompt long",
}


def add_to(commands: Commands) -> None:
    """One entry per command, so that the list of commands tells of it."""
    for name, what in COMMANDS.items():
        parser = commands.add_parser(
            name,
            help=f"{what} (not built yet)",
            description=f"Not built yet: this command will {what}.",
            epilog=f"example: forebay {name} session.jsonl",
        )
        parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Say so, exit 2."""
    print(f"forebay {arguments.command}: not built yet; see forebay --help for what is", file=sys.stderr)
    return 2
