"""The ``site.toml`` that an import writes."""

import json
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from citepress.base.text import bounded
from citepress_import import records
from citepress_import.former_site import FormerSite
from citepress_import.relinking import Relinker

UNREAL_HOSTS = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "example.org", "example.com", "example.net", ""})  # noqa: S104
MAX_SETTING_CHARS = 300


def site_file(site: FormerSite, links: Relinker, occupied: Callable[[str], bool]) -> str:
    """The settings of the archive from those of the former site."""
    given = site.settings
    rows = {key: bounded(given.get(key, ""), MAX_SETTING_CHARS) for key in ("title", "description", "owner")}
    lines = [f"{key} = {_quoted(value)}" for key, value in rows.items() if value]
    language = given.get("language", "").replace("_", "-")
    if records.LANGUAGE.fullmatch(language):
        lines.append(f"language = {_quoted(language)}")
    if base := base_of(given.get("base_url", "")):
        count = len(links.former_host_images)
        lines.append(f"{'# ' if count else ''}base_url = {_quoted(base)}")
        if count:
            site.report.notes.append(
                f"{count} images are still on {base}. Put them below static/ and write their paths into the texts, "
                "then enable base_url in site.toml."
            )
        if beside := sorted(path for path in links.beside if not occupied(path)):
            lines.append(f"elsewhere = [{', '.join(map(_quoted, beside))}]")
    return "".join(f"{line}\n" for line in lines)


def base_of(url: str) -> str:
    """The public address of a site without a path; nothing for one that is only an example."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").lower()
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or host in UNREAL_HOSTS or re.search(r"[^\w.:\[\]-]", parts.netloc):
        return ""
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _quoted(value: str) -> str:
    return json.dumps(" ".join(value.split()), ensure_ascii=False).replace("\x7f", "")
