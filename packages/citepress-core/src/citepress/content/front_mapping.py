"""The members of a front matter, or why there are none."""

from citepress.content.files import printable_path
from citepress.content.open_text import FRONT_BYTES
from citepress.content.source_map import YAML, FrontMatter, FrontMatterFormat, SourceFile
from citepress.content.value_hints import fence_hint
from citepress.content.value_marks import NODES, ParseFault
from citepress.contract.fault import BAD_YAML, NO_FRONT_MATTER, TOO_LARGE, Fault, Faults, Span


def front_mapping(source_file: SourceFile, matter: FrontMatter) -> dict[str, object]:
    """The members of a file's front matter. Raises ``Faults``."""
    if matter.front is None:
        place = source_file.at(matter.body_line, 1)
        hint = fence_hint(place.source)
        raise Faults([Fault.at(NO_FRONT_MATTER, place, "there is no front matter", hint)])
    if not matter.closed:
        hint = f"end it with a line {matter.format.fence}"
        raise Faults([Fault.at(NO_FRONT_MATTER, source_file.at(1, 1), "the front matter is not closed", hint)])
    if len(matter.front.encode()) > FRONT_BYTES:
        place = Span(printable_path(source_file.file), 1, 1)
        raise Faults([Fault.at(TOO_LARGE, place, f"the front matter has over {FRONT_BYTES:,} bytes")])
    return mapping(source_file, matter.front, matter.format.above, form=matter.format)


def mapping(
    source_file: SourceFile, text: str, above: int = 0, nodes: int = NODES, form: FrontMatterFormat = YAML
) -> dict[str, object]:
    """The members of a mapping that begins ``above`` lines below the start of its file. Raises ``Faults``."""
    try:
        members = form.load(text, nodes=nodes)
    except ParseFault as error:
        line, column = error.mark
        place = source_file.at(line + above, column)
        raise Faults([Fault.at(error.code, place, error.message, error.hint)]) from None
    if members is None:
        return {}
    if isinstance(members, dict):
        return members
    place = source_file.at(1 + above, 1)
    raise Faults([Fault.at(BAD_YAML, place, "is not a mapping of keys to values", "write `title: …`")])
