"""Identifiers that others give to people and works."""

from typing import Annotated

from pydantic import AfterValidator, Field


def _orcid(written: str) -> str:
    """The iD without its resolver. Raises ``ValueError`` where its check digit is wrong (ISO 7064, MOD 11-2)."""
    bare = written.rpartition("/")[2].upper()
    total = 0
    for digit in bare.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    if bare[-1] != "0123456789X"[(12 - total % 11) % 11]:
        raise ValueError(f"{written!r} is no ORCID iD: its last character does not fit the others")
    return bare


Orcid = Annotated[
    str,
    Field(
        pattern=r"^(https?://orcid\.org/)?[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx]$", examples=["0000-0002-1825-0097"]
    ),
    AfterValidator(_orcid),
]
"""An ORCID iD, bare or as an address; published bare."""
Doi = Annotated[str, Field(pattern=r"^10\.[0-9]{4,9}/[-._;()/:A-Za-z0-9]+$", max_length=300, examples=["10.5555/abc"])]
"""A DOI without its resolver."""
