"""The tree of one edition: (path, digest) of every public file in shards by the hash of the path, and a root over all.

An edit changes only the shards of its paths, and a reader needs only the shard of one path: it holds every path that it
can hold, in order, so that what is missing, added or listed twice is seen. A shard is a tree over its lines in the
order of their paths; the tree of the edition has the roots of the shards, as the bytes of its leaves.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from citepress.transparency.merkle import leaf_hash, root_of

SHARD_ENTRIES = 128
"""Entries of a shard on average, at most, before there are sixteen times as many shards."""
SHARD_DIGITS = range(1, 6)
"""How many hexadecimal digits the name of a shard may have."""
DIGEST_CHARACTERS = 64


def digits_for(entries: int) -> int:
    """How many hexadecimal digits of a path's hash name its shard, in an edition of so many entries."""
    return next((digits for digits in SHARD_DIGITS if entries <= SHARD_ENTRIES << 4 * digits), SHARD_DIGITS[-1])


def shard_of(path: str, digits: int) -> str:
    """The shard of a path: the first digits of the SHA-256 of the path."""
    return hashlib.sha256(path.encode()).hexdigest()[:digits]


def shard_names(digits: int) -> list[str]:
    """Every shard in order."""
    return [f"{number:0{digits}x}" for number in range(1 << 4 * digits)]


def shard_lines(entries: Iterable[tuple[str, str]]) -> list[bytes]:
    """The leaves of paths, as ``sha256sum`` writes them, without line breaks."""
    return [f"{digest}  {path}".encode() for path, digest in entries]


def shard_root(entries: Iterable[tuple[str, str]]) -> bytes:
    """The root of a shard: of (path, digest) in the order of the paths."""
    return root_of(map(leaf_hash, shard_lines(entries)))


def edition_root(roots: Iterable[bytes]) -> bytes:
    """The root of an edition from those of its shards."""
    return root_of(map(leaf_hash, roots))


def shard_body(entries: Mapping[str, str]) -> bytes:
    """A shard as it is stored: its lines, in the order of the paths."""
    return b"\n".join([*shard_lines(sorted(entries.items())), b""])


def shard_entries(body: bytes) -> list[tuple[str, str]]:
    """The (path, digest) of a shard that is stored."""
    lines = body.decode().split("\n")[:-1]
    return [(line[DIGEST_CHARACTERS + 2 :], line[:DIGEST_CHARACTERS]) for line in lines]


class _Shard(Mapping[str, str]):
    """Some of the digests of an edition, which hold them."""

    __slots__ = ("_digests", "_paths")

    def __init__(self, digests: Mapping[str, str]) -> None:
        self._digests = digests
        self._paths: list[str] = []

    def add(self, path: str) -> None:
        """Take the digest of a path in."""
        self._paths.append(path)

    def __getitem__(self, path: str) -> str:
        """The digest of a path."""
        return self._digests[path]

    def __iter__(self) -> Iterator[str]:
        """The paths."""
        return iter(self._paths)

    def __len__(self) -> int:
        """How many they are."""
        return len(self._paths)


def shard_digests(digests: Mapping[str, str], digits: int) -> dict[str, Mapping[str, str]]:
    """The digests of paths by shard, every shard included."""
    shards = {name: _Shard(digests) for name in shard_names(digits)}
    for path in digests:
        shards[shard_of(path, digits)].add(path)
    return dict(shards)


def is_ordered(paths: Sequence[str]) -> bool:
    """Whether paths are in order, none of them twice."""
    return all(former < later for former, later in pairwise(paths))
