"""Source files: the outline of definitions, the imports, the head. The word "Error" in code reports nothing.

A file as agents' tools print it, each line behind its number, is a source file too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.reducers.order import ends, matching
from policies.reducers.reducer import Outline, Ranking, Reducer

_NUMBER = re.compile(r"\s{0,10}\d{1,7}(?:\t|→|\||: |:?$)")
_LANGUAGES = {
    "python": r"(?:async )?def \w+\(|class \w+(?:\(.*\))?:$|import [\w., ]+$|from [\w.]+ import |@\w|if __name__ ==",
    "typescript": r"(?:export )?(?:interface|type|enum) \w+|import type "
    r"|(?:public|private|protected|readonly) \w+.*[:;]$",
    "javascript": r"import .* from ['\"]|(?:export )?(?:default )?(?:async )?function\*? ?\w*\("
    r"|(?:export )?(?:const|let|var) [\w{]"
    r"|(?:export )?(?:default )?class \w+|module\.exports|.*require\(['\"]|export \{",
    "go": r"package \w+$|func (?:\(.*?\) )?\w+\(|type \w+ (?:struct|interface)|import (?:\(|\")",
    "rust": r"(?:pub(?:\(\w+\))? )?(?:async )?(?:fn|struct|enum|trait|mod|impl|use|const|static)\b.*[{;(,]$|#!?\[\w",
    "java": r"package [\w.]+;|import (?:static )?[\w.*]+;|(?:public|private|protected)\b.*[{;]$"
    r"|@(?:Override|Test|Autowired|Entity)\b",
    "c_sharp": r"using [\w.]+;|namespace [\w.]+|(?:public|private|internal|protected)\b.*[{;)]$",
    "c": r"#\s*(?:include|define|ifn?def|endif)\b"
    r"|(?:static |const |unsigned |extern )*(?:int|void|char|struct \w+|bool|size_t) \**\w+\(",
    "cpp": r"#\s*include <\w+>|template ?<|namespace \w+|class \w+.*\{?$"
    r"|using namespace|(?:public|private|protected):$|\S+::\S+\(",
    "ruby": r"require(?:_relative)? ['\"]|(?:def|module|class) [\w:.?!]+|end$|attr_\w+ :",
    "php": r"<\?php|namespace [\w\\]+;|use [\w\\]+;|(?:public |private |protected |static )*function \w*\(",
    "bash": r"#!/\S*sh\b|(?:function )?\w+ ?\(\) ?\{|if \[\[? |fi$|done$|esac$|export \w+=",
}
_SIGNS = {name: re.compile(rf"\s{{0,40}}(?:{signs})") for name, signs in _LANGUAGES.items()}
_DEFINITION = re.compile(
    r"\s{0,40}(?:(?:export|default|async|public|private|protected|internal|static|final|abstract|override|pub(?:\(\w+\))?|unsafe|extern)\s)*"
    r"(?:def|class|func|fn|function|interface|struct|enum|trait|impl|type|module|mod|namespace|record|object)\s+[\w(<*]"
    r"|\s{0,40}(?:export )?const \w+ = (?:async )?(?:\(|function)|(?:[A-Za-z_][\w*&<>:]* )+[\w:*&~]+\([^;]*$"
    r"|\s{1,8}(?:public|private|protected|internal)\b.*\(.*[{)]$"
)
_IMPORT = re.compile(r"(?:import|from|use|using|package|require|#\s*include|#!)\b|.*\brequire\(|<\?php")
_CODE = re.compile(r".*[{};:(,\[\]]$|\s*[)\]}]|\s*(?:#|//|/\*|\*|--)|\s+\S|\s*(?:return|end|fi|done|else)\b")
_DIALECTS = {"javascript": "typescript", "c": "cpp"}
"""Languages that share most of their signs with another: one sign of its own decides."""
FEWEST_SIGNS = 3


def _recognises(lines: Sequence[str]) -> bool:
    code = bare(lines)
    if any(line.startswith("```") for line in code):
        return False
    signs = max(_counted(code).values())
    said = [line[:1_000] for line in code if line]
    looks = sum(1 for line in said if _CODE.match(line) or _DEFINITION.match(line) or _IMPORT.match(line))
    return signs >= FEWEST_SIGNS and signs >= len(said) / 50 and looks >= 0.6 * len(said)


def bare(lines: Sequence[str]) -> list[str]:
    """The lines without the numbers that a tool has put in front of them."""
    cut = [_NUMBER.match(line[:20]) for line in lines]
    said = sum(1 for line in lines if line)
    if said and sum(1 for match in cut if match) >= 0.9 * said:
        return [line[match.end() :] if match else line for line, match in zip(lines, cut, strict=True)]
    return list(lines)


def _counted(code: Sequence[str]) -> dict[str, int]:
    """How many lines speak for each language."""
    short = [line[:300] for line in code if line]
    return {name: sum(1 for line in short if signs.match(line)) for name, signs in _SIGNS.items()}


def language_of(code: Sequence[str]) -> str:
    """The language whose signs are the most; the first one of the table where two have as many."""
    counted = _counted(code)
    most = max(counted, key=lambda name: counted[name])
    dialect = _DIALECTS.get(most, most)
    return dialect if counted[dialect] else most


def _rank(lines: Sequence[str], outline: Outline) -> Ranking:
    code = bare(lines)
    language = language_of(code)
    named = [number for number, _ in outline("\n".join(code), language) if 0 <= number < len(lines)]
    defined = named or matching([line[:300] for line in code], _DEFINITION.match)
    imports = matching([line[:300] for line in code], _IMPORT.match)
    facts = f"{language}, {len(defined)} definitions"
    return Ranking((), [*range(min(3, len(lines))), *_shallow(defined, code), *imports, *ends(len(lines))], facts)


def _shallow(defined: Sequence[int], code: Sequence[str]) -> list[int]:
    """Definitions, the outer ones first."""
    return sorted(dict.fromkeys(defined), key=lambda number: len(code[number]) - len(code[number].lstrip()))


SOURCE = Reducer("source", _recognises, _rank)
