r"""Evidence: the exact names and numbers that a model cannot guess and has to have read somewhere.

One pattern, `ITEM`, finds them; `items` is all there is to it. An item is

- an identifier or path: at least four characters of letters, digits and underscores, joined by dots, slashes or
  hyphens, with at least one letter and with a digit, an underscore, a dot or slash inside, or camelCase;
- a number, date or version: digits joined by dots, slashes or hyphens, at least three of them;
- a name that ends in Error or Exception.

Plain words and hyphenated words are none. What stands around an item (quotes, colons, brackets, a leading slash, a
sentence's full stop) does not belong to it, nor do colour codes and the escapes of quoted text: `\n` in a JSON
string is no letter n. Left out are a few words that only look like items (`COMMON`), and runs of over
`LONGEST` characters, which are data and not names.
"""

from __future__ import annotations

import re

LONGEST = 200
COMMON = frozenset(
    """
    and/or client/server e.g i.e he/she his/her if/else input/output n/a/na on/off or/and pass/fail pro/con
    read/write request/response s/he start/end stdin/stdout stdout/stderr true/false try/except yes/no
    github javascript typescript youtube macos node.js utf-8 utf_8 latin-1
    100 1000 10000 100000 1000000
    """.split()  # noqa: SIM905 -- a list of words reads better as words
)
"""Words of the trade and round numbers that anybody writes without having read them; compared in lower case."""

ITEM = re.compile(
    r"""
      \x1b\[[0-9;?]*[A-Za-z]                      # a colour code, passed over
    | \\+ (?: u[0-9a-fA-F]{4} | [nrt] )?          # an escape in quoted text, passed over
    | (                                           # an item:
        (?= \w [\w./-]{2} [./-]* \w )             #   an identifier or path has four characters,
        (?= [\w./-]* [A-Za-z_] )                  #   a letter,
        (?= [\w./-]*? (?: [0-9_]                  #   and a digit or an underscore,
                        | \w [./]+ \w             #   a dot or slash inside,
                        | [a-z][A-Z]              #   camelCase,
                        | \w (?:Error|Exception) \b ) )   # or it names an error;
        \w+ (?: [./-]+ \w+ )*
      | (?= [0-9] (?: [./-]* [0-9] ){2} )         #   a number has three digits
        [0-9]+ (?: [./-]+ [0-9]+ )* (?! \w )
      )
    | \w+ (?: [./-]+ \w+ )*                       # any other word, passed over as a whole
    """,
    re.VERBOSE | re.ASCII,
)


def items(text: str) -> frozenset[str]:
    """The items of a text, each once."""
    found = {match for match in ITEM.findall(text) if match and len(match) <= LONGEST}
    return frozenset(item for item in found if item.lower() not in COMMON)
