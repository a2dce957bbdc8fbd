"""A digest of this package, so that an edition of other code is rendered anew."""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from citepress.extension import Installed, installed_with

RENDERED = ("kinds", "forms", "citations", "documents", "operations", "pictures", "tables")
"""What an extension gives that editions are made of."""


def rendering_extensions() -> tuple[Installed, ...]:
    """The extensions that give a part of an edition."""
    return installed_with(RENDERED)


@cache
def code_digest() -> bytes:
    """A digest of our own code and templates, and of extensions that add to an edition."""
    digests = (digest_of(package) for package in ("citepress", *(source.package for source in rendering_extensions())))
    return hashlib.blake2b(b"".join(digests), digest_size=16).digest()


@cache
def digest_of(package: str) -> bytes:
    """A digest of the files of one of our packages."""
    state = hashlib.blake2b(digest_size=16)
    for name, data in sorted(_own_files(files(package), "")):
        state.update(name.encode() + b"\0" + data)
    return state.digest()


def _own_files(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    contents: list[tuple[str, bytes]] = []
    for item in folder.iterdir():
        name = f"{prefix}/{item.name}"
        if item.is_dir():
            contents += _own_files(item, name) if item.name != "__pycache__" else []
        else:
            contents.append((name, item.read_bytes()))
    return contents
