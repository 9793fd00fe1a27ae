"""Which files are source code, and of which language: by the ends of their names."""

from __future__ import annotations

_ENDS = {
    "python": ("py", "pyi"),
    "javascript": ("js", "jsx", "mjs", "cjs"),
    "typescript": ("tsx",),
    "typescript_without_jsx": ("ts", "mts", "cts"),
    "java": ("java",),
    "go": ("go",),
    "rust": ("rs",),
    "c": ("c",),
    "cpp": ("cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "ipp", "inl"),
    "c_sharp": ("cs",),
    "ruby": ("rb", "rake"),
    "php": ("php",),
}
"""A header is read as C++, which holds what C writes there."""
_LANGUAGE = {end: language for language, ends in _ENDS.items() for end in ends}


def language_of_file(name: str) -> str | None:
    """The language of a file by its name; None for what is no source code, or made for machines alone."""
    stem, dot, end = name.rpartition(".")
    if not dot or stem.endswith(".min"):
        return None
    return _LANGUAGE.get(end.lower())
