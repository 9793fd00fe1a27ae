"""`forebay keys new`: a key for an agent, and the hash for the configuration."""

from __future__ import annotations

import argparse

from proxy.cli.parser import Commands
from proxy.keys import hash_key, new_key
from proxy.settings.values import tenant_name


def add_to(commands: Commands) -> None:
    """`keys` with its one command."""
    parser = commands.add_parser(
        "keys",
        help="make keys for agents",
        description="Make keys for agents.",
        epilog="example: forebay keys new --tenant team-a",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = actions.add_parser(
        "new",
        help="print a new key once, and its hash",
        description="Print a new key once, and the hash that goes into the configuration.",
        epilog="example: forebay keys new --tenant team-a",
    )
    new.add_argument("--tenant", type=_tenant, required=True, help="the tenant that the key belongs to")
    new.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Nothing is stored: the key is on the terminal and nowhere else."""
    key = new_key()
    print(f"key:  {key}")
    print(f"hash: {hash_key(key)}")
    print()
    print("The key is shown this once: give it to the agents. The hash goes into the configuration:")
    print()
    print("tenants:")
    print(f'  - name: "{arguments.tenant}"')
    print(f'    key_hashes: ["{hash_key(key)}"]')
    return 0


def _tenant(name: str) -> str:
    try:
        return tenant_name(name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
