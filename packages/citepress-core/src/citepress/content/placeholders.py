"""Texts that ``citepress new`` writes and that an author has to replace before they are published."""

import re
from collections.abc import Iterator, Mapping

from citepress.content.source_map import FrontMatter, SourceFile
from citepress.content.validation_messages import dotted
from citepress.contract.fault import PLACEHOLDER, Fault
from citepress.contract.refs import Location

SUMMARY = "One or two sentences that can be quoted on their own."
TEXT_PLACEHOLDER = "To be written."
"""Followed by dots where the text has to be longer."""
_UNWRITTEN_LINE = re.compile(rf"^(?:- `.*`: )?{re.escape(TEXT_PLACEHOLDER)}", re.MULTILINE)
"""The text of a draft or a page, or what a column of a dataset holds."""
_STILL_THERE = "the text that `citepress new` wrote is still there"


def placeholder_faults(
    raw: Mapping[str, object], source_file: SourceFile, matter: FrontMatter, hint: str = "write it"
) -> Iterator[Fault]:
    """A fault for each value of a front matter, and for a text, that still says what ``citepress new`` wrote."""
    written = repr(raw)
    for location in _locations(raw, ()) if SUMMARY in written or TEXT_PLACEHOLDER in written else ():
        yield Fault.at(PLACEHOLDER, source_file.locate(location), f"{dotted(location)}: {_STILL_THERE}", hint)
    if TEXT_PLACEHOLDER in matter.body and (line := _UNWRITTEN_LINE.search(matter.body)):
        place = source_file.at(matter.body_line + matter.body.count("\n", 0, line.end()), 1)
        yield Fault.at(PLACEHOLDER, place, _STILL_THERE, hint)


def _locations(value: object, at: Location) -> Iterator[Location]:
    if isinstance(value, str):
        if value == SUMMARY or (
            value.startswith(TEXT_PLACEHOLDER) and not value.removeprefix(TEXT_PLACEHOLDER).strip(".")
        ):
            yield at
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _locations(item, (*at, str(key)))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _locations(item, (*at, place))
