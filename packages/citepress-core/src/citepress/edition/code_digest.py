"""A digest of this package, so that an edition of other code is rendered anew."""

import hashlib
from functools import cache

from citepress.base.package_digest import digest_of
from citepress.extension import RENDERED, Installed, installed_with


def rendering_extensions() -> tuple[Installed, ...]:
    """The extensions that give a part of an edition."""
    return installed_with(RENDERED)


@cache
def code_digest() -> bytes:
    """A digest of our own code and templates, and of extensions that add to an edition."""
    digests = (digest_of(package) for package in ("citepress", *(source.package for source in rendering_extensions())))
    return hashlib.blake2b(b"".join(digests), digest_size=16).digest()
