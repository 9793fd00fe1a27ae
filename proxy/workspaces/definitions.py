"""The definitions of one source file, by tree-sitter: kind, owner, and the lines from decorators to the last brace."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tree_sitter import Node

from proxy.outline import name_of, nodes, parsed
from proxy.workspaces.symbol import Symbol, mark, name_part, text_part

LONGEST_NAME = 200
_KINDS = {
    "class": ("class", "class_declaration", "class_definition", "class_specifier", "abstract_class_declaration"),
    "constructor": ("constructor_declaration", "compact_constructor_declaration"),
    "enum": ("enum_declaration", "enum_item", "enum_specifier"),
    "function": (
        "assignment_expression", "field_definition", "function_declaration", "function_definition", "function_item",
        "generator_function_declaration", "local_function_statement", "public_field_definition", "variable_declarator",
    ),
    "impl": ("impl_item",),
    "interface": ("interface_declaration", "annotation_type_declaration"),
    "macro": ("macro_definition", "preproc_function_def"),
    "method": ("method", "method_declaration", "method_definition", "singleton_method"),
    "module": ("mod_item", "module", "namespace_declaration", "namespace_definition", "internal_module"),
    "record": ("record_declaration",),
    "struct": ("struct_declaration", "struct_item", "struct_specifier"),
    "trait": ("trait_declaration", "trait_item"),
    "type": (
        "alias_declaration", "delegate_declaration", "type_alias", "type_alias_declaration", "type_definition",
        "type_item", "type_spec",
    ),
    "union": ("union_item", "union_specifier"),
}  # fmt: skip
_KIND = {type_: kind for kind, types in _KINDS.items() for type_ in types}
_KIND_BY_VALUE = {
    "arrow_function": "function",
    "class": "class",
    "function_expression": "function",
    "generator_function": "function",
    "interface_type": "interface",
    "struct_type": "struct",
}
"""What a name is by what it is given: a variable, a field, a type of Go."""
_GIVEN = {
    "assignment_expression": ("left", "right"),
    "field_definition": ("property", "value"),
    "public_field_definition": ("name", "value"),
    "variable_declarator": ("name", "value"),
}
"""Name and value of what defines something only where the value is a function or a class."""
_TYPES = frozenset({"class", "enum", "impl", "interface", "record", "struct", "trait", "union"})
"""Kinds whose functions are methods."""

_LISTS = frozenset({"lexical_declaration", "variable_declaration", "type_declaration"})
_WRAPPERS = _LISTS | {"decorated_definition", "export_statement", "expression_statement", "template_declaration"}
"""What stands around a definition and belongs to it; a list only where it holds no other."""
_ATTRIBUTES = frozenset({"attribute_item", "decorator"})
"""What stands before a definition and belongs to it."""
_WANTED = _KIND.keys() | _WRAPPERS | _ATTRIBUTES
_GENERIC = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class _Around:
    """Something open: what it owns up to its end. Of a wrapper, the lines of all and the nodes that it wraps."""

    end: int
    owner: str
    is_type: bool
    lines: tuple[int, int] = (0, 0)
    wraps: frozenset[int] = frozenset()


def definitions(data: bytes, language: str, give_up: Callable[[], bool] = lambda: False) -> tuple[Symbol, ...] | None:
    """The definitions in order, those around a syntax error too; None where `give_up` ended the work."""
    root = parsed(data, language, give_up)
    if root is None:
        return None
    lines = data.split(b"\n")
    found: list[Symbol] = []
    open_ = [_Around(len(data) + 1, "", is_type=False)]
    attributes = (0, -2)
    for node in nodes(root, language, _WANTED):
        while open_[-1].end <= node.start_byte:
            open_.pop()
        first, last = _lines(node)
        if node.type in _ATTRIBUTES:
            attributes = (attributes[0] if attributes[1] + 1 >= first else first, last)
        elif node.type in _WRAPPERS:
            open_.append(_wrapper(node, open_[-1]))
        elif name := _name(node):
            if node.id in open_[-1].wraps:
                first, last = open_[-1].lines
            if attributes[0] <= first <= attributes[1] + 1:
                first = attributes[0]
            symbol = _symbol(node, name, open_[-1], (first, last), lines)
            if found and found[-1].mark == symbol.mark and found[-1].first == symbol.first:
                found.pop()  # `typedef struct s {...} s;` is the structure
            found.append(symbol)
            open_.append(_inside(node, found[-1], open_[-1]))
    return tuple(found)


def _lines(node: Node) -> tuple[int, int]:
    """First and last row; an end before the first character of a row does not reach into it."""
    first, end = node.start_point.row, node.end_point
    return first, max(first, end.row - (end.column == 0))


def _wrapper(node: Node, around: _Around) -> _Around:
    children = node.named_children
    is_several = node.type in _LISTS and len(children) > 1
    wraps = frozenset() if is_several else frozenset(child.id for child in children)
    lines = around.lines if node.id in around.wraps else _lines(node)
    return _Around(node.end_byte, around.owner, around.is_type, lines, wraps)


def _inside(node: Node, symbol: Symbol, around: _Around) -> _Around:
    if symbol.kind in ("module", "type"):  # these own nothing: a namespace would hide the class
        return _Around(node.end_byte, around.owner, is_type=False)
    return _Around(node.end_byte, symbol.name, symbol.kind in _TYPES)


def _name(node: Node) -> str:
    """The name as it is written; empty for what defines nothing."""
    if node.type in _GIVEN:
        named, value = (node.child_by_field_name(field) for field in _GIVEN[node.type])
        if named is None or value is None or value.type not in _KIND_BY_VALUE or named.text is None:
            return ""
        name = named.text.decode("utf-8", "replace")
    else:
        name = name_of(node)
    return name if len(name) <= LONGEST_NAME and name.isprintable() else ""


def _symbol(node: Node, written: str, around: _Around, rows: tuple[int, int], lines: list[bytes]) -> Symbol:
    *before, name = re.split(r"::|\.", _GENERIC.sub("", written))
    owner = before[-1] if before and before[-1] else _receiver(node) or around.owner
    kind = _kind(node)
    if kind in ("function", "method"):
        kind = "method" if before or around.is_type or (kind == "method" and owner) else "function"
    first, last = rows
    of_name = name_part(f"{owner}.{name}" if owner else name)
    of_text = text_part(lines[first : last + 1])
    return Symbol(sys.intern(name), kind, sys.intern(owner), first + 1, last + 1, mark(of_name, of_text))


def _kind(node: Node) -> str:
    given = node.child_by_field_name(_GIVEN[node.type][1] if node.type in _GIVEN else "type")
    return _KIND_BY_VALUE.get(given.type if given else "", _KIND[node.type])


def _receiver(node: Node) -> str:
    """The type that a method of Go belongs to."""
    receiver = node.child_by_field_name("receiver")
    found = re.search(rb"(\w+)\s*(?:\[.*\])?\s*\)$", receiver.text or b"") if receiver is not None else None
    return found[1].decode("utf-8", "replace") if found else ""
