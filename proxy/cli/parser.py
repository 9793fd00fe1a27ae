"""argparse, its errors in one line."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn, TypeAlias


class Parser(argparse.ArgumentParser):
    """A parser that tells what is wrong and where to look, without the whole usage; options are written out."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """One line on stderr, exit 2."""
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def add_config(parser: argparse.ArgumentParser) -> None:
    """`--config`, the same everywhere."""
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="YAML file; else FOREBAY_CONFIG, else ./config.yaml if present, else built-in defaults",
    )
