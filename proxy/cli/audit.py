"""`forebay audit`: what is the fixed part of a prompt made of, and what does it cost?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from proxy.cli.parser import Commands, add_config
from proxy.replay import RecordingError
from proxy.settings.faults import ConfigError, Fault

CALLS_PER_DAY = 1000


def add_to(commands: Commands) -> None:
    """The command and its options."""
    parser = commands.add_parser(
        "audit",
        help="find what makes the fixed part of a prompt long, and what it costs",
        description="Weigh the fixed part of a prompt, section by section and tool by tool, tell its cost a call and "
        "a day, and find what is said twice, says nothing or outweighs the rest. Two files: the difference; more: "
        "their totals. Nothing is sent.",
        epilog="example: forebay audit prompt.json --model openai/gpt-5 --calls-per-day 100000",
    )
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE",
        help="an OpenAI request body, a recorded session (as for replay), or the text of a system prompt",
    )  # fmt: skip
    parser.add_argument(
        "--model", metavar="M",
        help="take window, prices and vocabulary of this model: a configured name, or e.g. openai/gpt-5 "
        "(default: none, so tokens only)",
    )  # fmt: skip
    parser.add_argument(
        "--calls-per-day", type=_calls, default=CALLS_PER_DAY, metavar="N",
        help=f"calls that carry this prompt in a day (default: {CALLS_PER_DAY})",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON: all rows, costs and findings")
    add_config(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """0 where every file could be read; findings are no failure."""
    from proxy.audit import as_json, compared, table, totals  # noqa: PLC0415 -- heavy: tokenizer and price table
    from proxy.audit.audited import Terms, audit_file  # noqa: PLC0415
    from proxy.audit.model import route_for, unknown_model  # noqa: PLC0415
    from proxy.tokens import Counter  # noqa: PLC0415

    route = route_for(arguments.model, arguments.config)
    terms = Terms(route or unknown_model(), route is not None, arguments.calls_per_day)
    counter = Counter(terms.route.encoding)
    try:
        audits = [audit_file(path, counter) for path in arguments.files]
    except RecordingError as error:
        raise ConfigError([Fault("", "", str(error))]) from None
    if arguments.json:
        print(json.dumps(as_json.as_json(audits, terms), indent=1))
        return 0
    match audits:
        case [one]:
            print(table.report(one, terms), end="")
        case [before, after]:
            print(compared.report(before, after, terms), end="")
        case _:
            print(totals.report(audits, terms), end="")
    return 0


def _calls(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of calls; write a whole number, e.g. 100000")
    return int(text)
