"""Conversations for tests of `policies`, built from literals: a word is a token, and every message costs one more."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from policies.budget import budget_for
from policies.conversation import Call, Conversation, Message
from policies.fold import Fold
from policies.plan import Plan, plan
from policies.schema import Policy
from policies.terms import CachePrices, Terms


@dataclass(frozen=True)
class Said:
    """One message as a test writes it down."""

    role: str
    texts: tuple[str, ...] = ()
    calls: tuple[tuple[str, str, str], ...] = ()  # id, name, arguments
    result_of: str | None = None
    extra: int = 0


def words(count: int, word: str = "w") -> str:
    """A text of so many tokens, ten to a line."""
    return "\n".join(" ".join([word] * min(10, count - start)) for start in range(0, count, 10))


def count(text: str) -> int:
    """Tokens of a text: its words."""
    return len(text.split())


def locate(kind: str, data: bytes) -> str:
    """A locator without a secret."""
    digest = hashlib.sha256(kind.encode() + b"\0" + data).hexdigest()
    return "art_" + digest[:12].translate(str.maketrans("0189", "ghij"))


def system(text: str) -> Said:
    return Said("system", (text,))


def user(*texts: str) -> Said:
    return Said("user", texts)


def says(text: str, extra: int = 0) -> Said:
    return Said("assistant", (text,), extra=extra)


def call(name: str = "read", *, id: str = "c1", arguments: str = "{}") -> Said:
    return Said("assistant", (), ((id, name, arguments),))


def calls(*made: tuple[str, str, str]) -> Said:
    return Said("assistant", (), made)


def result(text: str, *, id: str = "c1") -> Said:
    return Said("tool", (text,), result_of=id)


def conversation(*said: Said) -> Conversation:
    """The facts of a conversation, its texts behind them."""
    return Conversation(
        [_message(one) for one in said],
        lambda index, part: said[index].texts[part],
        lambda index, position: said[index].calls[position][2],
        lambda index: _canonical(said[index]),
    )


def _message(said: Said) -> Message:
    made = tuple(Call(id, name, count(arguments)) for id, name, arguments in said.calls)
    parts = tuple(count(text) for text in said.texts)
    return Message(
        role=said.role,  # type: ignore[arg-type] # a test says what it means
        digest=hashlib.sha256(_canonical(said).encode()).digest()[:16],
        tokens=1 + sum(parts) + sum(one.tokens for one in made),
        extra_tokens=said.extra,
        parts=parts,
        calls=made,
        result_of=said.result_of,
    )


def _canonical(said: Said) -> str:
    return json.dumps([said.role, said.texts, said.calls, said.result_of])


def terms(window: int, policy: Policy | None = None, *, prices: CachePrices | None = None, fixed: int = 0) -> Terms:
    """Terms for a window that includes the output."""
    policy = policy or Policy()
    return Terms(policy, budget_for(policy, window, True), prices or CachePrices(1.25, 0.1), fixed, count, locate)


def without_cost_rule(**changes: object) -> Policy:
    """The default policy, only the window forcing batches."""
    history = {"cost_rule": {"enabled": False}, **dict(changes.pop("history", {}))}  # type: ignore[call-overload]
    return Policy.model_validate({**changes, "history": history})


def planned(before: Conversation, under: Terms, max_output: int | None = None) -> Plan:
    """The plan of a request with this history, walked from the start."""
    fold = walked(before, under)
    return plan(fold, before, under, max_output)


def walked(before: Conversation, under: Terms) -> Fold:
    """The fold at the end of the history, its last checkpoint held."""
    fold = Fold()
    fold.take(before, under)
    fold.checkpoint(before, under)
    return fold


def tool_turns(turns: int, size: int, *, argument_words: int = 1) -> list[Said]:
    """So many assistant turns with one call and a result of `size` tokens each."""
    said: list[Said] = []
    for turn in range(turns):
        arguments = json.dumps({"path": f"file{turn}", "text": words(argument_words)})
        said += [call(id=f"c{turn}", arguments=arguments), result(words(size, f"r{turn}"), id=f"c{turn}")]
    return said
