"""Outlines of small sources in each language."""
# ruff: noqa: E501 -- a source and its outline read best side by side

from __future__ import annotations

import pytest

from proxy.outline import GRAMMARS, outline

SOURCES = {
    "python": ("import x\n\n@deco\nclass A:\n    def f(self):\n        pass\n\nasync def g(): ...\n", [(3, "A"), (4, "f"), (7, "g")]),
    "javascript": ("class A {\n  f() {}\n}\nfunction g() {}\nconst h = () => 1;\nconst n = 1;\n", [(0, "A"), (1, "f"), (3, "g"), (4, "h")]),
    "typescript": ("interface I { a: string }\ntype T = I;\nexport class A {\n  f(): void {}\n}\n", [(0, "I"), (1, "T"), (2, "A"), (3, "f")]),
    "typescript_without_jsx": ("const a = <A>b;\nfunction f() {}\nconst g = <T>(x: T) => x;\n", [(1, "f"), (2, "g")]),
    "java": ("class A {\n  A() {}\n  int f() { return 1; }\n}\n", [(0, "A"), (1, "A"), (2, "f")]),
    "go": ("package p\n\ntype T struct{}\n\nfunc (t T) F() {}\nfunc g() {}\n", [(2, "T"), (4, "F"), (5, "g")]),
    "rust": ("struct S;\nimpl S {\n  fn f(&self) {}\n}\ntrait T {}\n", [(0, "S"), (1, "S"), (2, "f"), (4, "T")]),
    "c": ("struct s { int a; };\nstatic struct s *f(int a) { struct s b; return 0; }\n", [(0, "s"), (1, "f")]),
    "cpp": ("namespace n {\nclass A { void f() {} };\n}\nint A::g() { return 1; }\n", [(0, "n"), (1, "A"), (1, "f"), (3, "A::g")]),
    "c_sharp": ("namespace N {\n  class A {\n    void F() {}\n  }\n}\n", [(0, "N"), (1, "A"), (2, "F")]),
    "ruby": ("module M\n  class A\n    def f; end\n  end\nend\n", [(0, "M"), (1, "A"), (2, "f")]),
    "php": ("<?php\nclass A {\n  function f() {}\n}\nfunction g() {}\n", [(1, "A"), (2, "f"), (4, "g")]),
}  # fmt: skip


def test_there_is_a_source_for_every_grammar():
    assert SOURCES.keys() == GRAMMARS.keys()


@pytest.mark.parametrize("language", GRAMMARS)
def test_definitions_are_listed_with_their_lines(language: str):
    source, expected = SOURCES[language]
    assert list(outline(source, language)) == expected


def test_a_syntax_error_harms_only_what_is_around_it():
    assert (4, "after") in outline("def before():\n    pass\ndef broken(:\n\ndef after():\n    pass\n", "python")


def test_an_unknown_language_has_no_outline():
    assert outline("x", "klingon") == ()
