"""A digest of the files of a package, by which what other code made is recognised."""

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


@cache
def digest_of(package: str) -> bytes:
    """A digest of the files of a package, or of a module that is one file."""
    state = hashlib.blake2b(digest_size=16)
    module = import_module(package)
    own = [("", Path(module.__file__ or "").read_bytes())] if not hasattr(module, "__path__") else []
    for name, data in own or sorted(_own_files(files(package), "")):
        state.update(name.encode() + b"\0" + data)
    return state.digest()


def joint_digest(packages: Iterable[str]) -> bytes:
    """Sixteen bytes over the digests of packages, in their order."""
    return hashlib.blake2b(b"".join(map(digest_of, packages)), digest_size=16).digest()


def _own_files(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    contents: list[tuple[str, bytes]] = []
    for item in folder.iterdir():
        name = f"{prefix}/{item.name}"
        if item.is_dir():
            contents += _own_files(item, name) if item.name != "__pycache__" else []
        else:
            contents.append((name, item.read_bytes()))
    return contents
