"""Object stores: a folder, or a bucket of S3, Google Cloud Storage or Azure."""

from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

from citepress_objects.files import FileObjects
from citepress_objects.port import ObjectStore, ObjectStoreError

CLOUDS = ("s3", "gs", "az")
"""Schemes of buckets, which ``obstore`` reaches."""


def open_objects(target: str) -> ObjectStore:
    """The store at an address: ``s3://bucket/prefix``, ``gs://…``, ``az://…`` or ``file:///path``.

    Raises ``ObjectStoreError``.
    """
    try:
        address = urlsplit(target)
    except ValueError:
        address = urlsplit("")
    if address.scheme == "file" and address.netloc in {"", "localhost"} and len(address.path) > 1:
        return FileObjects(Path(unquote(address.path)), target)
    if address.scheme in CLOUDS and address.netloc and not address.query:
        try:  # the library is large, and optional
            cloud = import_module("citepress_objects.cloud")
        except ImportError:
            raise ObjectStoreError(f"{target} needs the extra: pip install 'citepress[publish]'") from None
        opened: ObjectStore = cloud.CloudObjects(target)
        return opened
    raise ObjectStoreError(
        f"{target!r} is not the address of an object store: write s3://bucket/prefix, gs://bucket/prefix,"
        " az://container/prefix or file:///path"
    )
