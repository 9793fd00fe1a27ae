"""Output of image builds and type checks of the invented project."""

from __future__ import annotations

import random
from collections.abc import Sequence

from proxy.demo.texts.vocabulary import THINGS

_PACKAGES = (
    "anyio", "asyncpg", "attrs", "babel", "certifi", "click", "croniter", "h11", "httptools", "idna", "jinja2",
    "lxml", "markupsafe", "openpyxl", "orjson", "pendulum", "pillow", "psycopg", "pydantic-core", "reportlab",
    "sniffio", "starlette", "structlog", "tenacity", "tzdata", "uvicorn", "watchfiles", "websockets", "xlsxwriter",
)  # fmt: skip


def image_build(seed: str, errors: Sequence[str] = ()) -> str:
    """A container build; with `errors` its last step fails with these lines."""
    rng = random.Random(f"build {seed}")
    lines = ["#1 [internal] load build definition from Dockerfile", "#1 transferring dockerfile: 1.84kB done", ""]
    clock = 0.2
    for package in _PACKAGES:
        version = f"{rng.randint(0, 9)}.{rng.randint(0, 30)}.{rng.randint(0, 9)}"
        size = rng.randint(30, 4200)
        clock += rng.randint(2, 90) / 100
        lines.append(f"#9 {clock:.3f} Collecting {package}=={version}")
        lines.append(
            f"#9 {clock + 0.01:.3f}   Downloading {package.replace('-', '_')}-{version}-py3-none-any.whl ({size} kB)"
        )
    lines += [f"#9 {clock + 2:.1f} Successfully installed {len(_PACKAGES)} packages", "#9 DONE", ""]
    for number, thing in enumerate(THINGS.values(), start=1):
        layer = f"{rng.getrandbits(256):064x}"
        lines.append(f"#{10 + number} [worker {number}/14] RUN python -m quayside.compile {thing.plural}")
        lines.append(
            f"#{10 + number} {rng.randint(1, 80) / 10:.1f} {thing.plural}: {rng.randint(4, 40)} statements prepared"
        )
        lines.append(f"#{10 + number} exporting layer sha256:{layer} done")
    lines += [f"#25 {clock:.1f} {line}" for line in errors]
    if errors:
        lines.append(
            '#25 ERROR: process "/bin/sh -c python -m mypy quayside" did not complete successfully: exit code: 1'
        )
    else:
        lines.append(f"#26 naming to registry.quayside.example/billing:{rng.getrandbits(28):07x} done")
    return "\n".join(lines) + "\n"
