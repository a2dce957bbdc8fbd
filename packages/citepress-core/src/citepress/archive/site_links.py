"""Settings that lead readers to a page, and a fault for each that leads to none."""

from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from citepress.archive.links import Addresses, page_form
from citepress.base.urls import own_path
from citepress.content import settings_file
from citepress.content.folder import Folder
from citepress.content.validation_messages import dotted
from citepress.contract.fault import BAD_SITE, HIDDEN, Fault
from citepress.contract.refs import Marked, PageMark, marked
from citepress.contract.site import Site


def site_links(site: Site) -> Iterator[Marked]:
    """The settings whose value is the address of a page."""
    return (setting for setting in marked(site) if isinstance(setting.mark, PageMark))


def lost_pages(folder: Folder, addresses: Addresses) -> Iterator[Fault]:
    """A fault for each setting that leads to no page of the archive; addresses elsewhere are not asked."""
    for setting in site_links(folder.site):
        path = _own_path(setting.value, folder.site.base_url)
        sort, about = addresses.target(page_form(path)) if path else ("page", "")
        if sort not in ("broken", "hidden"):
            continue
        place, name = settings_file.place(folder.root, setting.location), dotted(setting.location)
        if sort == "hidden":
            yield Fault.at(HIDDEN, place, f"{name}: {setting.value!r} is {addresses.index.hidden[about]}")
        else:
            hint = about or "write content/pages/<name>.md, whose path is /pages/<name>/"
            yield Fault.at(BAD_SITE, place, f"{name}: {setting.value!r} leads to no page of the archive", hint)


def _own_path(value: str, base_url: str) -> str | None:
    """The path of the archive that a setting leads to; ``None`` where it leads elsewhere."""
    try:
        return unquote(urlsplit(value).path) if value.startswith("/") else own_path(value, base_url)
    except ValueError:
        return None
