"""A YAML mapping from a file, its duplicate keys refused: YAML would let the last one win in silence."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from proxy.settings.faults import ConfigError, Fault


class _Loader(yaml.SafeLoader):
    """Safe YAML with each key once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
                continue
            if key.value in seen:
                problem = f"{key.value} stands here twice; keep one"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path, origin: str = "") -> dict[str, Any]:
    """The file's mapping, empty for an empty file. `origin` is what asked for it, named if it is missing."""
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        remedy = f"{error.strerror}; give a readable file"
        raise ConfigError([Fault(origin or str(path), str(path) if origin else "", remedy)]) from None
    except UnicodeDecodeError:
        raise ConfigError([Fault(str(path), "", "is not UTF-8; save it as UTF-8")]) from None
    except yaml.YAMLError as error:
        raise ConfigError([_malformed(path, error)]) from None
    except RecursionError:
        raise ConfigError([Fault(str(path), "", "is nested too deeply; write it flatter")]) from None
    except ValueError:
        raise ConfigError([Fault(str(path), "", "holds a malformed date or number; quote it")]) from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ConfigError([Fault(str(path), "", "holds no mapping; write `section:` lines")])
    if odd := [key for key in content if not isinstance(key, str)]:
        raise ConfigError([Fault(str(path), str(odd[0]), "is not a section's name; sections are words")])
    return content


def _malformed(path: Path, error: yaml.YAMLError) -> Fault:
    """Line, column and reason; never the line itself, which may hold a secret."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        hint = "; quote a value that begins with *" if "alias" in f"{error.context} {error.problem}" else ""
        place = f"{path}:{mark.line + 1}:{mark.column + 1}"
        return Fault(place, "", f"is not YAML: {error.problem}{hint}")
    return Fault(str(path), "", "is not YAML: it holds a character that YAML forbids")
