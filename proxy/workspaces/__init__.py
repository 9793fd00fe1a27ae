"""Workspaces: folders of source code that the model may look into by the names of definitions, read only.

`workspace.py` is one folder: `tree.py` walks it and opens files without following a link, `definitions.py` reads what
a file defines, `index.py` keeps that and reads again only what changed, before each answer. `view.py` is what one
tenant may ask: a search (`matching.py`), a definition by name, or lines by the place that an earlier answer cited
(`places.py`), which still resolve after an edit, or say that the file has changed (`symbol.py`). `answers.py` is what
the model reads, `answering.py` takes the calls of our tool.
"""

from proxy.workspaces.answering import Symbols
from proxy.workspaces.answers import Told
from proxy.workspaces.workspaces import Workspaces

__all__ = ["Symbols", "Told", "Workspaces"]
