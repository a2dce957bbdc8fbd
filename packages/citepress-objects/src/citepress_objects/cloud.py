"""Buckets as an object store: S3 and what speaks like it, Google Cloud Storage, Azure Blob Storage."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore import exceptions
from obstore.store import from_url

from citepress_objects.port import ListedObject, ObjectMissingError, ObjectStoreError, SmallObject

CONNECT_S, ANSWER_S, TRANSFER_S = 5, 15, 1800
"""Seconds for a connection, for a whole request about a small object, and for the transfer of a file."""
RETRIES = 2
TRUE = frozenset({"1", "true", "yes", "on"})
SENTENCE = 300
"""Characters of an error of the library; it prints every attempt."""


class CloudObjects:
    """Implements ``ObjectStore``.

    Credentials, region and endpoint come from the usual variables (``AWS_ACCESS_KEY_ID``, ``AWS_ENDPOINT_URL``,
    ``GOOGLE_APPLICATION_CREDENTIALS``, ``AZURE_STORAGE_ACCOUNT_NAME`` …) or from the machine's own identity.
    """

    def __init__(self, target: str) -> None:
        """``target`` is the address of a bucket and a prefix. Raises ``ObjectStoreError``."""
        self.target = target
        with self._failing("its configuration"):
            self._small = _store(target, ANSWER_S)
            self._large = _store(target, TRANSFER_S)

    def get(self, name: str, most: int, tag: str | None = None) -> SmallObject | None:
        """An object; see the port."""
        with self._failing(name):
            try:
                answer = obstore.get(self._small, name, options={"if_none_match": tag} if tag else {})
            except exceptions.NotModifiedError:
                return None
            if answer.meta["size"] > most:
                raise ObjectStoreError(f"{name} of {self.target} is larger than {most:,} bytes")
            return SmallObject(bytes(answer.bytes()), answer.meta["e_tag"] or "")

    def download(self, name: str, size: int) -> Iterator[bytes]:
        """The bytes of an object; see the port."""
        with self._failing(name):
            for piece in obstore.get(self._large, name).stream(min_chunk_size=min(size + 1, 1 << 20)):
                yield bytes(piece)

    def size(self, name: str) -> int | None:
        """The size of an object; see the port."""
        try:
            with self._failing(name):
                return int(obstore.head(self._small, name)["size"])
        except ObjectMissingError:
            return None

    def upload(self, name: str, file: Path) -> None:
        """Store a file; see the port."""
        with self._failing(name):
            obstore.put(self._large, name, file)

    def create(self, name: str, data: bytes) -> bool:
        """Store an object unless there is one; see the port."""
        return self._put(name, data, "create")

    def replace(self, name: str, data: bytes, tag: str | None) -> bool:
        """Store an object over a known state; see the port."""
        return self._put(name, data, "create" if tag is None else {"e_tag": tag})

    def listing(self, folder: str) -> Iterator[ListedObject]:
        """The objects of a folder; see the port."""
        with self._failing(folder):
            for page in obstore.list(self._small, folder):
                for listed in page:
                    yield ListedObject(listed["path"], listed["size"], listed["last_modified"])

    def delete(self, name: str) -> None:
        """Remove an object; see the port."""
        with suppress(ObjectMissingError), self._failing(name):
            obstore.delete(self._small, name)

    def _put(self, name: str, data: bytes, mode: Any) -> bool:  # noqa: ANN401  (the library's own type is private)
        with self._failing(name):
            try:
                obstore.put(self._small, name, data, mode=mode, use_multipart=False)
            except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
                return False
        return True

    @contextmanager
    def _failing(self, name: str) -> Iterator[None]:
        """What the library raises, as the port names it."""
        try:
            yield
        except (ObjectStoreError, GeneratorExit, KeyboardInterrupt, SystemExit):
            raise
        except FileNotFoundError:
            raise ObjectMissingError(f"{self.target} has no {name}") from None
        except BaseException as error:  # a configuration that the library cannot read ends as a panic
            sentence = " ".join(str(error).split("Debug source")[0].split())[:SENTENCE]
            raise ObjectStoreError(f"{name} of {self.target}: {sentence}") from error


def _store(target: str, answer_s: int) -> Any:  # noqa: ANN401  (one class for each provider)
    return from_url(
        target,
        client_options={
            "connect_timeout": timedelta(seconds=CONNECT_S),
            "timeout": timedelta(seconds=answer_s),
            # With options of its own, the library reads this variable of the environment no more.
            "allow_http": any(os.environ.get(f"{cloud}_ALLOW_HTTP", "").lower() in TRUE for cloud in ("AWS", "AZURE")),
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=answer_s)},
    )
