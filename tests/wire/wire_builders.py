"""Generated histories, and a JSON writer that makes every free choice at random."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

# Separators, escapes, quotes, braces and text beyond the basic plane are where a splice can go wrong.
TEXT = st.text(st.sampled_from('ab"\\/{}[],: \n\t\u00e9\u6f22\U0001f600\u2028\x7f'), max_size=12)
ARGUMENTS = TEXT | st.sampled_from(['{"path": "a"}', '{"cut": "o'])
TEXT_PART = st.fixed_dictionaries({"type": st.just("text"), "text": TEXT})
IMAGE_PART = st.fixed_dictionaries(
    {"type": st.just("image_url"), "image_url": st.fixed_dictionaries({"url": st.just("http://x/y.png")})}
)
CONTENT = TEXT | st.lists(TEXT_PART | IMAGE_PART, max_size=3)
CALL = st.fixed_dictionaries(
    {
        "id": TEXT,
        "type": st.just("function"),
        "function": st.fixed_dictionaries({"name": TEXT, "arguments": ARGUMENTS}),
    }
)
OTHER = st.dictionaries(
    st.sampled_from(["vendor", "text", "content\u00e9"]), TEXT | st.none() | st.integers(), max_size=2
)


def _message(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(lambda known, other: {**other, **known}, st.fixed_dictionaries(fields), OTHER)


USER = _message(role=st.just("user"), content=CONTENT)
ASSISTANT = _message(role=st.just("assistant"), content=CONTENT | st.none(), tool_calls=st.lists(CALL, max_size=2))
LEGACY = _message(
    role=st.just("assistant"), function_call=st.fixed_dictionaries({"name": TEXT, "arguments": ARGUMENTS})
)
TOOL = _message(role=st.just("tool"), tool_call_id=TEXT, content=CONTENT)
SYSTEM = _message(role=st.sampled_from(["system", "developer"]), content=CONTENT)
HISTORY = st.lists(USER | ASSISTANT | LEGACY | TOOL | SYSTEM, min_size=1, max_size=6)
BODY = st.builds(
    lambda history, other: {"model": "gpt-5", "messages": history, **other},
    HISTORY,
    st.fixed_dictionaries(
        {}, optional={"stream": st.booleans(), "max_tokens": st.integers(0, 9999), "x": TEXT, "y\n": CONTENT}
    ),
)


def write(value: Any, rnd: random.Random) -> bytes:
    """`value` as JSON with random key order, white space and escapes."""
    return (_blank(rnd) + _write(value, rnd) + _blank(rnd)).encode()


def _write(value: Any, rnd: random.Random) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + "".join(_character(c, rnd) for c in value) + '"'
        case list():
            return "[" + _joined([_write(item, rnd) for item in value], rnd) + "]"
        case dict():
            items = list(value.items())
            rnd.shuffle(items)
            pairs = [f"{_write(k, rnd)}{_blank(rnd)}:{_blank(rnd)}{_write(v, rnd)}" for k, v in items]
            return "{" + _joined(pairs, rnd) + "}"
        case _:
            return str(value)


def _joined(items: list[str], rnd: random.Random) -> str:
    return ",".join(f"{_blank(rnd)}{item}{_blank(rnd)}" for item in items) or _blank(rnd)


def _blank(rnd: random.Random) -> str:
    return rnd.choice(["", "", "", " ", "\n ", "\t", "\r\n"])


def _character(character: str, rnd: random.Random) -> str:
    if character in '"\\' or ord(character) < 32 or rnd.random() < 0.2:
        short = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\n": "\\n", "\t": "\\t"}.get(character)
        if short and rnd.random() < 0.7:
            return short
        units = character.encode("utf-16-be")
        return "".join(f"\\u{units[i]:02x}{units[i + 1]:02X}" for i in range(0, len(units), 2))
    return character
