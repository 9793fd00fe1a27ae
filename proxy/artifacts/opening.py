"""The artifact store that the configuration names, opened and closed again.

One that does not answer at start is told, and costs the proxy nothing but a moment: originals are kept once it does.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from proxy.artifacts import Artifacts
from proxy.artifacts.ledger import Caps
from proxy.artifacts.local import LocalArtifacts
from proxy.errors import StoreError
from proxy.settings import ArtifactsSettings, ConfigError, Fault
from proxy.settings.bucket_address import SCHEME, bucket_address

if TYPE_CHECKING:
    from proxy.artifacts.objects import ObjectArtifacts

log = logging.getLogger(__name__)


@asynccontextmanager
async def opened(settings: ArtifactsSettings, secret: bytes) -> AsyncIterator[Artifacts]:
    """A folder or an object store; `secret` keys the names in the latter."""
    if settings.url.startswith(SCHEME):
        objects = _objects(settings, secret)
        try:
            await _tried(objects.ready, settings.url)
            yield objects
        finally:
            await objects.close()
    else:
        folder = LocalArtifacts(
            Path(settings.url), settings.ttl_seconds, settings.max_mb_per_session, settings.max_mb_per_tenant
        )
        await _tried(folder.ready, settings.url)
        yield folder


def _objects(settings: ArtifactsSettings, secret: bytes) -> ObjectArtifacts:
    from proxy.artifacts.bucket import Bucket  # noqa: PLC0415 -- the library is loaded only where it is used
    from proxy.artifacts.objects import ObjectArtifacts  # noqa: PLC0415

    try:
        bucket = Bucket(bucket_address(settings.url))
    except StoreError as error:
        message = f"{error}; correct the address, or the AWS_* variables that complete it"
        raise ConfigError([Fault("", "artifacts.url", message)]) from None
    caps = Caps.of_mb(settings.max_mb_per_session, settings.max_mb_per_tenant)
    return ObjectArtifacts(bucket, secret, settings.ttl_seconds, caps)


async def _tried(ready: Callable[[], Awaitable[None]], url: str) -> None:
    try:
        await ready()
    except StoreError as error:
        log.warning("artifacts.url %s cannot be used (%s); originals are not kept until it can", url, error)
