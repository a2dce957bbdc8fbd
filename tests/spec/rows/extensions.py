"""What the publication design adds to the specification: members, negotiation, fields, discovery aids."""

ROWS = {
    ("Records (publication design)", "publication"): {
        "members shared": "Every record has the shared members, from id and canonical_url to updates.",
        "members posts": "FieldNoteRecord: retrieval_nugget, body_markdown, claims, corrections.",
        "members signals": (
            "RawSignalRecord: observed_at, signal_type, excerpt, provenance in W3C PROV words, related_patterns."
        ),
        "members patterns": (
            "TrendPatternRecord: statement, status, confidence, evidence, counter_evidence, revision_trigger, "
            "revisions, first_observed_at."
        ),
        "members topics": "Topic hub: question, short_answer, evidence, open_questions, feed.",
        "members shifts": "Shift: from_state, to_state, observed_at, drivers, evidence.",
        "members deltas": "Delta: verification_level, buildability_class, before, after, occurred_at.",
        "members graveyard": "Graveyard record: born, died, cause_of_death, lessons, successor.",
        "members projects": "Project blueprint: problem, components, steps, effort, prerequisites.",
        "members systems": "System dossier: vendor, interfaces, limits, versions, assessed_at.",
        "members learn": "Learn guide: audience, level, minutes, steps, outcomes.",
        "members forecasts": (
            "Forecast: statement, probability, made_at, resolves_at, resolution_criteria, status, resolved_at."
        ),
        "members agent-tasks": "Agent task: task, input, expected_output, reward, how_to_submit, status.",
        "members metadox": "Metadox: period, body_markdown, records.",
        "index shape": (
            "An index is {schema_version, kind, as_of, count, items[]}; items carry addresses, dates and the kind's "
            "deciding members."
        ),
        "signal pages": (
            "/signals.json has page_count, page_size and pages; a page has full records, next, prev and Link; no page"
            " 0, x, 1.5 or past the end."
        ),
        "schemas": "JSON documents link to their JSON Schema with rel=describedby.",
        "as_of": "as_of is the newest record date; public bytes hold no build time.",
        "sources": "Every cited URL is normalised and belongs to one origin; ledger, origins and details agree.",
        "graph": "Node ids and edge types of the discovery graph; shards by a stable hash, at most 500 nodes each.",
        "owner profile": "The owner profile is JSON-LD of schema.org, with JSON and Markdown twins.",
        "dataset": "CSV and JSON rows agree; the landing page carries Dataset and Croissant JSON-LD; Repr-Digest.",
    },
    ("Representations and negotiation (publication design)", "publication"): {
        "negotiation": "HTML pages answer as HTML, Markdown or JSON by Accept, q-values and order of listing.",
        "negotiation synonyms": "Routes of one type take synonyms of it instead of a 406.",
        "negotiation 406": "406 only when nothing fits: a problem document with available[{href, type}].",
        "negotiation caching": (
            "A negotiated form on a canonical URL is private, no-cache with Content-Location and Vary."
        ),
        "twin of the root": "/index.md is the root's twin; a missing slash is 308.",
        "withdrawn": "A withdrawn record is 410; an alias 308.",
        "missing": "404 in the negotiated form, with the nearest pages in a recovery document or problem.",
        "methods": (
            "HEAD as GET without a body; OPTIONS 204 with Allow and CORS; others 405; bad paths 400; over-long 414."
        ),
        "conditional": (
            "Strong ETags for each form and coding; If-None-Match before If-Modified-Since; 304 repeats validators."
        ),
        "encodings": "br, zstd and gzip by Accept-Encoding with q-values.",
        "markdown twins": "Front matter, absolute links, the content of the HTML page, Link rel=canonical.",
        "html pages": "JSON-LD, og tags, rel=alternate to the twins, a line to /llms.txt.",
        "rate window": "A window starts with the first request of a client; 304, HEAD and problem documents count too.",
        "security fields": (
            "nosniff, Referrer-Policy, CSP, Permissions-Policy on every answer; CORS * with exposed fields, no "
            "credentials, no cookie."
        ),
        "caching": "Cache-Control by sort of content; errors no-store.",
        "clients": "Forwarded addresses are believed from configured proxies only.",
    },
    ("Citations (publication design)", "publication"): {
        "citation forms": (
            "Records and datasets are also served as BibTeX, RIS, CSL-JSON and linkset, by suffix and by Accept;"
            " readers of others read them whatever a title holds."
        ),
        "library": "/library.bib holds every record and dataset; a large archive's is in parts, each bounded.",
        "claim ids": "A claim has one id, made of its words: the anchor on the page, and in Markdown, JSON and MCP.",
        "citation line": "Pages, Markdown and dataset descriptions hold a line ready to print that names the revision.",
        "citation box": "Cite this shows the line, and as tabs without a script BibTeX, RIS and Markdown to copy.",
        "citation tags": "Highwire Press and Dublin Core tags and JSON-LD name the true authors.",
        "signposting": (
            "Link fields of a record's page: cite-as, author, license, type, item, describedby, linkset; the linkset"
            " says the same."
        ),
    },
    ("Discovery aids (publication design)", "publication"): {
        "llms.txt": (
            "At most 50,000 characters: H1, blockquote, H2 lists with .md targets; /<collection>/llms.txt beside it."
        ),
        "sitemap": "Index to urlset shards only, lastmod from content.",
        "robots": "No rule hides Markdown or JSON; Content-Signal and Sitemap lines.",
        "feed texts": (
            "Feeds hold the full text of records with absolute links, authors and licence, within 512 KiB of text: what"
            " a DOI service for blogs asks for."
        ),
        "feed families": "Each collection has a feed, and each topic hub that does not say feed: false.",
        "feed ids": "Every change has an id of its own in /changes.xml, which other changes never move.",
        "feeds": "At most 50 entries, newest first, permanent ids, one rel=self, rel=hub when configured.",
        "api catalog": "Absolute anchors; HEAD carries Link rel=api-catalog.",
        "openapi": "OpenAPI 3.1.1 twice from one table, info.version 2026-09-01, unique operationIds.",
        "canonical_path forms": "{canonical_path} is served %2F-encoded and plain.",
        "editions verified": (
            "edition.json holds the signed head of an append-only log of editions; citepress verify trusts no server"
            " and notices every change, omission and rewritten history."
        ),
        "judges": (
            "Foreign judges find nothing wrong: httplint, schemathesis, openapi-spec-validator, JSON Schema, "
            "feedparser, protego, mlcroissant, frictionless."
        ),
    },
    ("Collections and records", "publication"): {
        "revisions stay": "Every revision has an address that stays, in every form; lists know the newest alone.",
        "revisions of withdrawn records": "They are 410 too, unless the publisher keeps them readable.",
        "revisions cited": "A record is cited by the address of its revision.",
        "revisions compared": "What changed between two revisions is told by words, and a history lists them all.",
        "memento": "Accept-Datetime leads to the revision of a moment, and a TimeMap lists all of them (RFC 7089).",
    },
}
