"""Warnings about records that were published from a folder and whose addresses lead nowhere any more."""

from collections.abc import Callable, Collection, Iterator, Mapping

from citepress.base.ids import path_of
from citepress.content.folder import Folder
from citepress.contract.fault import VANISHED, Fault, Span


def vanished_faults(
    folder: Folder, published: Collection[str], renamed: Callable[[], Mapping[str, str]]
) -> Iterator[Fault]:
    """A warning for each record that was published under an id that no file, alias or redirect stands for now.

    ``published`` are the ids of records that were published; ``renamed`` tells what those of them are called now whose
    files only have another name, and is asked where one is lost.
    """
    # A folder that is of no kind is a fault of its own, often of an extension that is not installed: whoever withdrew
    # its records as this warning says would lose good ones.
    refused = {id_.partition("/")[0] for id_ in folder.refused}
    lost = sorted(id_ for id_ in {*published} - _led(folder) if id_.partition("/")[0] not in refused)
    names = renamed() if lost else {}  # reads every file's history, which a sound folder must not pay for
    drafts = {draft.id: draft for draft in folder.drafts} if names else {}
    for id_ in lost:
        name = names.get(id_)
        place = drafts[name].locate(("title",)) if name in drafts else None
        hint = f"add `aliases: [{path_of(id_)}]`" if name else "name it in `aliases` of the record that took its place"
        hint += ", or leave a file of its name with `gone: true`"
        message = f"{path_of(id_)} was published and leads nowhere any more, nor do its revisions"
        if name:
            message += f"; {name} has its text"
        yield Fault.at(VANISHED, place or Span(f"content/{id_}.md"), message, hint)


def _led(folder: Folder) -> set[str]:
    """Ids whose addresses lead somewhere, or whose records are only not shown now."""
    aliases = [*[draft.head.aliases for draft in folder.drafts], *(gone.aliases for gone in folder.tombstones)]
    return {
        *[draft.id for draft in (*folder.drafts, *folder.held)],
        *folder.hidden,
        *(gone.id for gone in folder.tombstones),
        *(record.id for record in folder.faulty),
        *(path.strip("/") for path in folder.set_aside),
        *[alias.strip("/") for listed in aliases for alias in listed],
        *(redirect.former.strip("/") for redirect in folder.redirects),
    }
