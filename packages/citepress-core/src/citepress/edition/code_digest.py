"""A digest of this package, so that an edition of other code is rendered anew."""

from functools import cache

from citepress.base.package_digest import joint_digest
from citepress.extension import RENDERED, Installed, installed_with


def rendering_extensions() -> tuple[Installed, ...]:
    """The extensions that give a part of an edition."""
    return installed_with(RENDERED)


@cache
def code_digest() -> bytes:
    """A digest of our own code and templates, and of extensions that add to an edition."""
    return joint_digest(["citepress", *(source.package for source in rendering_extensions())])
