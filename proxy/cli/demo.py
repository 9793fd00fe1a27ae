"""`forebay demo`: watch two agent sessions go through a whole proxy, on loopback, without a key."""

from __future__ import annotations

import argparse

import uvloop

from proxy.cli.parser import Commands


def add_to(commands: Commands) -> None:
    """The command and its option."""
    parser = commands.add_parser(
        "demo",
        help="run two agent sessions through a proxy on loopback",
        description="Run a real proxy on loopback against a scripted upstream and print what each request "
        "received, forwarded and saved; exit 0 only if every request was valid.",
        epilog="example: forebay demo --keep",
    )
    parser.add_argument("--keep", action="store_true", help="leave the proxy running afterwards")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """The demo's own exit status."""
    from proxy.demo.run import run as run_demo  # noqa: PLC0415 -- heavy: the whole proxy

    return uvloop.run(run_demo(arguments.keep))
