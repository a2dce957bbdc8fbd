"""Requests that are HTTP, nearly HTTP, and no HTTP at all: some three thousand, made here, the same ones every time."""

from support.corpus_bodies import chunked, codings, lengths, mutants, pipelines, prefixes
from support.corpus_heads import fields, hosts, line_ends, methods, targets, versions
from support.payloads import Family, Payload

FAMILIES: tuple[Family, ...] = (
    methods,
    targets,
    versions,
    hosts,
    fields,
    line_ends,
    lengths,
    codings,
    chunked,
    pipelines,
    prefixes,
    mutants,
)


def corpus(path: bytes) -> list[Payload]:
    """All of them, each once; ``path`` is where a POST is read to its end."""
    payloads: dict[bytes, Payload] = {}
    for family in FAMILIES:
        for payload in family(path):
            payloads.setdefault(payload.data, payload)
    return list(payloads.values())
