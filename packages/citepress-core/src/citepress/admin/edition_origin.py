"""What an edition was made from beside its content, by which a later run sees whether it still stands."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citepress.admin.public_address import has_public_address
from citepress.base import fast_json
from citepress.base.canonical import sorted_bytes
from citepress.contract.site import Limits
from citepress.edition.code_digest import code_digest
from citepress.edition.edition import pointer
from citepress.settings import Settings


def published_origin(output: Path) -> Mapping[str, Any]:
    """What the edition in a folder was made from; empty where there is none, or a damaged pointer."""
    try:
        origin = fast_json.loads(pointer(output).read_bytes())
    except (OSError, ValueError):
        return {}
    return origin if isinstance(origin, dict) else {}


def origin_of(settings: Settings, committed: str, *, searched: bool | None) -> Mapping[str, str]:
    """The code, the settings and the history in Git that an edition is made with.

    ``searched``: whether it can be searched in the browser, where that is not as ``site.toml`` says.
    """
    inputs = [
        settings.drafts,
        # Without a public address it is the one listened on; that of site.toml is part of the content.
        settings.base_url or (None if has_public_address(settings) else [settings.host, settings.port]),
        {name: value for name, value in settings.limits.items() if name in Limits.model_fields},
        str(settings.root.resolve()),
        committed,  # commits give records their revisions, and plain notes their dates
        searched,
    ]
    return {"code": code_digest().hex(), "settings": hashlib.sha256(sorted_bytes(inputs)).hexdigest()}
