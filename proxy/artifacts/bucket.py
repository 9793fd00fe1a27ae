"""The border to the object store: bytes under keys, its errors as StoreError. The only module that knows obstore."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from obstore.exceptions import BaseError
from obstore.store import S3Store

from proxy.errors import StoreError
from proxy.settings.bucket_address import SCHEME, BucketAddress

if TYPE_CHECKING:
    from obstore.store import S3Config  # a type only, in obstore too

_CODE = re.compile(r"<Code>([A-Za-z0-9.]{1,80})</Code>")
_CONNECT = timedelta(seconds=2)
_REQUEST = timedelta(seconds=30)  # `gate.py` waits less; this bounds what nobody waits for
_RETRYING = timedelta(seconds=1)


class Bucket:
    """One bucket below its prefix. Opens no connection before it is used.

    Credentials, and what the address leaves open, come from the AWS_* variables or from the machine's or pod's role.
    """

    def __init__(self, address: BucketAddress) -> None:
        self.name = f"{SCHEME}{address.bucket}/{address.prefix}"
        config: S3Config = {}
        if address.endpoint is not None:
            config["endpoint"] = address.endpoint
        if address.region is not None:
            config["region"] = address.region
        if address.path_style is not None:
            config["virtual_hosted_style_request"] = not address.path_style
        try:
            self._store = S3Store(
                address.bucket,
                prefix=address.prefix or None,
                config=config,
                client_options={"allow_http": True, "connect_timeout": _CONNECT, "timeout": _REQUEST},
                retry_config={"max_retries": 1, "retry_timeout": _RETRYING},
            )
        except BaseError as error:
            raise self._failed(error) from None

    async def put(self, key: str, content: bytes) -> None:
        """Keep the content under the key, whole or not at all."""
        try:
            await self._store.put_async(key, content, use_multipart=False)
        except (BaseError, OSError) as error:
            raise self._failed(error) from None

    async def get(self, key: str) -> bytes | None:
        """The content; None where there is none."""
        try:
            found = await self._store.get_async(key)
            return bytes(await found.bytes_async())
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise self._failed(error) from None

    async def list(self, folder: str) -> AsyncIterator[tuple[str, int]]:
        """Every key below the folder, relative to it, with its size."""
        try:
            async for page in self._store.list(folder):
                for entry in page:
                    yield entry["path"].removeprefix(f"{folder}/"), entry["size"]
        except (BaseError, OSError) as error:
            raise self._failed(error) from None

    async def folders(self) -> tuple[str, ...]:
        """What stands directly below the prefix."""
        try:
            found = await self._store.list_with_delimiter_async(None)
        except (BaseError, OSError) as error:
            raise self._failed(error) from None
        return tuple(found["common_prefixes"])

    async def delete(self, keys: Sequence[str]) -> None:
        """Whether or not they are there."""
        try:
            if keys:
                await self._store.delete_async(list(keys))
        except FileNotFoundError:
            return
        except (BaseError, OSError) as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> StoreError:
        """The library's text goes on for pages; the store's own word for it, and the first line, are enough."""
        text = str(error)
        line = text.partition("\n")[0].partition("<?xml")[0][:300]
        code = _CODE.search(text)
        return StoreError(f"{self.name} cannot be used: {f'{code[1]}: ' if code else ''}{line}")
