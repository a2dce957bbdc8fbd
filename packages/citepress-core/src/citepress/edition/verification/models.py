"""The types of the documents by which an edition is verified."""

from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.model import Model, Moment

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in hexadecimal."""


class PublicKey(Model):
    """A public key as a JWK (RFC 8037)."""

    kty: Literal["OKP"] = "OKP"
    crv: Literal["Ed25519"] = "Ed25519"
    x: str
    """The key, as base64url without padding."""
    kid: str
    """Its thumbprint (RFC 7638)."""
    use: Literal["sig"] = "sig"
    alg: Literal["EdDSA"] = "EdDSA"


class KeyDirectory(Model):
    """The keys with which the publisher signs, as a JWK set (RFC 7517)."""

    keys: list[PublicKey]
    """The present one first."""


class LogPosition(Model):
    """Where an edition stands in the log, and the head of the log that says so."""

    origin: str
    """Names the log in its checkpoints: the address of the archive without its scheme."""
    size: int
    """Entries of the log; this edition is the last of them."""
    root: Sha256
    """Root of the tree over all entries."""
    audit_path: list[Sha256]
    """From the entry of this edition to the root (RFC 6962 section 2.1.1)."""
    checkpoint: str
    """The signed head: a C2SP checkpoint, which is a signed note."""
    verifier_keys: list[str]
    """The keys that signed it, as verifiers of signed notes take them; the present one first."""
    tiles: str
    """Address under which the log is published in tiles (C2SP tlog-tiles)."""


class EditionHead(Model):
    """The edition that is published now, and the proof that the log holds it."""

    base_url: str
    """Address of the archive; paths in shards follow it."""
    number: int
    """From 1; an edition whose public files are the same as before has no number of its own."""
    previous: Sha256 | None
    """Digest of the edition before."""
    digest: Sha256
    """Root of the tree over the path and the SHA-256 of every file."""
    entries: int
    """Files that the digest covers."""
    shards: int
    """Shards of the tree: a power of sixteen."""
    published_at: Moment
    """When the edition was entered into the log, by the publisher's clock."""
    shard_template: str
    """Address of a shard; its name is the first hexadecimal digits of the SHA-256 of a path."""
    log: LogPosition
    keys: list[PublicKey]
    """The publisher's keys, the present one first."""


class ShardEntry(Model):
    """A file of the edition."""

    path: str
    """Its path below the address of the archive, decoded."""
    sha256: Sha256
    """Of its bytes without a content coding."""


class EditionShard(Model):
    """Every file of an edition whose path has a hash that begins with the name of the shard."""

    edition: int
    """Number of the edition."""
    digest: Sha256
    """Digest of the edition."""
    shard: str
    """Name of the shard."""
    shards: int
    """Shards of the edition."""
    entries: list[ShardEntry]
    """In the order of their paths. The leaves of the shard are the lines that sha256sum would write for them."""
    audit_path: list[Sha256]
    """From the leaf that is the root of this shard to the digest of the edition."""
