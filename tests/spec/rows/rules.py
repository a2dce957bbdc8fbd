"""Rules that hold for the whole service: general, conventions, authentication, events, errors, limits, versioning."""

ROWS = {
    ("What the service does", "publication"): {
        "general 1": "Every publication route is read-only; only MCP, inbox and paid products take POST.",
        "general 2": "No administration, publication or private operation is reachable by any route.",
        "general 3": "Ordinary public reads need no key, login, payment or account.",
        "general 4": "Accept: text/markdown on a canonical HTML page gives its Markdown form.",
    },
    ("Conventions for publication routes", "publication"): {
        "convention methods": "Publication routes are GET; path parameters are strings of at least one character.",
        "convention statuses": "Every route answers 200, 404, 406 and 500; JSON routes also 429.",
        "convention headers": (
            "JSON routes carry RateLimit-Limit, -Remaining, -Reset, -Policy and a Link rel=deprecation; other types "
            "carry no RateLimit field."
        ),
        "convention slug": "A <slug> is taken from its collection index.",
        "convention origin": "An <origin> is an id of /source-entities.json.",
        "convention shard": "A <shard> is a three-digit id of /discovery-graph.json.",
        "convention page": "A <page> is an integer of at least 1 from the pagination of /signals.json.",
        "convention canonical path": "A <canonical_path> has no slash at its ends; home stands for the site root.",
    },
    ("Authentication", "publication"): {
        "authentication 1": "Publication routes need no API key, login, account or payment.",
        "authentication 6": "Clients are limited by their observed address.",
    },
    ("Events", "publication"): {
        "events": (
            "Events are not shown.",
            "None are offered: changes are read from /changes.xml, the feeds and their WebSub hub.",
        ),
    },
    ("Errors", "publication"): {
        "error unknown": (
            "An unknown route or record is 404; missing pages give HTML or Markdown recovery documents with that "
            "status."
        ),
        "error representation": "A representation that is not acceptable is 406.",
        "error internal": "An internal failure is 500.",
        "error rest limit": "Over the REST limit: 429, application/problem+json, RateLimit fields and Retry-After.",
        "error json": "An error is application/problem+json (RFC 9457) when JSON is asked for.",
        "error problem fields": (
            "Problem-document fields are not shown.",
            (
                "type (an anchor of /developers/), title, status, detail, instance, and errors, available, nearest or"
                " limit_bytes where they help."
            ),
        ),
    },
    ("Limits", "publication"): {
        "limit rest": "120 JSON requests a minute for each client; HTML and Markdown are outside this bucket.",
        "limit headers": "Successful JSON answers carry the RateLimit fields.",
    },
    ("Versioning", "publication"): {
        "versioning 1": "The contract is versioned by info.version (2026-09-01) and records by schema_version.",
        "versioning 2": "Added members break no reader: published documents fit their schemas open and closed.",
        "versioning 3": "No route is deprecated or scheduled for removal.",
        "versioning 4": "Every JSON answer carries a Link rel=deprecation to the deprecation policy.",
        "versioning 5": "Deprecation and Sunset are absent until a lifecycle event is scheduled.",
        "versioning 6": "A removal is announced in the guide, in /changes.xml and by Deprecation, Link and Sunset.",
        "versioning 7": "Ninety days lie between deprecation and sunset, unless a stated urgent reason shortens them.",
        "versioning 8": "The developer guide shows its last-reviewed date, 2026-09-01.",
    },
}
