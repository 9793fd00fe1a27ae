"""The definitions of a source text, by tree-sitter: one grammar package per language, nothing fetched.

A text with syntax errors still has an outline: of what stands around them. A language without a grammar here, or a
text over `MOST_BYTES`, has none, and the reducers go by their own signs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser, Query, QueryCursor

MOST_BYTES = 2_000_000
"""Larger texts are no source files that somebody reads."""

GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_tsx"),
    "typescript_without_jsx": ("tree_sitter_typescript", "language_typescript"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "c_sharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
}
"""Package and function of each grammar. TSX reads TypeScript too, but for `<T>x`, which is an element there."""

DEFINITIONS = frozenset(
    {
        "class",
        "class_declaration",
        "class_definition",
        "class_specifier",
        "constructor_declaration",
        "enum_declaration",
        "enum_item",
        "enum_specifier",
        "function_declaration",
        "function_definition",
        "function_item",
        "impl_item",
        "interface_declaration",
        "method",
        "method_declaration",
        "method_definition",
        "mod_item",
        "module",
        "namespace_declaration",
        "namespace_definition",
        "record_declaration",
        "singleton_method",
        "struct_declaration",
        "struct_item",
        "struct_specifier",
        "trait_declaration",
        "trait_item",
        "type_alias_declaration",
        "type_item",
        "type_spec",
        "union_specifier",
        "variable_declarator",
    }
)
"""Node types that define something by name, over all grammars."""
_HOLDS_FUNCTION = frozenset({"arrow_function", "function_expression"})
_MENTIONS_WITHOUT_BODY = frozenset({"class_specifier", "enum_specifier", "struct_specifier", "union_specifier"})
_NAMED_BY = ("name", "declarator", "type")
_CHUNK_BYTES = 4096
"""A parser that reads in pieces lets other threads run in between."""


def outline(text: str, language: str) -> Sequence[tuple[int, str]]:
    """Line (from 0) and name of each definition, in order."""
    data = text.encode("utf-8", "replace")
    root = parsed(data, language) if len(data) <= MOST_BYTES else None
    if root is None:
        return ()
    named = ((node, name_of(node)) for node in nodes(root, language, DEFINITIONS))
    return tuple((node.start_point.row, name) for node, name in named if name)


def parsed(data: bytes, language: str, give_up: Callable[[], bool] = lambda: False) -> Node | None:
    """The root of a source's tree; None without a grammar, or where `give_up` ended the work."""
    if language not in GRAMMARS:
        return None
    parser = Parser(_grammar(language))  # one for each text: threads take turns within a text
    try:
        tree = parser.parse(
            lambda start, _point: data[start : start + _CHUNK_BYTES],
            progress_callback=lambda _offset, _has_error: give_up(),
        )
    except ValueError:
        return None
    return tree.root_node


def nodes(root: Node, language: str, types: Collection[str]) -> list[Node]:
    """All nodes of these types, outer ones before those inside."""
    found = QueryCursor(_query(language, frozenset(types))).captures(root).get("node", [])
    return sorted(found, key=lambda node: (node.start_byte, -node.end_byte))


def name_of(node: Node) -> str:
    """The name that a definition gives; empty for one that gives none, or for a variable that holds no function."""
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is None or value.type not in _HOLDS_FUNCTION:
            return ""
    if node.type in _MENTIONS_WITHOUT_BODY and node.child_by_field_name("body") is None:
        return ""
    named: Node | None = node
    while named is not None and named.named_child_count and not named.type.endswith("identifier"):
        named = next((child for by in _NAMED_BY if (child := named.child_by_field_name(by))), None)
    return "" if named is None or named is node or named.text is None else named.text.decode("utf-8", "replace")


@cache
def _grammar(language: str) -> Language:
    package, function = GRAMMARS[language]
    return Language(getattr(import_module(package), function)())


@cache
def _query(language: str, types: frozenset[str]) -> Query:
    grammar = _grammar(language)
    known = sorted(each for each in types if grammar.id_for_node_kind(each, True))
    return Query(grammar, f"[{' '.join(f'({each})' for each in known)}] @node")
