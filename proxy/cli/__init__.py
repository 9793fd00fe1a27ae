"""The command line: one file per command, errors in one line, exit 2 for usage and configuration, 1 for failure.

Nothing heavy is imported before a command needs it, so that `--help` and `keys new` answer at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from proxy.cli import audit, check, demo, keys, replay, serve
from proxy.cli.parser import Parser
from proxy.errors import StoreError
from proxy.settings.faults import ConfigError
from proxy.version import VERSION

COMMANDS = (serve, demo, check, replay, audit, keys)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    arguments = _parse(sys.argv[1:] if argv is None else argv)
    try:
        return int(arguments.run(arguments))
    except ConfigError as error:
        for fault in error.faults:
            print(f"forebay: {fault}", file=sys.stderr)
        return 2
    except (OSError, StoreError) as error:
        print(f"forebay {arguments.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog="forebay",
        description="An OpenAI-compatible proxy that keeps LLM agents inside their token budget.",
        epilog="example: forebay serve --port 8080",
    )
    parser.add_argument("--version", action="version", version=f"forebay {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    arguments, rest = parser.parse_known_args(argv)
    if rest:
        parser.error(f"{rest[0]!r} is not an argument of {arguments.command}")
    return arguments
