"""A dataset in the members of a record, so that what is found can be read like any other."""

from collections.abc import Mapping
from typing import Any

from citepress.edition.private_index import Lookup


def as_record(dataset_json: Mapping[str, Any], lookup: Lookup) -> dict[str, Any]:
    """The description of a dataset with the members that every record has; its own stay."""
    sources = [
        {
            "id": f"source-{number}",
            "url": source["url"],
            "title": source["title"],
            "origin": lookup.origin_of(source["normalized_url"]),
            "role": "primary",
            "accessed_at": None,
            "status": "never_checked",
        }
        for number, source in enumerate(dataset_json["sources"], 1)
    ]
    return {
        **dataset_json,
        "url": dataset_json["html_url"],
        "revision": len(dataset_json["versions"]),
        "sources": sources,
        "related": [],
        "body_markdown": dataset_json["readme_markdown"],
    }
