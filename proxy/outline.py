"""The definitions of a source text, by tree-sitter: one grammar package per language, nothing fetched.

A text with syntax errors still has an outline: of what stands around them. A language without a grammar here, or a
text over `MOST_BYTES`, has none, and the reducers go by their own signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

MOST_BYTES = 2_000_000
"""Larger texts are no source files that somebody reads."""

GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_tsx"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "c_sharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
}
"""Package and function of each grammar."""

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
_NAMED_BY = ("name", "declarator", "type")


def outline(text: str, language: str) -> Sequence[tuple[int, str]]:
    """Line (from 0) and name of each definition, in order."""
    parser = _parser(language)
    data = text.encode("utf-8", "replace")
    if parser is None or len(data) > MOST_BYTES:
        return ()
    return tuple(_definitions(parser.parse(data).root_node))


@cache
def _parser(language: str) -> Parser | None:
    if language not in GRAMMARS:
        return None
    package, function = GRAMMARS[language]
    return Parser(Language(getattr(import_module(package), function)()))


def _definitions(root: Node) -> Iterator[tuple[int, str]]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in DEFINITIONS and (name := _name(node)):
            yield node.start_point.row, name
        waiting.extend(reversed(node.named_children))


def _name(node: Node) -> str:
    """The name that a definition gives; empty for one that gives none, or for a variable that holds no function."""
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is None or value.type not in _HOLDS_FUNCTION:
            return ""
    named: Node | None = node
    while named is not None and named.named_child_count and not named.type.endswith("identifier"):
        named = next((child for by in _NAMED_BY if (child := named.child_by_field_name(by))), None)
    return "" if named is None or named is node or named.text is None else named.text.decode("utf-8", "replace")
