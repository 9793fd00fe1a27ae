"""`python -m deploy.dashboards`: write what is made by code; a test fails while it is out of date."""

from __future__ import annotations

from deploy.dashboards import files

for path, text in files().items():
    path.write_text(text, encoding="utf-8")
    print(path)  # noqa: T201 -- a command
