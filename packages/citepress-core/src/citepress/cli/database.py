"""``archive.db``: the archive as one SQLite file, to be queried with Datasette, for example."""

import sqlite3
from contextlib import closing
from operator import attrgetter
from pathlib import Path

from citepress.archive.model import Archive
from citepress.base.canonical import json_bytes
from citepress.base.timestamps import rfc3339

SCHEMA = """
CREATE TABLE records (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, slug TEXT NOT NULL, title TEXT NOT NULL, summary TEXT NOT NULL,
    canonical_url TEXT NOT NULL, published_at TEXT NOT NULL, updated_at TEXT NOT NULL, body_markdown TEXT NOT NULL,
    json TEXT NOT NULL
) STRICT;
CREATE TABLE edges (source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL) STRICT;
CREATE TABLE origins (id TEXT PRIMARY KEY, title TEXT NOT NULL, url TEXT NOT NULL) STRICT;
CREATE TABLE sources (
    url TEXT PRIMARY KEY, title TEXT NOT NULL, publisher TEXT, origin TEXT NOT NULL REFERENCES origins (id),
    role TEXT NOT NULL, cited_url TEXT NOT NULL
) STRICT;
CREATE TABLE citations (
    record TEXT NOT NULL REFERENCES records (id), url TEXT NOT NULL REFERENCES sources (url), source_id TEXT NOT NULL,
    cited_url TEXT NOT NULL, role TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE search
    USING fts5 (title, summary, body_markdown, content='records', tokenize='porter unicode61');
"""
INDEXES = """
INSERT INTO search (search) VALUES ('rebuild');
CREATE INDEX edges_target ON edges (target);
CREATE INDEX citations_url ON citations (url);
"""

_members = attrgetter("id", "kind", "slug", "title", "summary", "canonical_url")


def write(archive: Archive, path: Path) -> None:
    """Write the archive's records, edges, sources, origins and citations, with a full-text index."""
    entries = [entry for _, entry in sorted(archive.entries.items())]
    records = (
        (*_members(r), rfc3339(r.published_at), rfc3339(r.updated_at), r.body_markdown, json_bytes(r).decode())
        for r in (entry.record for entry in entries)
    )
    edges = ((edge.source, edge.target, edge.type) for entry in entries for edge in entry.edges)
    origins = ((o.id, o.title, o.url) for o in archive.origins.values())
    sources = ((s.url, s.title, s.publisher, s.origin, s.role, s.cited_url) for s in archive.ledger.values())
    citations = ((c.record, s.url, c.source_id, c.url, c.role) for s in archive.ledger.values() for c in s.citations)
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        database.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", records)
        database.executemany("INSERT INTO edges VALUES (?, ?, ?)", edges)
        database.executemany("INSERT INTO origins VALUES (?, ?, ?)", origins)
        database.executemany("INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?)", sources)
        database.executemany("INSERT INTO citations VALUES (?, ?, ?, ?, ?)", citations)
        database.executescript(INDEXES)
