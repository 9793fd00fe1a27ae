"""`forebay serve`: run the proxy until it is told to stop."""

from __future__ import annotations

import argparse

import uvloop

from proxy.cli.configuration import load
from proxy.cli.parser import Commands, add_config
from proxy.settings import Settings


def add_to(commands: Commands) -> None:
    """The command and its options, which beat file and environment."""
    parser = commands.add_parser(
        "serve",
        help="run the proxy",
        description="Run the proxy; prints one line with its addresses when it is ready.",
        epilog="example: forebay serve --config forebay.yaml --port 8080",
    )
    add_config(parser)
    parser.add_argument("--host", help="address to listen on (server.host)")
    parser.add_argument("--port", type=int, help="port to listen on, 0 for a free one (server.port)")
    parser.add_argument("--workers", type=int, help="processes that serve requests (server.workers)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Until SIGTERM or SIGINT; 0 after an orderly end."""
    given = {name: getattr(arguments, name) for name in ("host", "port", "workers")}
    options = {"server": {name: value for name, value in given.items() if value is not None}}
    settings, _ = load(arguments.config, options)

    def load_again() -> Settings:
        return load(arguments.config, options)[0]

    from proxy.app import serve  # noqa: PLC0415 -- heavy: the whole proxy, LiteLLM with it

    uvloop.run(serve(settings, lambda line: print(line, flush=True), load_again))
    return 0
